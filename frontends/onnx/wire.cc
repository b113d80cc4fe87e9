#include "frontends/onnx/wire.h"

#include <fmt/format.h>

#include <bit>

#include "support/little_endian.h"

namespace tenon::onnx {

namespace {

/// Messages within messages.
constexpr int kMostDepth = 64;
/// Messages and elements of lists in a file; each takes up to a few hundred bytes.
constexpr uint64_t kMostCharged = uint64_t{1} << 22;
/// Bits of a varint in a byte, and the longest varint.
constexpr int kVarintBits = 7;
constexpr size_t kVarintBytes = 10;

std::string_view NameOf(WireType type) {
  switch (type) {
    case WireType::kVarint:
      return "a varint";
    case WireType::kFixed64:
      return "8 bytes";
    case WireType::kBytes:
      return "a length and bytes";
    case WireType::kFixed32:
      return "4 bytes";
  }
  return "";
}

}  // namespace

std::string WirePlace::Text() const {
  const std::string own = index < 0 ? std::string(name) : fmt::format("{}[{}]", name, index);
  return parent == nullptr ? own : fmt::format("{}.{}", parent->Text(), own);
}

void WireFile::Fail(std::string_view place, std::string_view message) {
  if (status_.ok()) status_ = absl::InvalidArgumentError(fmt::format("{}: {}", place, message));
}

bool WireFile::Charge(uint64_t elements, const WirePlace& place) {
  charged_ += elements;
  if (charged_ <= kMostCharged) return true;
  Fail(place.Text(),
       fmt::format("expected at most {} messages and elements of lists in the file, found more",
                   kMostCharged));
  return false;
}

WireMessage::WireMessage(WireFile& file, std::string_view bytes, const WirePlace& place)
    : file_(file), bytes_(bytes), rest_(bytes), place_(place) {
  file.Charge(1, place);
  int depth = 0;
  for (const WirePlace* at = &place; at != nullptr; at = at->parent) ++depth;
  if (depth <= kMostDepth) return;
  file.Fail(place.Text(),
            fmt::format("expected at most {} messages within each other, found more", kMostDepth));
}

void WireMessage::Fail(std::string_view field, std::string_view message) const {
  file_.Fail(WirePlace{&place_, field}.Text(), message);
}

bool WireMessage::TakeVarint(std::string_view& rest, uint64_t& value) {
  value = 0;
  for (size_t i = 0; i < rest.size() && i < kVarintBytes; ++i) {
    const auto byte = static_cast<uint8_t>(rest[i]);
    const int shift = kVarintBits * static_cast<int>(i);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      rest.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

bool WireMessage::Next(WireField& field) {
  if (rest_.empty() || !file_.ok()) return false;
  const uint64_t at = file_.OffsetOf(rest_);
  const auto fail = [&](std::string_view message) {
    file_.Fail(place_.Text(), fmt::format("byte {}: {}", at, message));
    return false;
  };
  uint64_t tag = 0;
  if (!TakeVarint(rest_, tag)) return fail("expected the number of a field, found the end");
  const uint64_t number = tag >> 3;
  if (number == 0 || number >= uint64_t{1} << 29)
    return fail(fmt::format("expected the number of a field, found {}", number));
  field.number = static_cast<uint32_t>(number);
  field.type = static_cast<WireType>(tag & 7);
  field.bytes = {};
  field.scalar = 0;
  const auto take_fixed = [&](size_t size) {
    if (rest_.size() < size) return false;
    field.scalar =
        size == 8 ? LoadLittleEndian<uint64_t>(rest_) : LoadLittleEndian<uint32_t>(rest_);
    rest_.remove_prefix(size);
    return true;
  };
  switch (field.type) {
    case WireType::kVarint:
      return TakeVarint(rest_, field.scalar) || fail("expected a varint, found the end");
    case WireType::kFixed64:
      return take_fixed(8) || fail("expected 8 bytes, found the end");
    case WireType::kFixed32:
      return take_fixed(4) || fail("expected 4 bytes, found the end");
    case WireType::kBytes: {
      uint64_t size = 0;
      if (!TakeVarint(rest_, size)) return fail("expected a length, found the end");
      if (size > rest_.size()) {
        return fail(fmt::format("expected {} bytes for field {}, found the end after {}", size,
                                number, rest_.size()));
      }
      field.bytes = rest_.substr(0, static_cast<size_t>(size));
      rest_.remove_prefix(static_cast<size_t>(size));
      return true;
    }
  }
  return fail(fmt::format("expected a type of the wire format, found {}", tag & 7));
}

bool WireMessage::CheckType(const WireField& field, WireType type, std::string_view name) const {
  if (field.type == type) return true;
  Fail(name, fmt::format("expected {}, found {}", NameOf(type), NameOf(field.type)));
  return false;
}

int64_t WireMessage::Int(const WireField& field, std::string_view name) const {
  return CheckType(field, WireType::kVarint, name) ? static_cast<int64_t>(field.scalar) : 0;
}

float WireMessage::Float(const WireField& field, std::string_view name) const {
  if (!CheckType(field, WireType::kFixed32, name)) return 0;
  return std::bit_cast<float>(static_cast<uint32_t>(field.scalar));
}

std::string_view WireMessage::Bytes(const WireField& field, std::string_view name) const {
  return CheckType(field, WireType::kBytes, name) ? field.bytes : std::string_view();
}

template <class Take>
void WireMessage::EachVarint(const WireField& field, std::string_view name,
                             const Take& take) const {
  if (field.type == WireType::kVarint) return take(field.scalar);
  if (!CheckType(field, WireType::kBytes, name)) return;
  std::string_view rest = field.bytes;
  while (!rest.empty()) {
    uint64_t value = 0;
    if (!TakeVarint(rest, value)) return Fail(name, "expected a varint, found the end");
    take(value);
  }
}

void WireMessage::Ints(const WireField& field, std::string_view name,
                       std::vector<int64_t>& to) const {
  if (!file_.Charge(field.type == WireType::kBytes ? field.bytes.size() : 1, {&place_, name}))
    return;
  EachVarint(field, name, [&](uint64_t value) { to.push_back(static_cast<int64_t>(value)); });
}

void WireMessage::Floats(const WireField& field, std::string_view name,
                         std::vector<float>& to) const {
  if (field.type == WireType::kFixed32) {
    if (file_.Charge(1, {&place_, name})) to.push_back(Float(field, name));
    return;
  }
  std::string_view rest = FixedBytes(field, name, sizeof(float));
  if (!file_.Charge(rest.size() / sizeof(float), {&place_, name})) return;
  for (; !rest.empty(); rest.remove_prefix(sizeof(float)))
    to.push_back(std::bit_cast<float>(LoadLittleEndian<uint32_t>(rest)));
}

void WireMessage::IntBytes(const WireField& field, std::string_view name, int element_bytes,
                           std::string& to) const {
  EachVarint(field, name, [&](uint64_t value) {
    for (int i = 0; i < element_bytes; ++i) to.push_back(static_cast<char>(value >> 8 * i));
  });
}

std::string_view WireMessage::FixedBytes(const WireField& field, std::string_view name,
                                         uint64_t element_bytes) const {
  if (!CheckType(field, WireType::kBytes, name)) return {};
  if (field.bytes.size() % element_bytes == 0) return field.bytes;
  Fail(name,
       fmt::format("expected a multiple of {} bytes, found {}", element_bytes, field.bytes.size()));
  return {};
}

}  // namespace tenon::onnx
