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

// A relocatable ELF object of constants: each blob a global symbol of hidden visibility with its
// size, sections read-only at their alignments, no executable stack, and on x86-64 and AArch64 the
// note that it does nothing against control-flow protection. Linkers give that up for a whole
// program when one object lacks the note.

namespace tenon {

/// Beyond this many bytes in total, sections of x86-64 are marked as large and called `.l<name>`,
/// as compilers do with -mcmodel=medium, so that the linker lays them behind everything that has to
/// be near. 1 GiB: code that reaches 2 GiB still reaches them without that option.
inline constexpr int64_t kLargeSectionBytes = int64_t{1} << 30;

/// Everything of an object but the bytes of the blobs.
struct ElfObject {
  std::string head;   ///< the file header
  int64_t begin = 0;  ///< where the first section lies
  /// Where each section of the layout lies in the file.
  std::vector<int64_t> offsets;
  std::string tail;  ///< what follows the last section: notes, symbols, names, section headers
  int64_t tail_offset = 0;
};

/// Works out the object. `source` is the name that its file symbol has. An error if the machine
/// cannot have that many bytes, or there are more sections than ELF has room for.
absl::StatusOr<ElfObject> MakeElfObject(const ElfTarget& target, const ImageLayout& layout,
                                        std::string_view source);

/// All of its bytes, in order.
absl::Status StreamElfObject(const ElfObject& object, const ImageLayout& layout,
                             const ByteSink& sink);

}  // namespace tenon

#endif  // TENON_LOWERING_IMAGE_ELF_OBJECT_H_
