#ifndef TENON_FRONTENDS_ONNX_WIRE_H_
#define TENON_FRONTENDS_ONNX_WIRE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

// Protocol buffers, read by field number: https://protobuf.dev/programming-guides/encoding. Every
// access is checked against the bounds of its message. The first fault is kept with its place. From
// then on every message ends, so callers need to ask for the status only once.

namespace tenon::onnx {

/// The place of a message or a field in the file, as a chain of names. Its text is made only for
/// errors. A place outlives the places that it is the parent of.
struct WirePlace {
  const WirePlace* parent = nullptr;
  std::string_view name;
  /// The number of an element of a repeated field; -1 for others.
  int64_t index = -1;

  /// `Model.graph.node[3]`.
  std::string Text() const;
};

/// The bytes of a file, and their first fault.
class WireFile {
 public:
  /// `bytes` outlive this object.
  explicit WireFile(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes() const { return bytes_; }
  /// The first fault: `place: message`.
  const absl::Status& status() const { return status_; }
  bool ok() const { return status_.ok(); }
  void Fail(std::string_view place, std::string_view message);
  /// Counts messages and elements that take more memory than bytes of the file. Too many are a
  /// fault.
  bool Charge(uint64_t elements, const WirePlace& place);
  /// The offset of a part of bytes().
  uint64_t OffsetOf(std::string_view part) const {
    return static_cast<uint64_t>(part.data() - bytes_.data());
  }

 private:
  std::string_view bytes_;
  uint64_t charged_ = 0;
  absl::Status status_;
};

/// How the value of a field is stored.
enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// One field of a message.
struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t scalar = 0;     ///< of every type except kBytes
  std::string_view bytes;  ///< of kBytes
};

/// Reads the fields of a message in the order of the file.
class WireMessage {
 public:
  /// `place` outlives this object.
  WireMessage(WireFile& file, std::string_view bytes, const WirePlace& place);

  /// Reads the next field; false at the end, and after a fault anywhere in the file.
  bool Next(WireField& field);

  WireFile& file() const { return file_; }
  const WirePlace& place() const { return place_; }
  void Fail(std::string_view field, std::string_view message) const;

  // The value of a field, called `name` in messages. A field of another wire type is a fault.
  int64_t Int(const WireField& field, std::string_view name) const;
  float Float(const WireField& field, std::string_view name) const;
  /// Strings and messages.
  std::string_view Bytes(const WireField& field, std::string_view name) const;

  // Elements of a repeated field, packed or not. They are appended to `to`.
  void Ints(const WireField& field, std::string_view name, std::vector<int64_t>& to) const;
  void Floats(const WireField& field, std::string_view name, std::vector<float>& to) const;
  /// The elements of integers as the low `element_bytes` bytes of each, little endian.
  void IntBytes(const WireField& field, std::string_view name, int element_bytes,
                std::string& to) const;
  /// The bytes of a repeated field of elements of 4 or 8 bytes.
  std::string_view FixedBytes(const WireField& field, std::string_view name,
                              uint64_t element_bytes) const;

 private:
  bool CheckType(const WireField& field, WireType type, std::string_view name) const;
  /// Reads the varint at the front of `rest` and removes it. False if `rest` does not begin with a
  /// whole varint.
  static bool TakeVarint(std::string_view& rest, uint64_t& value);
  /// Calls `take` for each element of a repeated field of varints.
  template <class Take>
  void EachVarint(const WireField& field, std::string_view name, const Take& take) const;

  WireFile& file_;
  std::string_view bytes_;
  std::string_view rest_;
  const WirePlace& place_;
};

}  // namespace tenon::onnx

#endif  // TENON_FRONTENDS_ONNX_WIRE_H_
