#ifndef TENON_LOWERING_IMAGE_ELF_OBJECT_H_
#define TENON_LOWERING_IMAGE_ELF_OBJECT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lowering/blob.h"
#include "lowering/image/elf_target.h"
#include "lowering/image/image_layout.h"

// A relocatable ELF object of constants. Each blob is a global symbol of hidden visibility with its
// size. Sections are read-only and aligned; the stack is not executable. On x86-64 and AArch64, a
// note marks the object as compatible with control-flow protection: linkers disable that for the
// whole program if one object lacks the note.

namespace tenon {

/// Above this total size in bytes, sections for x86-64 are marked as large and called `.l<name>`,
/// as compilers do with -mcmodel=medium. The linker then places them after everything that must be
/// near. 1 GiB: code without that option, which reaches 2 GiB, still reaches the sections.
inline constexpr int64_t kLargeSectionBytes = int64_t{1} << 30;

/// An object without the bytes of the blobs.
struct ElfObject {
  std::string head;   ///< the file header
  int64_t begin = 0;  ///< file offset of the first section
  /// File offset of each section of the layout.
  std::vector<int64_t> offsets;
  std::string tail;  ///< the part after the last section: notes, symbols, names, section headers
  int64_t tail_offset = 0;
};

/// Makes the object. `source` is the name of its file symbol. An error if the bytes exceed the
/// machine's address space, or there are more sections than ELF allows.
absl::StatusOr<ElfObject> MakeElfObject(const ElfTarget& target, const ImageLayout& layout,
                                        std::string_view source);

/// Writes all bytes of the object, in order.
absl::Status StreamElfObject(const ElfObject& object, const ImageLayout& layout,
                             const ByteSink& sink);

}  // namespace tenon

#endif  // TENON_LOWERING_IMAGE_ELF_OBJECT_H_
