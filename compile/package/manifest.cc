#include "compile/package/manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "byoc/generator_version.h"
#include "support/checked.h"
#include "support/json_checks.h"
#include "support/json_writer.h"
#include "support/shown_text.h"

namespace tenon {

namespace {

constexpr size_t kMostNameBytes = 200;

/// A name that is safe as a file's in any folder.
bool IsFileName(std::string_view name) {
  if (name.empty() || name.size() > kMostNameBytes || name[0] == '.') return false;
  if (name == kManifestName || name == kManifestHashName) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '+' || c == '-';
  });
}

bool IsIdentifier(std::string_view name) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), is_word);
}

class ManifestReader {
 public:
  ManifestReader(const SourceFile& text, Diagnostics& diagnostics)
      : text_(text), checks_(text, diagnostics) {}

  std::optional<Manifest> Read() {
    const std::optional<JsonValue> root =
        checks_.Parse({.max_bytes = kMostManifestBytes, .max_values = 1'000'000, .max_depth = 8});
    if (!root || !ReadMembers(*root) || !IsWritten()) return std::nullopt;
    return std::move(manifest_);
  }

 private:
  bool Fail(const JsonValue& value, std::string message) const {
    checks_.Error(DiagnosticKind::kPackage, value.offset(), std::move(message));
    return false;
  }

  /// The member `key` of an object. Reports an error and returns null if it is missing.
  const JsonValue* Member(const JsonValue& object, std::string_view key) const {
    const JsonValue* member = object.Find(key);
    if (member == nullptr)
      Fail(object, fmt::format("expected an object with the member `{}`", key));
    return member;
  }
  const JsonValue::Array* List(const JsonValue& object, std::string_view key) const {
    const JsonValue* member = Member(object, key);
    return member == nullptr ? nullptr : checks_.List(fmt::format("`{}`", key), *member);
  }
  bool Text(const JsonValue& object, std::string_view key, std::string& to) const {
    const JsonValue* member = Member(object, key);
    const std::string* text =
        member == nullptr ? nullptr : checks_.Text(fmt::format("`{}`", key), *member);
    if (text != nullptr) to = *text;
    return text != nullptr;
  }
  bool Integer(const JsonValue& object, std::string_view key, int64_t& to) const {
    const JsonValue* member = Member(object, key);
    if (member == nullptr) return false;
    const std::optional<int64_t> number =
        checks_.Integer(fmt::format("`{}`", key), *member, 0, kSizeLimit);
    to = number.value_or(0);
    return number.has_value();
  }
  bool Texts(const JsonValue& object, std::string_view key, std::vector<std::string>& to) const {
    const JsonValue::Array* list = List(object, key);
    if (list == nullptr) return false;
    for (const JsonValue& item : *list) {
      const std::string* text = checks_.Text(fmt::format("an element of `{}`", key), item);
      if (text == nullptr) return false;
      to.push_back(*text);
    }
    return true;
  }
  bool Hash(const JsonValue& object, Hash128& to) const {
    std::string text;
    if (!Text(object, "hash", text)) return false;
    const absl::StatusOr<Hash128> hash = ParseHash(text);
    if (!hash.ok()) return Fail(*object.Find("hash"), std::string(hash.status().message()));
    to = *hash;
    return true;
  }

  bool ReadMembers(const JsonValue& root) {
    Package& package = manifest_.package;
    int64_t version = 0;
    if (!Integer(root, "tenon_package", version)) return false;
    if (version != kPackageVersion) {
      return Fail(
          *root.Find("tenon_package"),
          fmt::format("expected version {} of packages, found {}", kPackageVersion, version));
    }
    if (!Text(root, "tenon", package.tenon) || !Text(root, "prefix", package.prefix)) return false;
    if (!IsIdentifier(package.prefix))
      return Fail(*root.Find("prefix"), "expected an identifier of C");
    const JsonValue* processor = Member(root, "processor");
    return processor != nullptr && Text(*processor, "architecture", package.machine.architecture) &&
           Texts(*processor, "features", package.machine.features) &&
           Tensors(root, "inputs", package.inputs) && Tensors(root, "outputs", package.outputs) &&
           Generators(root) && Texts(root, "checks", package.checks) && Libraries(root) &&
           Files(root);
  }

  bool Tensors(const JsonValue& root, std::string_view key, std::vector<PackageTensor>& to) const {
    const JsonValue::Array* list = List(root, key);
    if (list == nullptr) return false;
    for (const JsonValue& item : *list) {
      PackageTensor& tensor = to.emplace_back();
      const JsonValue::Array* shape = nullptr;
      if (!Text(item, "name", tensor.name) || !Text(item, "dtype", tensor.dtype) ||
          (shape = List(item, "shape")) == nullptr || !Integer(item, "bytes", tensor.size_bytes))
        return false;
      for (const JsonValue& extent : *shape) {
        const std::optional<int64_t> number = checks_.Integer("an extent", extent, 0, kSizeLimit);
        if (!number) return false;
        tensor.shape.push_back(*number);
      }
      const JsonValue* scale = item.Find("scale");
      if (scale == nullptr) continue;
      tensor.scale = scale->as_double();
      const JsonValue* zero = Member(item, "zero_point");
      if (!tensor.scale) return Fail(*scale, "expected a number");
      if (zero == nullptr) return false;
      const std::optional<int64_t> number =
          checks_.Integer("`zero_point`", *zero, -kSizeLimit, kSizeLimit);
      if (!number) return false;
      tensor.zero_point = *number;
    }
    return true;
  }

  bool Generators(const JsonValue& root) {
    const JsonValue::Array* list = List(root, "generators");
    if (list == nullptr) return false;
    for (const JsonValue& item : *list) {
      PackageGenerator& generator = manifest_.package.generators.emplace_back();
      std::string name;
      if (!Text(item, "target", generator.target) || !Text(item, "generator", name) ||
          !Texts(item, "functions", generator.functions))
        return false;
      if (name != generator.name()) {
        return Fail(
            *item.Find("generator"),
            fmt::format("the generator of the target `{}` is `{}`, found `{}`",
                        ShownText(generator.target), ShownText(generator.name()), ShownText(name)));
      }
      const JsonValue* version = item.Find("version");
      if (version == nullptr) continue;
      if (!Text(item, "version", generator.version)) return false;
      if (!IsGeneratorVersion(generator.version)) {
        return Fail(*version, fmt::format("expected a version, 1 to 64 letters, digits and `._+-`; "
                                          "found `{}`",
                                          ShownText(generator.version)));
      }
    }
    return true;
  }

  bool Libraries(const JsonValue& root) {
    const JsonValue::Array* list = List(root, "libraries");
    if (list == nullptr) return false;
    for (const JsonValue& item : *list) {
      PackageLibrary& library = manifest_.package.libraries.emplace_back();
      if (!Text(item, "name", library.name) || !Text(item, "file", library.file) ||
          !Hash(item, library.hash))
        return false;
    }
    return true;
  }

  bool Files(const JsonValue& root) {
    const JsonValue::Array* list = List(root, "files");
    if (list == nullptr) return false;
    std::set<std::string_view> names;
    std::set<PackageRole> roles;
    manifest_.package.files.reserve(list->size());
    for (const JsonValue& item : *list) {
      PackageFile& file = manifest_.package.files.emplace_back();
      std::string role;
      int64_t size = 0;
      if (!Text(item, "name", file.name)) return false;
      const JsonValue& name = *item.Find("name");
      if (!IsFileName(file.name)) {
        return Fail(name, fmt::format("expected a name of letters, digits and `._+-`, at most {} "
                                      "of them, that does not begin with a dot; found `{}`",
                                      kMostNameBytes, ShownText(file.name)));
      }
      if (!names.insert(file.name).second)
        return Fail(name, fmt::format("two files have the name `{}`", file.name));
      if (!Text(item, "role", role)) return false;
      const auto known = std::find(kPackageRoles.begin(), kPackageRoles.end(), role);
      if (known == kPackageRoles.end()) {
        return Fail(*item.Find("role"),
                    fmt::format("unknown role `{}`, expected one of {}", ShownText(role),
                                fmt::join(kPackageRoles, ", ")));
      }
      file.role = static_cast<PackageRole>(known - kPackageRoles.begin());
      if (!roles.insert(file.role).second && file.role != PackageRole::kExternal)
        return Fail(*item.Find("role"), fmt::format("two files have the role `{}`", role));
      if (!Integer(item, "bytes", size) || !Hash(item, file.hash)) return false;
      manifest_.files.push_back(
          {static_cast<uint64_t>(size), checks_.RangeAt(item.Find("bytes")->offset())});
    }
    for (const PackageRole role : {PackageRole::kModule, PackageRole::kCode}) {
      if (roles.contains(role)) continue;
      return Fail(*root.Find("files"), fmt::format("expected a file with the role `{}`",
                                                   kPackageRoles[static_cast<size_t>(role)]));
    }
    return true;
  }

  /// One package has one manifest: members in another order, blanks and other members are errors.
  bool IsWritten() const {
    const std::string written = ManifestOf(manifest_.package, manifest_.files);
    const std::string_view text = text_.text();
    if (text == written) return true;
    const auto differ = std::mismatch(text.begin(), text.end(), written.begin(), written.end());
    const auto at = static_cast<size_t>(differ.first - text.begin());
    checks_.Error(DiagnosticKind::kPackage, at,
                  fmt::format("expected the manifest as Tenon writes it: `{}`",
                              ShownText(std::string_view(written).substr(at, 40))));
    return false;
  }

  const SourceFile& text_;
  JsonChecks checks_;
  Manifest manifest_;
};

void WriteTensors(JsonWriter& json, std::string_view key,
                  const std::vector<PackageTensor>& tensors) {
  json.Key(key);
  json.List(tensors, JsonLayout::kLines, [&](const PackageTensor& tensor) {
    json.BeginObject(JsonLayout::kInline);
    json.Member("name", tensor.name);
    json.Member("dtype", tensor.dtype);
    json.Member("shape", tensor.shape);
    json.Member("bytes", tensor.size_bytes);
    if (tensor.scale) {
      json.Member("scale", *tensor.scale);
      json.Member("zero_point", tensor.zero_point);
    }
    json.EndObject();
  });
}

/// The members before the files.
void WriteFacts(JsonWriter& json, const Package& package) {
  json.Member("tenon_package", kPackageVersion);
  json.Member("tenon", package.tenon);
  json.Member("prefix", package.prefix);
  json.Key("processor");
  json.BeginObject(JsonLayout::kInline);
  json.Member("architecture", package.machine.architecture);
  json.Member("features", package.machine.features);
  json.EndObject();
  WriteTensors(json, "inputs", package.inputs);
  WriteTensors(json, "outputs", package.outputs);
  json.Key("generators");
  json.List(package.generators, JsonLayout::kLines, [&](const PackageGenerator& generator) {
    json.BeginObject(JsonLayout::kInline);
    json.Member("target", generator.target);
    json.Member("generator", generator.name());
    if (!generator.version.empty()) json.Member("version", generator.version);
    json.Member("functions", generator.functions);
    json.EndObject();
  });
  json.Member("checks", package.checks);
  json.Key("libraries");
  json.List(package.libraries, JsonLayout::kLines, [&](const PackageLibrary& library) {
    json.BeginObject(JsonLayout::kInline);
    json.Member("name", library.name);
    json.Member("file", library.file);
    json.Member("hash", HashToString(library.hash));
    json.EndObject();
  });
}

}  // namespace

std::optional<Manifest> ReadManifest(const SourceFile& text, Diagnostics& diagnostics) {
  return ManifestReader(text, diagnostics).Read();
}

std::string ManifestOf(const Package& package, const std::vector<Manifest::File>& files) {
  std::string text;
  JsonWriter json(text);
  json.BeginObject(JsonLayout::kLines);
  WriteFacts(json, package);
  json.Key("files");
  size_t next = 0;
  json.List(package.files, JsonLayout::kLines, [&](const PackageFile& file) {
    json.BeginObject(JsonLayout::kInline);
    json.Member("name", file.name);
    json.Member("role", kPackageRoles[static_cast<size_t>(file.role)]);
    json.Member("bytes", files[next++].size_bytes);
    json.Member("hash", HashToString(file.hash));
    json.EndObject();
  });
  json.EndObject();
  return text + "\n";
}

std::string ManifestOf(const Package& package) {
  std::vector<Manifest::File> files;
  for (const PackageFile& file : package.files) files.push_back({file.bytes->size(), {}});
  return ManifestOf(package, files);
}

}  // namespace tenon
