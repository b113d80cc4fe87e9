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

/// One piece of storage. `shadow` has a byte for each byte: 1 where it was written, 0 where it is
/// undefined. In an arena, which allocations share, `owners` says of each byte which of them wrote
/// it last; it is undefined for all others. Where both are null, all is defined.
struct Allocation {
  enum Flags : uint8_t { kAlive = 1, kReadOnly = 2, kOwned = 4, kTensorRecord = 8 };
  uint8_t* data = nullptr;
  uint8_t* shadow = nullptr;
  uint32_t* owners = nullptr;
  int64_t size = 0;
  std::string_view name;
  uint8_t flags = 0;
  uint32_t owner = 0;  ///< its number in the arena; 0: it is no part of one

  /// Marks bytes as written by this allocation.
  void Define(int64_t offset, int64_t bytes) {
    if (shadow != nullptr) std::memset(shadow + offset, 1, static_cast<size_t>(bytes));
    if (owners != nullptr) std::fill_n(owners + offset, bytes, owner);
  }
};

/// All storage of a run. A pointer is a number: the allocation's in the upper 24 bits, the byte
/// offset in the lower 40; 0 is null. The numbers of dead allocations are used again only after
/// most others, so that a use after the end of a scope is found.
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

  /// New storage of `size` bytes, undefined or zero and defined; 0 when that passes the limit.
  Slot Allocate(int64_t size, std::string_view name, bool defined);
  /// Storage of others that outlives the run; all defined.
  Slot Borrow(uint8_t* data, int64_t size, std::string_view name, bool read_only);
  /// Storage for Place, of `size` bytes; 0 when that passes the limit.
  Slot NewArena(int64_t size, std::string_view name);
  /// `size` bytes of an arena, seen as an allocation of its own: undefined for it until it writes
  /// them, and again once another one has. Nobody else loses anything before that: a plan may let
  /// others keep the bytes until the first access.
  Slot Place(Slot arena, int64_t offset, int64_t size, std::string_view name);
  /// Ends an allocation.
  void Free(Slot pointer);
  /// Makes bytes undefined.
  void MarkUndefined(Slot pointer, int64_t size);

  static int64_t Offset(Slot pointer) { return pointer & ((int64_t{1} << kOffsetBits) - 1); }
  /// The allocation a pointer is of, dead or alive, or null.
  Allocation* Find(Slot pointer) {
    const uint64_t id = static_cast<uint64_t>(pointer) >> kOffsetBits;
    return id - 1 < table_.size() - 1 ? &table_[id] : nullptr;
  }
  int64_t limit() const { return limit_; }

  /// Allocations that the functions that are running made; freed when they return.
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
