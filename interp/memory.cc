#include "interp/memory.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace tenon::interp {
namespace {

// The number of dead allocations whose numbers wait before the first is reused.
constexpr size_t kQuarantine = size_t{1} << 16;
constexpr size_t kMostAllocations = size_t{1} << 24;

}  // namespace

Memory::~Memory() {
  for (Allocation& allocation : table_) {
    if ((allocation.flags & Allocation::kOwned) == 0) continue;
    std::free(allocation.data);
    std::free(allocation.shadow);
    std::free(allocation.owners);
  }
}

Slot Memory::NewSlot(const Allocation& allocation) {
  size_t id = table_.size();
  if (free_.size() > kQuarantine || id >= kMostAllocations) {
    if (free_.empty()) return 0;
    id = free_.front();
    free_.pop_front();
    table_[id] = allocation;
  } else {
    table_.push_back(allocation);
  }
  return static_cast<Slot>(static_cast<uint64_t>(id) << kOffsetBits);
}

Slot Memory::Allocate(int64_t size, std::string_view name, bool defined) {
  // Shadow bytes also count.
  if (size < 0 || size > (limit_ - used_) / 2) return 0;
  Allocation allocation;
  const size_t bytes = size == 0 ? 1 : static_cast<size_t>(size);
  allocation.data = static_cast<uint8_t*>(std::calloc(bytes, 1));
  if (!defined) allocation.shadow = static_cast<uint8_t*>(std::calloc(bytes, 1));
  if (allocation.data == nullptr || (!defined && allocation.shadow == nullptr)) {
    std::free(allocation.data);
    std::free(allocation.shadow);
    return 0;
  }
  allocation.size = size;
  allocation.name = name;
  allocation.flags = Allocation::kAlive | Allocation::kOwned;
  const Slot pointer = NewSlot(allocation);
  if (pointer == 0) {
    std::free(allocation.data);
    std::free(allocation.shadow);
    return 0;
  }
  used_ += 2 * size;
  return pointer;
}

Slot Memory::Borrow(uint8_t* data, int64_t size, std::string_view name, bool read_only) {
  Allocation allocation;
  allocation.data = data;
  allocation.size = size;
  allocation.name = name;
  allocation.flags = Allocation::kAlive;
  if (read_only) allocation.flags |= Allocation::kReadOnly;
  return NewSlot(allocation);
}

Slot Memory::NewArena(int64_t size, std::string_view name) {
  // An owner takes four bytes per byte.
  if (size < 0 || size > (limit_ - used_) / 6) return 0;
  const Slot pointer = Allocate(size, name, /*defined=*/true);
  if (pointer == 0) return 0;
  Allocation& arena = *Find(pointer);
  arena.owners = static_cast<uint32_t*>(
      std::calloc(std::max<size_t>(static_cast<size_t>(size), 1), sizeof(uint32_t)));
  if (arena.owners == nullptr) {
    Free(pointer);
    return 0;
  }
  used_ += 4 * size;
  return pointer;
}

Slot Memory::Place(Slot arena, int64_t offset, int64_t size, std::string_view name) {
  Allocation allocation = *Find(arena);
  if (offset < 0 || size < 0 || offset > allocation.size || size > allocation.size - offset ||
      last_owner_ == std::numeric_limits<uint32_t>::max()) {
    return 0;
  }
  allocation.data += offset;
  allocation.owners += offset;
  allocation.size = size;
  allocation.name = name;
  allocation.flags = Allocation::kAlive;
  allocation.owner = ++last_owner_;
  return NewSlot(allocation);
}

void Memory::Free(Slot pointer) {
  Allocation* allocation = Find(pointer);
  if (allocation == nullptr || (allocation->flags & Allocation::kAlive) == 0) return;
  if ((allocation->flags & Allocation::kOwned) != 0) {
    std::free(allocation->data);
    std::free(allocation->shadow);
    std::free(allocation->owners);
    used_ -= (allocation->owners != nullptr ? 6 : 2) * allocation->size;
  }
  allocation->data = nullptr;
  allocation->shadow = nullptr;
  allocation->owners = nullptr;
  allocation->flags = 0;
  free_.push_back(static_cast<uint32_t>(static_cast<uint64_t>(pointer) >> kOffsetBits));
}

}  // namespace tenon::interp
