#include <algorithm>
#include <bit>
#include <cstring>

#include "fmt/format.h"
#include "interp/kernels.h"
#include "interp/machine.h"

namespace tenon::interp {
namespace {

/// True if all `bytes` shadow bytes are 1.
inline bool AllWritten(const uint8_t* shadow, int64_t bytes) {
  constexpr uint64_t kPattern = 0x0101010101010101;
  switch (bytes) {
    case 1:
      return *shadow == 1;
    case 2: {
      uint16_t word;
      std::memcpy(&word, shadow, 2);
      return word == static_cast<uint16_t>(kPattern);
    }
    case 4: {
      uint32_t word;
      std::memcpy(&word, shadow, 4);
      return word == static_cast<uint32_t>(kPattern);
    }
    default:
      break;
  }
  for (; bytes >= 8; bytes -= 8, shadow += 8) {
    uint64_t word;
    std::memcpy(&word, shadow, 8);
    if (word != kPattern) return false;
  }
  for (; bytes > 0; --bytes, ++shadow) {
    if (*shadow != 1) return false;
  }
  return true;
}

/// True if the bytes were written, and in an arena by this allocation.
inline bool Defined(const Allocation& allocation, int64_t offset, int64_t bytes) {
  if (allocation.shadow != nullptr) return AllWritten(allocation.shadow + offset, bytes);
  if (allocation.owners == nullptr) return true;
  const uint32_t* owners = allocation.owners + offset;
  return std::all_of(owners, owners + bytes,
                     [&](uint32_t owner) { return owner == allocation.owner; });
}

template <class T>
inline void LoadLanes(const uint8_t* from, Slot* to, int lanes) {
  for (int i = 0; i < lanes; ++i) {
    T value;
    std::memcpy(&value, from + static_cast<size_t>(i) * sizeof(T), sizeof(T));
    to[i] = static_cast<Slot>(value);
  }
}

template <class T>
inline void StoreLanes(uint8_t* to, const Slot* from, int lanes) {
  for (int i = 0; i < lanes; ++i) {
    const T value = static_cast<T>(from[i]);
    std::memcpy(to + static_cast<size_t>(i) * sizeof(T), &value, sizeof(T));
  }
}

/// A byte other than 0 is true.
void LoadBools(const uint8_t* from, Slot* to, int lanes) {
  for (int i = 0; i < lanes; ++i) to[i] = from[i] != 0 ? 1 : 0;
}

void LoadOdd(const Access& access, const uint8_t* from, Slot* to, int lanes) {
  for (int i = 0; i < lanes; ++i) {
    Slot value = 0;
    std::memcpy(&value, from + i * access.element_bytes, access.element_bytes);
    to[i] = WrapInt(value, access.shift, access.is_signed);
  }
}

void StoreOdd(const Access& access, uint8_t* to, const Slot* from, int lanes) {
  for (int i = 0; i < lanes; ++i) {
    std::memcpy(to + i * access.element_bytes, &from[i], access.element_bytes);
  }
}

}  // namespace

// Storage is little endian, so the host must be.
static_assert(std::endian::native == std::endian::little);

void Machine::NoteAccess(const struct Access& access, const Allocation& allocation, Slot pointer,
                         Slot index, int64_t offset, int64_t bytes, bool is_store) const {
  AccessEvent event;
  event.function = frame_->code->name;
  event.call = frame_->number;
  event.data = access.data;
  event.element = index;
  event.storage_name = allocation.name;
  event.storage = pointer >> Memory::kOffsetBits;
  event.byte = offset;
  event.bytes = bytes;
  event.is_store = is_store;
  options_.on_access(event);
}

inline bool Machine::LoadAt(const struct Access& access, Slot pointer, Slot index, Slot* to,
                            int lanes) {
  const Allocation* allocation = memory_.Find(pointer);
  const int64_t bytes = int64_t{access.element_bytes} * lanes;
  int64_t offset;
  if (allocation == nullptr || (allocation->flags & Allocation::kAlive) == 0 ||
      __builtin_mul_overflow(index, int64_t{access.element_bytes} * access.buffer_lanes, &offset) ||
      __builtin_add_overflow(offset, Memory::Offset(pointer), &offset) || offset < 0 ||
      bytes > allocation->size || offset > allocation->size - bytes) [[unlikely]] {
    return FailBytes(access, allocation, pointer, index, bytes);
  }
  if (!Defined(*allocation, offset, bytes)) [[unlikely]] {
    return FailUndefined(access, *allocation, index);
  }
  if (options_.on_access) [[unlikely]]
    NoteAccess(access, *allocation, pointer, index, offset, bytes, /*is_store=*/false);
  const uint8_t* from = allocation->data + offset;
  switch (access.element) {
    case Element::kI8:
      LoadLanes<int8_t>(from, to, lanes);
      break;
    case Element::kI16:
      LoadLanes<int16_t>(from, to, lanes);
      break;
    case Element::kI32:
      LoadLanes<int32_t>(from, to, lanes);
      break;
    case Element::kI64:
      LoadLanes<int64_t>(from, to, lanes);
      break;
    case Element::kU8:
      LoadLanes<uint8_t>(from, to, lanes);
      break;
    case Element::kU16:
      LoadLanes<uint16_t>(from, to, lanes);
      break;
    case Element::kU32:
      LoadLanes<uint32_t>(from, to, lanes);
      break;
    case Element::kBool:
      LoadBools(from, to, lanes);
      break;
    case Element::kOdd:
      LoadOdd(access, from, to, lanes);
      break;
  }
  return true;
}

inline bool Machine::StoreAt(const struct Access& access, Slot pointer, Slot index,
                             const Slot* from, int lanes) {
  Allocation* allocation = memory_.Find(pointer);
  const int64_t bytes = int64_t{access.element_bytes} * lanes;
  int64_t offset;
  if (allocation == nullptr || (allocation->flags & Allocation::kAlive) == 0 ||
      __builtin_mul_overflow(index, int64_t{access.element_bytes} * access.buffer_lanes, &offset) ||
      __builtin_add_overflow(offset, Memory::Offset(pointer), &offset) || offset < 0 ||
      bytes > allocation->size || offset > allocation->size - bytes) [[unlikely]] {
    return FailBytes(access, allocation, pointer, index, bytes);
  }
  if ((allocation->flags & Allocation::kReadOnly) != 0) [[unlikely]]
    return FailWrite(access);
  allocation->Define(offset, bytes);
  uint8_t* to = allocation->data + offset;
  switch (access.element) {
    case Element::kI8:
    case Element::kU8:
    case Element::kBool:
      StoreLanes<uint8_t>(to, from, lanes);
      break;
    case Element::kI16:
    case Element::kU16:
      StoreLanes<uint16_t>(to, from, lanes);
      break;
    case Element::kI32:
    case Element::kU32:
      StoreLanes<uint32_t>(to, from, lanes);
      break;
    case Element::kI64:
      StoreLanes<uint64_t>(to, from, lanes);
      break;
    case Element::kOdd:
      StoreOdd(access, to, from, lanes);
      break;
  }
  if (options_.on_access) [[unlikely]]
    NoteAccess(access, *allocation, pointer, index, offset, bytes, /*is_store=*/true);
  if (options_.on_store) [[unlikely]]
    options_.on_store(access.data, {from, static_cast<size_t>(lanes)});
  return true;
}

// Whether the `span` elements from `index` lie below the extent of a flat buffer.
inline bool Machine::CheckIndex(const struct Access& access, Slot index, Slot span, Slot extent) {
  if (index < 0 || span > extent || index > extent - span) [[unlikely]] {
    return FailIndex(access, 0, index, span, extent);
  }
  return true;
}

bool Machine::Load(Slot* regs, const Instr& instr) {
  const struct Access& access = *instr.access;
  const Slot index = regs[instr.b];
  if (instr.c >= 0 && !CheckIndex(access, index, access.index_lanes, regs[instr.c])) return false;
  return LoadAt(access, regs[instr.a], index, &regs[instr.d], instr.lanes);
}

bool Machine::Store(Slot* regs, const Instr& instr) {
  const struct Access& access = *instr.access;
  const Slot index = regs[instr.b];
  if (instr.c >= 0 && !CheckIndex(access, index, access.index_lanes, regs[instr.c])) return false;
  return StoreAt(access, regs[instr.a], index, &regs[instr.f], instr.lanes);
}

bool Machine::LoadGather(Slot* regs, const Instr& instr) {
  const struct Access& access = *instr.access;
  const int count = instr.lanes / access.buffer_lanes;
  for (int i = 0; i < count; ++i) {
    Slot* to = &regs[instr.d + i * access.buffer_lanes];
    if (instr.e >= 0 && regs[instr.e + i] == 0) {
      for (int j = 0; j < access.buffer_lanes; ++j) to[j] = 0;
      continue;
    }
    const Slot index = access.index_vector ? regs[instr.b + i] : regs[instr.b] + i;
    if (instr.c >= 0 && !CheckIndex(access, index, 1, regs[instr.c])) return false;
    if (!LoadAt(access, regs[instr.a], index, to, access.buffer_lanes)) return false;
  }
  return true;
}

bool Machine::StoreGather(Slot* regs, const Instr& instr) {
  const struct Access& access = *instr.access;
  const int count = instr.lanes / access.buffer_lanes;
  for (int i = 0; i < count; ++i) {
    if (instr.e >= 0 && regs[instr.e + i] == 0) continue;
    const Slot index = access.index_vector ? regs[instr.b + i] : regs[instr.b] + i;
    if (instr.c >= 0 && !CheckIndex(access, index, 1, regs[instr.c])) return false;
    const Slot* from = &regs[instr.f + i * access.buffer_lanes];
    if (!StoreAt(access, regs[instr.a], index, from, access.buffer_lanes)) return false;
  }
  return true;
}

bool Machine::Linear(Slot* regs, const Instr& instr) {
  const struct Access& access = *instr.access;
  const uint64_t offset = access.offset < 0 ? 0 : static_cast<uint64_t>(regs[access.offset]);
  for (int lane = 0; lane < instr.lanes; ++lane) {
    uint64_t linear = 0;
    uint64_t strided = 0;
    for (size_t k = 0; k < access.dims.size(); ++k) {
      const Access::Dim& dim = access.dims[k];
      const Slot index = regs[dim.index + (dim.index_lanes > 1 ? lane : 0)];
      const Slot extent = regs[dim.extent];
      const Slot span = k + 1 == access.dims.size() ? access.index_lanes : 1;
      if (index < 0 || span > extent || index > extent - span) [[unlikely]] {
        return FailIndex(access, static_cast<int>(k), index, span, extent);
      }
      if (dim.stride >= 0) {
        strided += static_cast<uint64_t>(index) * static_cast<uint64_t>(regs[dim.stride]);
      } else {
        linear = linear * static_cast<uint64_t>(extent) + static_cast<uint64_t>(index);
      }
    }
    regs[instr.d + lane] = static_cast<Slot>(linear + strided + offset);
  }
  return true;
}

bool Machine::AddressOf(Slot* regs, const Instr& instr) {
  const struct Access& access = *instr.access;
  const Slot pointer = regs[instr.a];
  const Slot index = regs[instr.b];
  if (instr.c >= 0 && (index < 0 || index > regs[instr.c])) {
    return FailIndex(access, 0, index, 1, regs[instr.c]);
  }
  const Allocation* allocation = memory_.Find(pointer);
  int64_t offset;
  if (allocation == nullptr || (allocation->flags & Allocation::kAlive) == 0 ||
      __builtin_mul_overflow(index, int64_t{access.element_bytes} * access.buffer_lanes, &offset) ||
      __builtin_add_overflow(offset, Memory::Offset(pointer), &offset) || offset < 0 ||
      offset > allocation->size) {
    return FailBytes(access, allocation, pointer, index, 0);
  }
  regs[instr.d] = pointer - Memory::Offset(pointer) + offset;
  return true;
}

bool Machine::Allocate(Slot* regs, const Instr& instr) {
  const AllocationSite& site = *instr.allocation;
  int64_t size = site.element_bytes;
  for (const int32_t reg : site.extents) {
    const Slot extent = regs[reg];
    if (extent < 0 || __builtin_mul_overflow(size, extent, &size)) {
      return Fail(DiagnosticKind::kMemoryLimit,
                  fmt::format("the extent {1} of `{0}` gives an impossible size in bytes",
                              site.name, extent));
    }
  }
  const auto place = options_.placement.find(site.var);
  if (place != options_.placement.end()) {
    const std::string& pool = place->second.pool;
    const auto arena = arenas_.find(pool);
    Slot pointer = arena == arenas_.end()
                       ? 0
                       : memory_.Place(arena->second, place->second.offset, size, site.name);
    if (pointer == 0) {
      return Fail(DiagnosticKind::kMemoryLimit,
                  fmt::format("`{}` of {} bytes has no place at {} in pool `{}`", site.name, size,
                              place->second.offset, pool));
    }
    memory_.frame_allocations.push_back(pointer);
    regs[instr.d] = pointer;
    return true;
  }
  const Slot pointer = FrameAllocate(size, site.name);
  if (pointer == 0) return false;
  regs[instr.d] = pointer;
  return true;
}

uint8_t* Machine::Access(Slot pointer, int64_t bytes, bool write) {
  struct Access record;
  record.buffer = "the record";
  record.element = Element::kU8;
  Allocation* allocation = memory_.Find(pointer);
  const int64_t offset = Memory::Offset(pointer);
  if (allocation == nullptr || (allocation->flags & Allocation::kAlive) == 0 ||
      bytes > allocation->size || offset > allocation->size - bytes) {
    FailBytes(record, allocation, pointer, 0, bytes);
    return nullptr;
  }
  if (write) {
    if ((allocation->flags & Allocation::kReadOnly) != 0) {
      FailWrite(record);
      return nullptr;
    }
    allocation->Define(offset, bytes);
  } else if (!Defined(*allocation, offset, bytes)) {
    FailUndefined(record, *allocation, 0);
    return nullptr;
  }
  return allocation->data + offset;
}

}  // namespace tenon::interp
