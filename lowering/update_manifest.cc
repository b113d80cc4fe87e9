#include "lowering/update_manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "support/json_reader.h"
#include "support/json_writer.h"
#include "support/shown_text.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

constexpr int64_t kVersion = 1;

std::string Hex(uint64_t value) { return fmt::format("{:016x}", value); }

absl::Status WrongAt(const JsonValue& value, std::string_view expected) {
  return absl::InvalidArgumentError(fmt::format("at byte {}: expected {}, found {}", value.offset(),
                                                expected, value.kind_name()));
}

/// Reads members of an object one by one. The first error counts.
class MemberReader {
 public:
  explicit MemberReader(const JsonValue& object) : object_(object) {}

  const JsonValue* Find(std::string_view key) {
    const JsonValue* value = object_.Find(key);
    if (value == nullptr && status_.ok()) {
      status_ = absl::InvalidArgumentError(
          fmt::format("at byte {}: expected an object with `{}`", object_.offset(), key));
    }
    return value;
  }
  std::string Text(std::string_view key) {
    const JsonValue* value = Find(key);
    if (value == nullptr) return {};
    if (value->as_string() != nullptr) return *value->as_string();
    Keep(WrongAt(*value, "a string"));
    return {};
  }
  int64_t Integer(std::string_view key) {
    const JsonValue* value = Find(key);
    if (value == nullptr) return 0;
    if (const auto number = value->as_int64()) return *number;
    Keep(WrongAt(*value, "an integer"));
    return 0;
  }
  double Number(std::string_view key) {
    const JsonValue* value = Find(key);
    if (value == nullptr) return 0;
    if (const auto number = value->as_double()) return *number;
    Keep(WrongAt(*value, "a number"));
    return 0;
  }
  uint64_t Hash(std::string_view key) {
    const JsonValue* value = Find(key);
    const std::string text = value == nullptr ? std::string() : Text(key);
    uint64_t hash = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
    if (value != nullptr && (error != std::errc() || end != text.data() + text.size()))
      Keep(WrongAt(*value, "a hash of 16 hexadecimal digits"));
    return hash;
  }
  /// Calls `read` with a reader of each element of the list `key`.
  template <class Read>
  void Each(std::string_view key, const Read& read) {
    const JsonValue* value = Find(key);
    if (value == nullptr) return;
    if (value->as_array() == nullptr) return Keep(WrongAt(*value, "a list"));
    for (const JsonValue& element : *value->as_array()) {
      MemberReader reader(element);
      read(reader, element);
      Keep(reader.status_);
    }
  }
  void Keep(const absl::Status& status) {
    if (status_.ok()) status_ = status;
  }
  const absl::Status& status() const { return status_; }

 private:
  const JsonValue& object_;
  absl::Status status_;
};

/// The hash of a name; 0 for a name that the list does not have, which no hash is expected to be.
uint64_t HashOf(const UpdateManifest& manifest, const std::string& function) {
  for (const auto& [name, hash] : manifest.functions) {
    if (name == function) return hash;
  }
  return 0;
}

void AddConstantObstacles(const UpdateManifest& then, const UpdateManifest& now,
                          std::vector<std::string>& out) {
  std::map<std::string_view, const FileConstant*> places;
  for (const FileConstant& constant : then.constants) places[constant.name] = &constant;
  for (const FileConstant& constant : now.constants) {
    const auto found = places.find(constant.name);
    if (found == places.end()) {
      out.push_back(fmt::format("constant `{}` is new", constant.name));
      continue;
    }
    const FileConstant& old = *found->second;
    if (old.type != constant.type) {
      out.push_back(fmt::format("constant `{}`: expected {}, found {}", constant.name, old.type,
                                constant.type));
    } else if (old.offset != constant.offset) {
      out.push_back(fmt::format("constant `{}`: expected at byte {}, found at byte {}",
                                constant.name, old.offset, constant.offset));
    }
    places.erase(found);
  }
  for (const FileConstant& constant : then.constants) {
    if (places.contains(constant.name))
      out.push_back(fmt::format("constant `{}` is missing", constant.name));
  }
}

void AddCodeObstacles(const UpdateManifest& then, const UpdateManifest& now,
                      std::vector<std::string>& out) {
  for (const auto& [name, hash] : now.functions) {
    if (HashOf(then, name) == hash) continue;
    out.push_back(name.empty() ? "the interface or the memory plan differs"
                               : fmt::format("the code of `{}` differs", name));
  }
  for (const auto& [name, hash] : then.functions) {
    if (HashOf(now, name) == 0) out.push_back(fmt::format("the function `{}` is missing", name));
  }
}

}  // namespace

std::string UpdateManifestJson(const UpdateManifest& manifest) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject(JsonLayout::kLines);
  json.Member("tenon_update", kVersion);
  json.Member("prefix", manifest.prefix);
  json.Member("identity", Hex(manifest.identity));
  json.Member("code", Hex(manifest.code));
  json.Member("words", manifest.words);
  if (!manifest.files.empty()) {
    json.Key("files");
    json.List(manifest.files, JsonLayout::kLines, [&](const UpdateFile& file) {
      json.BeginObject(JsonLayout::kInline);
      json.Member("option", file.option);
      json.Member("path", file.path);
      json.Member("text", file.text);
      json.EndObject();
    });
  }
  json.Key("scales");
  json.List(manifest.scales, JsonLayout::kLines, [&](const InterfaceScale& scale) {
    json.BeginObject(JsonLayout::kInline);
    json.Member("name", scale.name);
    json.Member("scale", double{scale.scale});
    json.Member("zero_point", scale.zero_point);
    json.EndObject();
  });
  json.Key("facts");
  json.List(manifest.facts, JsonLayout::kLines, [&](const WeightFact& fact) {
    json.BeginObject(JsonLayout::kInline);
    json.Member("where", fact.where);
    json.Member("what", fact.what);
    json.Member("value", fact.value);
    json.EndObject();
  });
  json.Key("constants");
  json.List(manifest.constants, JsonLayout::kLines, [&](const FileConstant& constant) {
    json.BeginObject(JsonLayout::kInline);
    json.Member("name", constant.name);
    json.Member("type", constant.type);
    json.Member("offset", constant.offset);
    json.EndObject();
  });
  json.Key("functions");
  json.List(manifest.functions, JsonLayout::kLines, [&](const auto& function) {
    json.BeginObject(JsonLayout::kInline);
    json.Member("name", function.first);
    json.Member("hash", Hex(function.second));
    json.EndObject();
  });
  json.EndObject();
  return out + "\n";
}

absl::StatusOr<UpdateManifest> ReadUpdateManifest(std::string_view text) {
  TENON_ASSIGN_OR(const JsonValue root, ParseJson(text));
  if (root.Find("tenon_update") == nullptr)
    return absl::InvalidArgumentError("expected a file `..._update.json` of --replaceable-weights");
  MemberReader all(root);
  if (const int64_t version = all.Integer("tenon_update"); version != kVersion) {
    return absl::InvalidArgumentError(
        fmt::format("expected version {} of this file, found {}", kVersion, version));
  }
  UpdateManifest manifest;
  manifest.prefix = all.Text("prefix");
  manifest.identity = all.Hash("identity");
  manifest.code = all.Hash("code");
  all.Each("words", [&](MemberReader& reader, const JsonValue& element) {
    if (element.as_string() == nullptr) return reader.Keep(WrongAt(element, "a string"));
    manifest.words.push_back(*element.as_string());
  });
  if (root.Find("files") != nullptr) {
    all.Each("files", [&](MemberReader& reader, const JsonValue&) {
      manifest.files.push_back({reader.Text("option"), reader.Text("path"), reader.Text("text")});
    });
  }
  all.Each("scales", [&](MemberReader& reader, const JsonValue&) {
    manifest.scales.push_back({reader.Text("name"), static_cast<float>(reader.Number("scale")),
                               reader.Integer("zero_point")});
  });
  all.Each("facts", [&](MemberReader& reader, const JsonValue&) {
    manifest.facts.push_back({reader.Text("where"), reader.Text("what"), reader.Integer("value")});
  });
  all.Each("constants", [&](MemberReader& reader, const JsonValue&) {
    manifest.constants.push_back(
        {reader.Text("name"), reader.Text("type"), reader.Integer("offset")});
  });
  all.Each("functions", [&](MemberReader& reader, const JsonValue&) {
    std::string name = reader.Text("name");
    manifest.functions.emplace_back(std::move(name), reader.Hash("hash"));
  });
  if (!all.status().ok()) return all.status();
  return manifest;
}

std::vector<std::string> UpdateObstacles(const UpdateManifest& then, const UpdateManifest& now) {
  std::vector<std::string> obstacles;
  if (then.prefix != now.prefix)
    obstacles.push_back(fmt::format("expected the model `{}`, found `{}`", ShownText(then.prefix),
                                    ShownText(now.prefix)));
  AddConstantObstacles(then, now, obstacles);
  AddCodeObstacles(then, now, obstacles);
  for (std::string& obstacle : obstacles) obstacle = EscapeControlsOfLines(obstacle);
  // The identity has everything, so the lists above cannot be all if it differs.
  if (obstacles.empty() && then.identity != now.identity)
    obstacles.emplace_back("the code was made by another version or with other options");
  return obstacles;
}

}  // namespace tenon
