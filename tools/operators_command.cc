#include "tools/operators_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/graph/operators.h"
#include "frontends/onnx/rows.h"
#include "frontends/tflite/options.h"
#include "support/json_writer.h"
#include "tools/module_input.h"

namespace tenon {

namespace {

/// Versions of a domain, from the first to the last. Other domains than the standard's have no last
/// one.
struct Versions {
  int64_t since = 0;
  std::optional<int64_t> until;
};

/// Versions by domains and names of operators.
using OnnxOperators =
    std::map<std::pair<std::string_view, std::string_view>, std::vector<Versions>>;

/// The versions of a row that Tenon reads; nullopt if it reads none of them.
std::optional<Versions> VersionsOf(const onnx::OperatorRow& row) {
  if (!row.kind.empty() && graph::FindOperatorKind(graph::Format::kOnnx, row.kind) == nullptr)
    return std::nullopt;
  const bool is_standard = row.domain.empty();
  Versions versions = {std::max(row.since, is_standard ? onnx::kFirstVersion : int64_t{1}), {}};
  if (is_standard) versions.until = std::min(row.until, onnx::kLastVersion);
  if (versions.until && *versions.until < versions.since) return std::nullopt;
  return versions;
}

/// Forms of an operator that follow each other are one range of versions.
OnnxOperators ReadableOnnx() {
  OnnxOperators operators;
  for (const onnx::OperatorRow& row : onnx::AllRows()) {
    const std::optional<Versions> versions = VersionsOf(row);
    if (!versions) continue;
    const std::string_view domain = row.domain.empty() ? "ai.onnx" : row.domain;
    operators[{domain, row.op_type}].push_back(*versions);
  }
  for (auto& [name, ranges] : operators) {
    std::sort(ranges.begin(), ranges.end(),
              [](const Versions& a, const Versions& b) { return a.since < b.since; });
    std::vector<Versions> joined;
    for (const Versions& range : ranges) {
      const bool follows =
          !joined.empty() && joined.back().until && *joined.back().until + 1 >= range.since;
      if (follows)
        joined.back().until = range.until;
      else
        joined.push_back(range);
    }
    ranges = std::move(joined);
  }
  return operators;
}

/// The names of the schema, in alphabetical order, and their codes.
std::map<std::string, int32_t> ReadableTflite() {
  std::map<std::string, int32_t> operators;
  for (const tflite::OperatorRow& row : tflite::AllOperators())
    operators.emplace(tflite::OperatorName(row.code), row.code);
  return operators;
}

std::string RangeText(const Versions& versions) {
  return versions.until ? fmt::format("{} to {}", versions.since, *versions.until)
                        : fmt::format("from {}", versions.since);
}

std::string OnnxText() {
  const OnnxOperators operators = ReadableOnnx();
  size_t widest = 0;
  for (const auto& entry : operators) widest = std::max(widest, entry.first.second.size());
  std::string text = fmt::format("onnx: {} operators\n", operators.size());
  for (const auto& [name, ranges] : operators) {
    std::vector<std::string> versions;
    for (const Versions& range : ranges) versions.push_back(RangeText(range));
    text +=
        fmt::format("{}  {:<{}}  {}\n", name.first, name.second, widest, fmt::join(versions, ", "));
  }
  return text;
}

std::string TfliteText() {
  const std::map<std::string, int32_t> operators = ReadableTflite();
  std::string text = fmt::format("tflite: {} operators\n", operators.size());
  for (const auto& entry : operators) text += entry.first + "\n";
  return text;
}

void WriteOnnx(JsonWriter& json) {
  json.List(ReadableOnnx(), JsonLayout::kLines, [&](const auto& entry) {
    const auto& [name, ranges] = entry;
    json.BeginObject();
    json.Member("domain", name.first);
    json.Member("operator", name.second);
    json.Key("versions");
    json.List(ranges, [&](const Versions& versions) {
      json.BeginObject();
      json.Member("since", versions.since);
      json.Member("until", versions.until);
      json.EndObject();
    });
    json.EndObject();
  });
}

void WriteTflite(JsonWriter& json) {
  json.List(ReadableTflite(), JsonLayout::kLines, [&](const auto& entry) {
    json.BeginObject();
    json.Member("operator", entry.first);
    json.Member("code", entry.second);
    json.EndObject();
  });
}

}  // namespace

int ListOperators(const OperatorsCommand& command) {
  const bool has_onnx = command.format != "tflite";
  const bool has_tflite = command.format != "onnx";
  std::string text;
  if (command.json) {
    JsonWriter json(text);
    json.BeginObject(JsonLayout::kLines);
    if (has_onnx) {
      json.Key("onnx");
      WriteOnnx(json);
    }
    if (has_tflite) {
      json.Key("tflite");
      WriteTflite(json);
    }
    json.EndObject();
    text += "\n";
  } else {
    if (has_onnx) text += OnnxText();
    if (has_onnx && has_tflite) text += "\n";
    if (has_tflite) text += TfliteText();
  }
  return WriteOutput(command.json.value_or("-"), text) ? 0 : 1;
}

}  // namespace tenon
