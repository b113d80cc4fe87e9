#include "frontends/tflite/flatbuffer.h"

#include <fmt/format.h>

#include <bit>
#include <type_traits>
#include <utility>

#include "support/little_endian.h"

namespace tenon::tflite {

namespace {

/// An offset in a table, a vector or a string.
using Offset = uint32_t;

/// Reads the elements of a file at most this many times.
constexpr uint64_t kMostReads = 16;
/// Elements that any file may have, however small it is.
constexpr uint64_t kFreeElements = 1 << 16;

}  // namespace

FlatFile::FlatFile(std::string_view bytes)
    : bytes_(bytes), budget_(kMostReads * bytes.size() + kFreeElements) {}

void FlatFile::Fail(std::string_view place, std::string_view message) {
  if (status_.ok()) status_ = absl::InvalidArgumentError(fmt::format("{}: {}", place, message));
}

bool FlatFile::Holds(uint64_t position, uint64_t size, std::string_view place) {
  if (position <= bytes_.size() && size <= bytes_.size() - position) return true;
  Fail(place, fmt::format("expected {} bytes at {}, found the end of the file at {}", size,
                          position, bytes_.size()));
  return false;
}

bool FlatFile::Charge(uint64_t elements, std::string_view place) {
  if (elements <= budget_) {
    budget_ -= elements;
    return true;
  }
  budget_ = 0;
  Fail(place,
       fmt::format("the tables of the file share their bytes more than {} times", kMostReads));
  return false;
}

template <class T>
T FlatFile::At(uint64_t position) const {
  const std::string_view rest = bytes_.substr(static_cast<size_t>(position));
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(LoadLittleEndian<uint32_t>(rest));
  } else if constexpr (std::is_same_v<T, bool>) {
    return rest[0] != 0;
  } else {
    return LoadLittleEndian<T>(rest);
  }
}

FlatTable FlatFile::Root(std::string_view name) {
  if (!Holds(0, sizeof(Offset), name)) return {};
  return FlatTable::At(this, At<Offset>(0), std::string(name));
}

FlatTable FlatTable::At(FlatFile* file, uint64_t position, std::string place) {
  if (!file->status().ok() || !file->Charge(1, place)) return {};
  if (!file->Holds(position, sizeof(int32_t), place)) return {};
  const int64_t vtable = static_cast<int64_t>(position) - file->At<int32_t>(position);
  if (vtable < 0 || !file->Holds(static_cast<uint64_t>(vtable), 4, place)) {
    file->Fail(place, fmt::format("its table of fields is at {}, outside of the file", vtable));
    return {};
  }
  FlatTable table;
  table.position_ = position;
  table.vtable_ = static_cast<uint64_t>(vtable);
  table.vtable_bytes_ = file->At<uint16_t>(table.vtable_);
  table.table_bytes_ = file->At<uint16_t>(table.vtable_ + 2);
  if (table.vtable_bytes_ < 4 || table.table_bytes_ < 4) {
    file->Fail(place, fmt::format("expected a table of at least 4 bytes, found one of {} with {} "
                                  "bytes of fields",
                                  table.table_bytes_, table.vtable_bytes_));
    return {};
  }
  if (!file->Holds(table.vtable_, table.vtable_bytes_, place) ||
      !file->Holds(position, table.table_bytes_, place))
    return {};
  table.file_ = file;
  table.place_ = std::move(place);
  return table;
}

std::string FlatTable::PlaceOf(std::string_view field) const {
  return fmt::format("{}.{}", place_, field);
}

bool FlatTable::Has(int number) const {
  if (file_ == nullptr) return false;
  const uint64_t entry = 4 + 2 * static_cast<uint64_t>(number);
  return entry + 2 <= vtable_bytes_ && file_->At<uint16_t>(vtable_ + entry) != 0;
}

uint64_t FlatTable::Position(int number, uint64_t size, std::string_view name) const {
  if (!Has(number)) return 0;
  const uint64_t offset = file_->At<uint16_t>(vtable_ + 4 + 2 * static_cast<uint64_t>(number));
  if (offset >= 4 && offset + size <= table_bytes_) return position_ + offset;
  file_->Fail(PlaceOf(name), fmt::format("expected {} bytes within the table's {}, found them at "
                                         "byte {}",
                                         size, table_bytes_, offset));
  return 0;
}

template <class T>
T FlatTable::Scalar(int number, std::string_view name, T otherwise) const {
  const uint64_t at = Position(number, sizeof(T), name);
  return at == 0 ? otherwise : file_->At<T>(at);
}

uint64_t FlatTable::Target(int number, std::string_view name) const {
  const uint64_t at = Position(number, sizeof(Offset), name);
  return at == 0 ? 0 : at + file_->At<Offset>(at);
}

FlatTable::Vector FlatTable::VectorOf(int number, uint64_t element_bytes,
                                      std::string_view name) const {
  const uint64_t at = Target(number, name);
  if (at == 0) return {};
  const std::string place = PlaceOf(name);
  if (!file_->Holds(at, sizeof(Offset), place)) return {};
  const uint64_t count = file_->At<Offset>(at);
  if (!file_->Holds(at + sizeof(Offset), count * element_bytes, place)) return {};
  return {at + sizeof(Offset), count};
}

template <class T>
std::vector<T> FlatTable::Scalars(int number, std::string_view name) const {
  const Vector vector = VectorOf(number, sizeof(T), name);
  std::vector<T> result;
  if (vector.count == 0 || !file_->Charge(vector.count, PlaceOf(name))) return result;
  result.reserve(static_cast<size_t>(vector.count));
  for (uint64_t i = 0; i < vector.count; ++i)
    result.push_back(file_->At<T>(vector.position + i * sizeof(T)));
  return result;
}

std::string_view FlatTable::Bytes(int number, std::string_view name) const {
  const Vector vector = VectorOf(number, 1, name);
  if (vector.count == 0) return {};
  return file_->bytes().substr(static_cast<size_t>(vector.position),
                               static_cast<size_t>(vector.count));
}

FlatTable FlatTable::Table(int number, std::string_view name) const {
  const uint64_t at = Target(number, name);
  return at == 0 ? FlatTable() : At(file_, at, PlaceOf(name));
}

FlatTables FlatTable::Tables(int number, std::string_view name) const {
  FlatTables tables;
  tables.vector_ = VectorOf(number, sizeof(Offset), name);
  if (tables.vector_.count == 0) return tables;
  tables.file_ = file_;
  tables.place_ = PlaceOf(name);
  return tables;
}

FlatTable FlatTables::operator[](size_t index) const {
  const uint64_t at = vector_.position + index * sizeof(Offset);
  return FlatTable::At(file_, at + file_->At<Offset>(at), fmt::format("{}[{}]", place_, index));
}

#define TENON_FLAT_SCALAR(T)                                       \
  template T FlatTable::Scalar<T>(int, std::string_view, T) const; \
  template std::vector<T> FlatTable::Scalars<T>(int, std::string_view) const;
TENON_FLAT_SCALAR(bool)
TENON_FLAT_SCALAR(int8_t)
TENON_FLAT_SCALAR(uint8_t)
TENON_FLAT_SCALAR(int32_t)
TENON_FLAT_SCALAR(uint32_t)
TENON_FLAT_SCALAR(int64_t)
TENON_FLAT_SCALAR(uint64_t)
TENON_FLAT_SCALAR(float)
#undef TENON_FLAT_SCALAR

}  // namespace tenon::tflite
