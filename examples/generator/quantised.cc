// A code generator for Tenon in C++: quantised convolutions, depthwise convolutions and dense
// layers as loops in C. It reads the member `requantise` of claims (docs/reference/requantise.md).
// The only library is nlohmann-json:
//
//   c++ -std=c++17 -O2 quantised.cc -o my-npu      (or cmake: CMakeLists.txt)
//   tenon run kws.tflite --targets=npu --generator=npu=./my-npu --engine=c --externals=both --input
//   x.npy

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;

// The functions of the roundings.
constexpr const char* kHelpers = R"(#include <stdint.h>

static int64_t npu_tflite(int64_t x, int64_t m, int s) {
  int64_t high = ((s > 0 ? x * ((int64_t)1 << s) : x) * m + ((int64_t)1 << 30)) >> 31;
  return s >= 0 ? high : (high + ((int64_t)1 << (-s - 1)) - (high < 0)) >> -s;
}
static int64_t npu_once(int64_t x, int64_t m, int s) {
  return (x * m + ((int64_t)1 << (30 - s))) >> (31 - s);
}
static int64_t npu_clamp(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}
)";

/// True, or the reason why not.
Json Support(const Json& claim) {
  if (!claim.contains("requantise") || claim["requantise"]["sum"] != "dot")
    return "not a quantised sum of products";
  for (const Json& sum : claim["requantise"]["accumulator"])
    if (sum < INT32_MIN || sum > INT32_MAX) return "its sums need more than 32 bits";
  const std::string rounding = claim["requantise"]["rounding"];
  if (rounding != "tflite" && rounding != "once") return "the NPU cannot round as " + rounding;
  if (claim["kind"].get<std::string>().find("transpose") != std::string::npos)
    return "a transposed convolution";
  return true;
}

class OperatorCode {
 public:
  OperatorCode(const Json& function, const Json& call, std::string prefix)
      : function_(function),
        call_(call),
        claim_(call["claim"]),
        own_(claim_["requantise"]),
        prefix_(std::move(prefix)) {}

  /// Arrays of numbers of channels.
  std::string Tables() const {
    std::ostringstream text;
    for (const char* name : {"bias", "multiplier", "shift"}) {
      if (!own_.contains(name)) continue;
      text << "static const int64_t " << prefix_ << name << "[] = {";
      for (const Json& value : own_[name]) text << value << ", ";
      text << "};\n";
    }
    return text.str();
  }

  std::string Loops() const {
    const Json& kept = claim_["stores"][0][2];
    const auto is_kept = [&](const Json& loop) {
      return std::find(kept.begin(), kept.end(), loop[0]) != kept.end();
    };
    std::string outer, inner;
    for (const Json& loop : claim_["loops"]) {
      const std::string name = loop[0];
      (is_kept(loop) ? outer : inner) +=
          "for (int " + name + " = 0; " + name + " < " + loop[1].dump() + "; ++" + name + ") ";
    }
    const std::string rounding = own_["rounding"];
    const std::string bias = own_.contains("bias") ? " + " + Number("bias") : "";
    return "  " + outer + "{\n    int64_t sum = 0;\n    " + inner + "if (" + Inside() +
           ")\n      sum += " + Centred(0) + " * " + Centred(1) + ";\n    " +
           Element(own_["output"]) + " = npu_clamp(npu_" + rounding + "(sum" + bias + ", " +
           Number("multiplier") + ", " + Number("shift") + ") + " + own_["zero_point"].dump() +
           ", " + own_["clamp"][0].dump() + ", " + own_["clamp"][1].dump() + ");\n  }\n";
  }

 private:
  static std::string Linear(const Json& index) {
    std::string text = index[0].dump();
    for (const Json& term : index[1])
      text += " + " + term[0].get<std::string>() + " * " + term[1].dump();
    return text;
  }

  /// The number of a list for the channel.
  std::string Number(const char* name) const {
    const bool is_one = own_[name].size() == 1 || !own_.contains("channel");
    return prefix_ + name + "[" + (is_one ? "0" : Linear(own_["channel"])) + "]";
  }

  std::string Element(const Json& access) const {
    const Json& at = claim_["accesses"][access.get<size_t>()];
    const Json& operand = claim_["operands"][at[0].get<size_t>()];
    const Json& argument = call_["arguments"][operand[1].get<size_t>()];
    std::string memory = "scratch";
    int64_t offset = argument["offset"];
    if (argument.contains("parameter")) {
      memory = "p" + argument["parameter"].dump();
    } else {
      for (int64_t i = 0; i < argument["intermediate"].get<int64_t>(); ++i)
        offset += Aligned(function_["intermediates"][static_cast<size_t>(i)]["bytes"]);
    }
    return "((" + operand[2].get<std::string>() + "_t*)((char*)" + memory + " + " +
           std::to_string(offset) + "))[" + Linear(at[1]) + "]";
  }

  std::string Centred(size_t input) const {
    const Json& each = own_["inputs"][input];
    return "((int64_t)" + Element(each["access"]) + " - (" + each["zero_point"].dump() + "))";
  }

  /// The place on an axis: its loops are `h`, or `h0`, `h1` and so on.
  std::string Place(const std::string& axis) const {
    std::string text = "0";
    for (int number = -1; number < 16; ++number) {
      const std::string name = number < 0 ? axis : axis + std::to_string(number);
      for (const Json& loop : claim_["loops"])
        if (loop[0] == name) text = "(" + text + ") * " + loop[1].dump() + " + " + name;
    }
    return text;
  }

  /// The condition under which the input is read.
  std::string Inside() const {
    if (!claim_.contains("window")) return "1";
    const Json& window = claim_["window"];
    const size_t axes = window["input"].size();
    std::string text = "1";
    for (size_t i = 0; i < axes; ++i) {
      const std::string axis(1, "dhw"[3 - axes + i]);
      const std::string at = "(" + Place(axis) + ") * " + window["stride"][i].dump() + " + (" +
                             Place("k" + axis) + ") * " + window["dilation"][i].dump() + " - " +
                             window["pad_before"][i].dump();
      text += " && " + at + " >= 0 && " + at + " < " + window["input"][i].dump();
    }
    return text;
  }

 public:
  static int64_t Aligned(int64_t bytes) { return (bytes + 15) / 16 * 16; }

 private:
  const Json& function_;
  const Json& call_;
  const Json& claim_;
  const Json& own_;
  const std::string prefix_;
};

void Generate(const Json& request, Json& answer) {
  std::string text = kHelpers;
  for (size_t f = 0; f < request["functions"].size(); ++f) {
    const Json& function = request["functions"][f];
    std::string body, signature = "int " + function["symbol"].get<std::string>() + "(";
    for (size_t i = 0; i < function["parameters"].size(); ++i)
      signature += (i == 0 ? "void* p" : ", void* p") + std::to_string(i);
    int64_t scratch = 0;
    for (const Json& tensor : function["intermediates"])
      scratch += OperatorCode::Aligned(tensor["bytes"]);
    signature += scratch > 0 ? ", void* scratch)" : ")";
    for (size_t i = 0; i < function["operators"].size(); ++i) {
      const std::string prefix = "f" + std::to_string(f) + "_" + std::to_string(i) + "_";
      const OperatorCode code(function, function["operators"][i], prefix);
      text += code.Tables();
      body += code.Loops();
    }
    text += signature + " {\n" + body + "  return 0;\n}\n";
    answer["functions"].push_back({{"symbol", function["symbol"]}, {"workspace_bytes", scratch}});
  }
  answer["sources"] = {{{"name", "npu.c"}, {"text", text}}};
}

}  // namespace

int main() {
  const Json request = Json::parse(std::cin);
  Json answer = {{"tenon_generator", 1}};
  if (request["action"] == "supports") {
    answer["operators"] = Json::array();
    for (const Json& claim : request["operators"]) answer["operators"].push_back(Support(claim));
  } else {
    Generate(request, answer);
  }
  std::cout << answer << "\n";
}
