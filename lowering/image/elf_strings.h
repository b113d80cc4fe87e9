#ifndef TENON_LOWERING_IMAGE_ELF_STRINGS_H_
#define TENON_LOWERING_IMAGE_ELF_STRINGS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon {

/// A string table of ELF: the strings one after the other, each ended by a zero. It begins with the
/// empty string.
class ElfStrings {
 public:
  /// The offset of a copy of `text`.
  uint32_t Add(std::string_view text) {
    if (text.empty()) return 0;
    const auto at = static_cast<uint32_t>(bytes_.size());
    bytes_.append(text);
    bytes_ += '\0';
    return at;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(1, '\0');
};

}  // namespace tenon

#endif  // TENON_LOWERING_IMAGE_ELF_STRINGS_H_
