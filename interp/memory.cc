#include "interp/memory.h"

#include <cstdlib>
#include <cstring>

namespace tenon::interp {
namespace {

// So many numbers of dead allocations wait before the first of them is used again.
constexpr size_t kQuarantine = size_t{1} << 16;
constexpr size_t kMostAllocations = size_t{1} << 24;

}  // namespace

Memory::~Memory() {
  for (Allocation& allocation : table_) {
    if ((allocation.flags & Allocation::kOwned) == 0) continue;
    std::free(allocation.data);
    std::free(allocation.shadow);
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
  // Shadow bytes count too.
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

Slot Memory::Place(Slot base, int64_t offset, int64_t size, std::string_view name) {
  Allocation allocation = *Find(base);
  if (offset < 0 || size < 0 || offset > allocation.size || size > allocation.size - offset) {
    return 0;
  }
  allocation.data += offset;
  if (allocation.shadow != nullptr) {
    allocation.shadow += offset;
    std::memset(allocation.shadow, 0, static_cast<size_t>(size));
  }
  allocation.size = size;
  allocation.name = name;
  allocation.flags = Allocation::kAlive;
  next_tag_ = next_tag_ == 255 ? 2 : static_cast<uint8_t>(next_tag_ + 1);
  allocation.tag = next_tag_;
  return NewSlot(allocation);
}

void Memory::Free(Slot pointer) {
  Allocation* allocation = Find(pointer);
  if (allocation == nullptr || (allocation->flags & Allocation::kAlive) == 0) return;
  if ((allocation->flags & Allocation::kOwned) != 0) {
    std::free(allocation->data);
    std::free(allocation->shadow);
    used_ -= 2 * allocation->size;
  }
  allocation->data = nullptr;
  allocation->shadow = nullptr;
  allocation->flags = 0;
  free_.push_back(static_cast<uint32_t>(static_cast<uint64_t>(pointer) >> kOffsetBits));
}

void Memory::MarkUndefined(Slot pointer, int64_t size) {
  Allocation* allocation = Find(pointer);
  const int64_t offset = Offset(pointer);
  if (allocation == nullptr || allocation->shadow == nullptr || offset > allocation->size) return;
  if (size > allocation->size - offset) size = allocation->size - offset;
  if (size > 0) std::memset(allocation->shadow + offset, 0, static_cast<size_t>(size));
}

}  // namespace tenon::interp
