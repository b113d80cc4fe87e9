#include <algorithm>
#include <numeric>
#include <optional>

#include "fmt/format.h"
#include "support/checked.h"
#include "support/file.h"
#include "support/file_kind.h"
#include "support/json_reader.h"
#include "support/little_endian.h"
#include "support/safetensors.h"
#include "support/safetensors_types.h"
#include "support/status_macros.h"

namespace tenon {
namespace {

/// Checks a header. Messages contain the position in the file.
class HeaderChecker {
 public:
  explicit HeaderChecker(const FileBytes& file) : file_(file) {}

  absl::Status Check();
  std::vector<SafetensorsEntry> TakeEntries() { return std::move(entries_); }
  SafetensorsMetadata TakeMetadata() { return std::move(metadata_); }

 private:
  absl::StatusOr<std::string_view> Header();
  absl::Status AddMetadata(const JsonValue& value);
  absl::Status AddTensor(const std::string& name, const JsonValue& value);
  absl::StatusOr<std::vector<int64_t>> Integers(const std::string& name, const JsonValue& tensor,
                                                std::string_view key);
  absl::Status CheckLayout();

  absl::Status Error(std::string_view what) const {
    return absl::InvalidArgumentError(fmt::format("`{}`: {}", file_.path(), what));
  }
  absl::Status TensorError(std::string_view name, std::string_view what) const {
    return Error(fmt::format("tensor `{}` {}", name, what));
  }

  const FileBytes& file_;
  int64_t data_start_ = 0;
  int64_t data_size_ = 0;
  std::vector<SafetensorsEntry> entries_;
  SafetensorsMetadata metadata_;
};

absl::StatusOr<std::string_view> HeaderChecker::Header() {
  const std::string_view bytes = file_.view();
  if (bytes.size() < kSafetensorsLengthBytes) {
    return Error(fmt::format("{} bytes are too few for a safetensors file", bytes.size()));
  }
  const auto length = LoadLittleEndian<uint64_t>(bytes);
  if (length > kSafetensorsHeaderLimit) {
    return Error(fmt::format("safetensors header of {} bytes is longer than the limit of {}",
                             length, kSafetensorsHeaderLimit));
  }
  const uint64_t left = bytes.size() - kSafetensorsLengthBytes;
  if (length > left) {
    return Error(
        fmt::format("safetensors header of {} bytes in a file with {} left", length, left));
  }
  data_start_ = static_cast<int64_t>(kSafetensorsLengthBytes + length);
  data_size_ = static_cast<int64_t>(left - length);
  const std::string_view header = bytes.substr(kSafetensorsLengthBytes, length);
  if (header.empty() || header[0] != '{') {
    return Error("safetensors header does not start with `{`");
  }
  return header;
}

absl::Status HeaderChecker::Check() {
  TENON_ASSIGN_OR(const std::string_view header, Header());
  JsonError error;
  // Enough for half a million tensors. Without a limit, a header of many small values would take 25
  // times its size.
  const JsonLimits limits = {
      .max_bytes = kSafetensorsHeaderLimit, .max_values = 4'000'000, .max_depth = 8};
  absl::StatusOr<JsonValue> json = ParseJson(header, limits, &error);
  if (!json.ok()) {
    return Error(fmt::format("safetensors header, byte {} of the file: {}",
                             error.offset + kSafetensorsLengthBytes, error.message));
  }
  const JsonValue::Object* members = json->as_object();
  if (members == nullptr) return Error("safetensors header is not a JSON object");
  for (const JsonMember& member : *members) {
    if (member.key == kSafetensorsMetadataKey) {
      TENON_TRY(AddMetadata(member.value));
    } else {
      TENON_TRY(AddTensor(member.key, member.value));
    }
  }
  return CheckLayout();
}

absl::Status HeaderChecker::AddMetadata(const JsonValue& value) {
  const JsonValue::Object* members = value.as_object();
  if (members == nullptr) {
    return Error(
        fmt::format("`__metadata__` is {}, expected an object of strings", value.kind_name()));
  }
  for (const JsonMember& member : *members) {
    const std::string* text = member.value.as_string();
    if (text == nullptr) {
      return Error(fmt::format("`__metadata__` has {} for `{}`, expected a string",
                               member.value.kind_name(), member.key));
    }
    metadata_.emplace_back(member.key, *text);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int64_t>> HeaderChecker::Integers(const std::string& name,
                                                             const JsonValue& tensor,
                                                             std::string_view key) {
  const JsonValue* value = tensor.Find(key);
  if (value == nullptr) return TensorError(name, fmt::format("has no `{}`", key));
  const JsonValue::Array* array = value->as_array();
  if (array == nullptr) {
    return TensorError(name, fmt::format("has {} as `{}`, expected an array of integers",
                                         value->kind_name(), key));
  }
  std::vector<int64_t> result;
  result.reserve(array->size());
  for (const JsonValue& element : *array) {
    const std::optional<int64_t> integer = element.as_int64();
    if (!integer || *integer < 0 || *integer >= kSizeLimit) {
      return TensorError(
          name, fmt::format("has a `{}` whose element {} is not an integer from 0 to below 2^62",
                            key, result.size()));
    }
    result.push_back(*integer);
  }
  return result;
}

absl::Status HeaderChecker::AddTensor(const std::string& name, const JsonValue& value) {
  if (value.as_object() == nullptr) {
    return TensorError(name, fmt::format("is {}, expected an object", value.kind_name()));
  }
  const JsonValue* dtype = value.Find("dtype");
  if (dtype == nullptr) return TensorError(name, "has no `dtype`");
  if (dtype->as_string() == nullptr) {
    return TensorError(name,
                       fmt::format("has {} as `dtype`, expected a string", dtype->kind_name()));
  }
  const auto type =
      std::find_if(std::begin(kSafetensorsTypes), std::end(kSafetensorsTypes),
                   [&](const SafetensorsType& entry) { return entry.code == *dtype->as_string(); });
  if (type == std::end(kSafetensorsTypes)) {
    return TensorError(name, fmt::format("has the unknown dtype `{}`", *dtype->as_string()));
  }
  TENON_ASSIGN_OR(std::vector<int64_t> shape, Integers(name, value, "shape"));
  TENON_ASSIGN_OR(const std::vector<int64_t> offsets, Integers(name, value, "data_offsets"));
  if (offsets.size() != 2) {
    return TensorError(name, fmt::format("has {} `data_offsets`, expected 2", offsets.size()));
  }
  const int64_t begin = offsets[0];
  const int64_t end = offsets[1];
  if (begin > end) {
    return TensorError(name, fmt::format("begins at {}, after its end at {}", begin, end));
  }
  if (end > data_size_) {
    return TensorError(
        name, fmt::format("ends at {}, out of range of {} bytes of data", end, data_size_));
  }
  const std::optional<int64_t> expected = BytesOf(shape, type->bytes);
  if (!expected) {
    return TensorError(name, fmt::format("has the impossible shape [{}]", fmt::join(shape, ", ")));
  }
  if (end - begin != *expected) {
    return TensorError(name, fmt::format("has {} bytes, but {} [{}] takes {}", end - begin,
                                         type->dtype, fmt::join(shape, ", "), *expected));
  }
  entries_.push_back({.name = name,
                      .dtype = std::string(type->dtype),
                      .shape = std::move(shape),
                      .offset = data_start_ + begin,
                      .size = *expected});
  return absl::OkStatus();
}

absl::Status HeaderChecker::CheckLayout() {
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
                     return a.offset != b.offset ? a.offset < b.offset : a.size < b.size;
                   });
  int64_t end = data_start_;
  const SafetensorsEntry* previous = nullptr;
  for (const SafetensorsEntry& entry : entries_) {
    if (entry.offset < end) {
      return TensorError(entry.name, fmt::format("overlaps tensor `{}` by {} bytes", previous->name,
                                                 std::min(end - entry.offset, entry.size)));
    }
    if (entry.offset > end) {
      return TensorError(entry.name, fmt::format("follows a hole of {} bytes", entry.offset - end));
    }
    end = entry.offset + entry.size;
    previous = &entry;
  }
  const int64_t behind = data_start_ + data_size_ - end;
  if (behind != 0) return Error(fmt::format("{} bytes after the last tensor", behind));
  return absl::OkStatus();
}

template <typename Less>
std::vector<uint32_t> Order(size_t count, const Less& less) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), uint32_t{0});
  std::sort(order.begin(), order.end(), less);
  return order;
}

}  // namespace

const SafetensorsEntry* SafetensorsFile::Find(std::string_view name) const {
  const auto at = std::lower_bound(
      by_name_.begin(), by_name_.end(), name,
      [this](uint32_t index, std::string_view wanted) { return entries_[index].name < wanted; });
  return at != by_name_.end() && entries_[*at].name == name ? &entries_[*at] : nullptr;
}

const std::string* SafetensorsFile::FindMetadata(std::string_view key) const {
  const auto at = std::lower_bound(
      metadata_by_key_.begin(), metadata_by_key_.end(), key,
      [this](uint32_t index, std::string_view wanted) { return metadata_[index].first < wanted; });
  if (at == metadata_by_key_.end() || metadata_[*at].first != key) return nullptr;
  return &metadata_[*at].second;
}

std::string_view SafetensorsFile::BytesOf(const SafetensorsEntry& entry) const {
  return file_->view().substr(static_cast<size_t>(entry.offset), static_cast<size_t>(entry.size));
}

absl::StatusOr<SafetensorsFile> ParseSafetensors(std::shared_ptr<const FileBytes> file) {
  if (std::string message = ArrayFileMessage(file->path(), file->view(), ArrayFile::kSafetensors);
      !message.empty())
    return absl::InvalidArgumentError(message);
  HeaderChecker checker(*file);
  TENON_TRY(checker.Check());
  SafetensorsFile result;
  result.file_ = std::move(file);
  result.entries_ = checker.TakeEntries();
  result.metadata_ = checker.TakeMetadata();
  result.by_name_ = Order(result.entries_.size(), [&result](uint32_t a, uint32_t b) {
    return result.entries_[a].name < result.entries_[b].name;
  });
  result.metadata_by_key_ = Order(result.metadata_.size(), [&result](uint32_t a, uint32_t b) {
    return result.metadata_[a].first < result.metadata_[b].first;
  });
  return result;
}

absl::StatusOr<SafetensorsFile> ReadSafetensors(std::string_view path) {
  TENON_ASSIGN_OR(std::shared_ptr<const FileBytes> file, ReadFile(path, {.regular_only = true}));
  return ParseSafetensors(std::move(file));
}

}  // namespace tenon
