#include "tests/unit/byoc/call_graphs.h"

#include <algorithm>
#include <random>
#include <vector>

#include "fmt/format.h"

namespace tenon {

namespace {

constexpr int kElements = 8;

/// Operators of one target; an empty target is the host.
std::string Operators(const std::string& suffix, const std::string& target) {
  const std::string attrs = target.empty()
                                ? ""
                                : fmt::format(
                                      "        T.func_attr({{\"tenon.op\": {{\"kind\": "
                                      "\"elementwise\"}}, \"tenon.targets\": [\"{}\"]}})\n",
                                      target);
  const std::string head = "    @T.prim_func\n    def ";
  const std::string x = fmt::format("x: T.Buffer(({},), \"int32\")", kElements);
  const std::string z = fmt::format("z: T.Buffer(({},), \"int32\")", kElements);
  const std::string y = fmt::format("y: T.Buffer(({},), \"int32\")", kElements);
  std::string text;
  text += head + fmt::format("one{}({}, {}):\n", suffix, x, y) + attrs +
          fmt::format("        for i in range({}):\n            y[i] = x[i] * 3 + i\n", kElements);
  text +=
      head + fmt::format("two{}({}, {}, {}):\n", suffix, x, z, y) + attrs +
      fmt::format("        for i in range({}):\n            y[i] = x[i] * 5 - z[i]\n", kElements);
  // Reads and writes y.
  text +=
      head + fmt::format("more{}({}, {}):\n", suffix, x, y) + attrs +
      fmt::format("        for i in range({}):\n            y[i] = y[i] * 7 + x[i]\n", kElements);
  // In place.
  text += head + fmt::format("flip{}({}):\n", suffix, y) + attrs +
          fmt::format("        for i in range({}):\n            y[i] = 1 - y[i]\n", kElements);
  // Keeps y for half of all x; else writes some elements.
  text += head + fmt::format("early{}({}, {}):\n", suffix, x, y) + attrs +
          fmt::format(
              "        if x[0] % 2 == 0:\n            T.evaluate(T.ret(0))\n"
              "        for i in range({}):\n            y[i] = x[i] + 17\n",
              kElements);
  text += head + fmt::format("some{}({}, {}):\n", suffix, x, y) + attrs +
          fmt::format(
              "        for i in range({}):\n            if x[i] > 0:\n"
              "                y[i] = x[i] + 19\n",
              kElements);
  // Overwrites the first half of its output, and reads the first half of x.
  const int half = kElements / 2;
  text += head +
          fmt::format("half{}(x: T.Buffer(({},), \"int32\"), y: T.Buffer(({},), \"int32\")):\n",
                      suffix, half, half) +
          attrs + fmt::format("        for i in range({}):\n            y[i] = x[i] + 11\n", half);
  return text;
}

/// Writes the entry, statement by statement.
class EntryWriter {
 public:
  EntryWriter(uint64_t seed, const CallGraphOptions& options) : random_(seed), options_(options) {}

  std::string Write() {
    text_ = fmt::format(
        "    @T.prim_func\n    def main(p: T.Buffer(({0},), \"int32\"), q: T.Buffer(({0},), "
        "\"int32\"), r: T.Buffer(({0},), \"int32\"), s: T.Buffer(({0},), \"int32\")):\n",
        kElements);
    depth_ = 2;
    defined_ = {"p.data", "q.data"};
    for (int i = 0; i < options_.calls; ++i) Statement();
    // The outputs depend on all remaining tensors.
    for (const std::string& name : defined_) {
      if (name == "s.data") Call("flip", {name});
    }
    Line(fmt::format("T.call_extern(\"int32\", \"one{}\", {}, r.data)", Suffix(),
                     defined_[Below(defined_.size())]));
    if (std::find(defined_.begin(), defined_.end(), "s.data") == defined_.end())
      Line(fmt::format("T.call_extern(\"int32\", \"one{}\", {}, s.data)", Suffix(),
                       defined_.back()));
    return text_;
  }

 private:
  size_t Below(size_t end) { return static_cast<size_t>(random_() % end); }
  bool Percent(int chance) { return static_cast<int>(Below(100)) < chance; }

  void Line(const std::string& line) {
    text_ += std::string(static_cast<size_t>(depth_) * 4, ' ') + line + "\n";
  }

  std::string Suffix() {
    const size_t target = Below(static_cast<size_t>(options_.targets) + 1);
    return target == 0 ? "_h" : fmt::format("_{}", target - 1);
  }

  const std::string& Defined() {
    // Prefers recent tensors.
    const size_t count = defined_.size();
    return defined_[Percent(60) ? count - 1 - Below(std::min<size_t>(count, 4)) : Below(count)];
  }

  /// Writable memory: the entry's outputs, or an allocation.
  std::string Written() {
    std::vector<std::string> writable;
    for (const std::string& name : defined_) {
      if (name != "p.data" && name != "q.data") writable.push_back(name);
    }
    if (!writable.empty() && Percent(options_.reuse)) return writable[Below(writable.size())];
    if (Percent(5)) return Percent(50) ? "r.data" : "s.data";
    return Allocate();
  }

  std::string Allocate() {
    const std::string name = fmt::format("m{}", memory_++);
    const bool is_int8 = Percent(50);
    const std::string value =
        is_int8 ? fmt::format("T.allocate([{}], \"int8\", \"global\")", kElements * 4)
                : fmt::format("T.allocate([{}], \"int32\", \"global\")", kElements);
    if (depth_ < 6 && Percent(20)) {
      Line(fmt::format("with {} as {}:", value, name));
      ++depth_;
      ++scopes_;
    } else {
      Line(fmt::format("{} = {}", name, value));
    }
    return name;
  }

  void Define(const std::string& name) {
    std::erase(defined_, name);
    defined_.push_back(name);
  }

  void Call(const std::string& op, const std::vector<std::string>& args) {
    const bool is_checked = Percent(50);
    const std::string call =
        fmt::format("T.call_extern(\"int32\", \"{}{}\", {})", op, Suffix(), fmt::join(args, ", "));
    Line(is_checked ? fmt::format("T.tvm_check_return(0, -1, {})", call) : call);
  }

  /// The address of the second half of a memory.
  std::string SecondHalf(const std::string& name) {
    const std::string view = fmt::format("v{}", view_++);
    Line(fmt::format("{} = T.Buffer(({},), \"int32\", data={})", view, kElements, name));
    return fmt::format("T.address_of({}[{}])", view, kElements / 2);
  }

  void Statement() {
    const size_t kind = Below(100);
    if (kind < 30) {
      const std::string x = Defined();
      const std::string y = Written();
      Call("one", {x, y});
      Define(y);
    } else if (kind < 60) {
      const std::string x = Defined();
      const std::string z = Defined();
      const std::string y = Written();
      Call("two", {x, z, y});
      Define(y);
    } else if (kind < 85) {
      Partly(kind);
    } else if (options_.opaque) {
      Opaque(kind);
    }
  }

  /// Operators that need the old contents of their output.
  void Partly(size_t kind) {
    const std::string x = Defined();
    const std::string y = Defined();
    if (y == "p.data" || y == "q.data") return;
    if (kind < 67) {
      Call("flip", {y});
    } else if (x == y) {
      // Both halves of one memory.
      const std::string second = SecondHalf(y);
      Call("half", Percent(50) ? std::vector{y, second} : std::vector{second, y});
    } else if (kind < 76) {
      Call(kind < 70 ? "early" : kind < 72 ? "some" : "more", {x, y});
    } else {
      Call("half", {Percent(50) ? SecondHalf(x) : x, Percent(50) ? SecondHalf(y) : y});
    }
    Define(y);
  }

  void Opaque(size_t kind) {
    const std::string x = Defined();
    const std::string y = Defined();
    if (x == y || y == "p.data" || y == "q.data") return;
    if (kind < 90) {
      const std::string from = fmt::format("v{}", view_++);
      const std::string to = fmt::format("v{}", view_++);
      Line(fmt::format("{} = T.Buffer(({},), \"int32\", data={})", from, kElements, x));
      Line(fmt::format("{} = T.Buffer(({},), \"int32\", data={})", to, kElements, y));
      Line(fmt::format("for i in range({}):", Percent(50) ? kElements : kElements / 2));
      Line(fmt::format("    {}[i] = {}[i] + 13", to, from));
    } else if (kind < 95) {
      Line("for k in range(3):");
      ++depth_;
      Call("more", {x, y});
      Call("flip", {y});
      if (Percent(50)) Call("one", {y, x == "p.data" || x == "q.data" ? y : x});
      --depth_;
    } else {
      Line(fmt::format("if p[{}] > 0:", Below(kElements)));
      ++depth_;
      Call("one", {x, y});
      Call("flip", {y});
      --depth_;
      Line("else:");
      ++depth_;
      Call("more", {x, y});
      --depth_;
    }
    Define(y);
    CloseScopes();
  }

  /// Leaves nested scopes of memory now and then.
  void CloseScopes() {
    while (scopes_ > 0 && Percent(50)) {
      --scopes_;
      --depth_;
      // Allocations inside the scope are gone; only `with` lines and allocations after them matter
      // here.
      std::erase_if(defined_, [&](const std::string& name) { return IsGone(name); });
    }
  }

  /// Whether the line that allocates `name` is deeper than the current line.
  bool IsGone(const std::string& name) const {
    const size_t as = text_.find(fmt::format(" as {}:\n", name));
    const size_t plain = text_.find(fmt::format(" {} = T.allocate", name));
    if (as == std::string::npos && plain == std::string::npos) return false;
    const size_t at = as != std::string::npos ? as : plain;
    const size_t line = text_.rfind('\n', at) + 1;
    const size_t spaces = text_.find_first_not_of(' ', line) - line;
    const size_t inside = spaces + (as != std::string::npos ? 4 : 0);
    return inside > static_cast<size_t>(depth_) * 4;
  }

  std::mt19937_64 random_;
  const CallGraphOptions& options_;
  std::string text_;
  int depth_ = 0;
  int memory_ = 0;
  int view_ = 0;
  /// Pointers to tensors that have a value, in the order in which they got it.
  std::vector<std::string> defined_;
  int scopes_ = 0;
};

std::string Head(int targets) {
  std::string text = "@I.ir_module\nclass Module:\n";
  text += Operators("_h", "");
  for (int i = 0; i < targets; ++i)
    text += Operators(fmt::format("_{}", i), fmt::format("npu:{}", i));
  return text;
}

std::string EntryHead() {
  return fmt::format(
      "    @T.prim_func\n    def main(p: T.Buffer(({0},), \"int32\"), r: T.Buffer(({0},), "
      "\"int32\")):\n",
      kElements);
}

std::string Memory(int number) {
  return fmt::format("        m{} = T.allocate([{}], \"int32\", \"global\")\n", number, kElements);
}

}  // namespace

std::string RandomCallGraph(uint64_t seed, const CallGraphOptions& options) {
  return Head(options.targets) + EntryWriter(seed, options).Write();
}

std::string ChainOfCalls(int calls, int targets, int hosts) {
  std::string text = Head(targets) + EntryHead();
  for (int i = 0; i < calls - 1; ++i) text += Memory(i);
  for (int i = 0; i < calls; ++i) {
    const std::string suffix = i % 10 < hosts ? "_h" : fmt::format("_{}", i * 7 % 11 % targets);
    const std::string from = i == 0 ? "p.data" : fmt::format("m{}", i - 1);
    const std::string to = i == calls - 1 ? "r.data" : fmt::format("m{}", i);
    text += fmt::format("        T.call_extern(\"int32\", \"one{}\", {}, {})\n", suffix, from, to);
  }
  return text;
}

std::string DenseLayers(int layers, int targets) {
  std::string text = Head(targets) + EntryHead();
  for (int i = 0; i < layers; ++i) text += Memory(i);
  for (int to = 0; to < layers; ++to) {
    const std::string suffix = to % 4 == 0 ? "_h" : fmt::format("_{}", to % targets);
    text += fmt::format("        T.call_extern(\"int32\", \"one{}\", p.data, m{})\n", suffix, to);
    for (int from = 0; from < to; ++from)
      text +=
          fmt::format("        T.call_extern(\"int32\", \"more{}\", m{}, m{})\n", suffix, from, to);
  }
  text += fmt::format("        T.call_extern(\"int32\", \"one_h\", m{}, r.data)\n", layers - 1);
  return text;
}

}  // namespace tenon
