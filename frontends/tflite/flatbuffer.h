#ifndef TENON_FRONTENDS_TFLITE_FLATBUFFER_H_
#define TENON_FRONTENDS_TFLITE_FLATBUFFER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

// Flatbuffers, read by field number: https://flatbuffers.dev/internals. Every access is checked
// against the bounds of the file. The first fault is kept with its table and field. From then on
// every read gives the default, so callers need to ask for the status only once.

namespace tenon::tflite {

class FlatTable;

/// The bytes of a flatbuffer, and their first fault.
class FlatFile {
 public:
  /// `bytes` outlive this object.
  explicit FlatFile(std::string_view bytes);

  /// The root table. `name` begins the places of all messages.
  FlatTable Root(std::string_view name);

  std::string_view bytes() const { return bytes_; }
  /// The first fault: `place: message`.
  const absl::Status& status() const { return status_; }
  void Fail(std::string_view place, std::string_view message);
  /// True if `size` bytes at `position` are in the file; otherwise records a fault.
  bool Holds(uint64_t position, uint64_t size, std::string_view place);
  /// Counts the elements that were read. Tables may share bytes, so a small file could describe an
  /// endless model. Too many reads for the size of the file are a fault.
  bool Charge(uint64_t elements, std::string_view place);

  /// The little-endian integer at a position that Holds().
  template <class T>
  T At(uint64_t position) const;

 private:
  std::string_view bytes_;
  uint64_t budget_;
  absl::Status status_;
};

/// A vector of tables.
class FlatTables;

/// A table. An absent or unreadable table has only defaults.
class FlatTable {
 public:
  FlatTable() = default;

  bool exists() const { return file_ != nullptr; }
  /// The place of the table: `Model.subgraphs[0].operators[3]`.
  const std::string& place() const { return place_; }
  std::string PlaceOf(std::string_view field) const;
  FlatFile* file() const { return file_; }

  /// The field `number`, called `name` in messages; `otherwise` if the table lacks it. T
  /// is an integer type of 1 to 8 bytes, bool, or float.
  template <class T>
  T Scalar(int number, std::string_view name, T otherwise) const;
  /// A vector of scalars.
  template <class T>
  std::vector<T> Scalars(int number, std::string_view name) const;
  /// The bytes of a string or of a vector of bytes.
  std::string_view Bytes(int number, std::string_view name) const;
  FlatTable Table(int number, std::string_view name) const;
  FlatTables Tables(int number, std::string_view name) const;
  bool Has(int number) const;

 private:
  friend class FlatFile;
  friend class FlatTables;

  /// The table at `position`, checked.
  static FlatTable At(FlatFile* file, uint64_t position, std::string place);
  /// The position of a field of `size` bytes; 0 if the table lacks it.
  uint64_t Position(int number, uint64_t size, std::string_view name) const;
  /// The position that the offset in a field points to; 0 if the table lacks the field.
  uint64_t Target(int number, std::string_view name) const;
  /// The position of the first element of a vector, and their number.
  struct Vector {
    uint64_t position = 0;
    uint64_t count = 0;
  };
  Vector VectorOf(int number, uint64_t element_bytes, std::string_view name) const;

  FlatFile* file_ = nullptr;
  uint64_t position_ = 0;
  uint64_t table_bytes_ = 0;
  uint64_t vtable_ = 0;
  uint64_t vtable_bytes_ = 0;
  std::string place_;
};

class FlatTables {
 public:
  size_t size() const { return static_cast<size_t>(vector_.count); }
  FlatTable operator[](size_t index) const;

 private:
  friend class FlatTable;
  FlatFile* file_ = nullptr;
  FlatTable::Vector vector_;
  std::string place_;
};

}  // namespace tenon::tflite

#endif  // TENON_FRONTENDS_TFLITE_FLATBUFFER_H_
