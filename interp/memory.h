#ifndef TENON_INTERP_MEMORY_H_
#define TENON_INTERP_MEMORY_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string_view>
#include <vector>

#include "interp/code.h"

namespace tenon::interp {

/// An allocation of storage. `shadow` has a byte for each byte: 1 if it was written, 0 if it is
/// undefined. In an arena, which allocations share, `owners` has the last writer of each byte,
/// which is undefined for all other allocations. If both are null, every byte is defined.
struct Allocation {
  enum Flags : uint8_t { kAlive = 1, kReadOnly = 2, kOwned = 4 };
  uint8_t* data = nullptr;
  uint8_t* shadow = nullptr;
  uint32_t* owners = nullptr;
  int64_t size = 0;
  std::string_view name;
  uint8_t flags = 0;
  uint32_t owner = 0;  ///< its number in the arena; 0 outside of arenas

  /// Marks bytes as written by this allocation.
  void Define(int64_t offset, int64_t bytes) {
    if (shadow != nullptr) std::memset(shadow + offset, 1, static_cast<size_t>(bytes));
    if (owners != nullptr) std::fill_n(owners + offset, bytes, owner);
  }
};

/// All storage of a run. A pointer is a number: the allocation's number in the upper 24 bits, the
/// byte offset in the lower 40; 0 is null. Numbers of dead allocations are reused as late as
/// possible, so that uses after the end of a scope are found.
class Memory {
 public:
  static constexpr int kOffsetBits = 40;
  static constexpr int64_t kMostBytes = int64_t{1} << 36;

  explicit Memory(int64_t limit) : limit_(limit < kMostBytes ? limit : kMostBytes) {
    table_.emplace_back();
  }
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// New storage of `size` bytes, undefined, or zero and defined; 0 if the limit is exceeded.
  Slot Allocate(int64_t size, std::string_view name, bool defined);
  /// External storage that outlives the run; all bytes are defined.
  Slot Borrow(uint8_t* data, int64_t size, std::string_view name, bool read_only);
  /// Storage of `size` bytes for Place; 0 if the limit is exceeded.
  Slot NewArena(int64_t size, std::string_view name);
  /// `size` bytes of an arena as a separate allocation. Its bytes are undefined until it writes
  /// them, and again after another allocation writes them. Placing it takes no bytes from other
  /// allocations: a plan may let them keep the bytes until its first access.
  Slot Place(Slot arena, int64_t offset, int64_t size, std::string_view name);
  /// Ends an allocation.
  void Free(Slot pointer);

  static int64_t Offset(Slot pointer) { return pointer & ((int64_t{1} << kOffsetBits) - 1); }
  /// The allocation of a pointer, dead or alive, or null.
  Allocation* Find(Slot pointer) {
    const uint64_t id = static_cast<uint64_t>(pointer) >> kOffsetBits;
    return id - 1 < table_.size() - 1 ? &table_[id] : nullptr;
  }
  int64_t limit() const { return limit_; }

  /// Allocations made by the functions on the call stack; freed when the functions return.
  std::vector<Slot> frame_allocations;

 private:
  Slot NewSlot(const Allocation& allocation);

  int64_t limit_;
  int64_t used_ = 0;
  uint32_t last_owner_ = 0;
  std::vector<Allocation> table_;
  std::deque<uint32_t> free_;
};

}  // namespace tenon::interp

#endif  // TENON_INTERP_MEMORY_H_
