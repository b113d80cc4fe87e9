#ifndef TENON_SUPPORT_ARENA_H_
#define TENON_SUPPORT_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon {

/// A bump allocator. Everything in it is freed at once, and destructors never run, so only
/// trivially destructible types may live here. Chunks grow geometrically from 1 KiB to 1 MiB: a
/// rewrite of one small function costs one small chunk, and a parse of a large module costs few
/// large chunks.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Uninitialized storage of `size` bytes. `align` is a power of two up to 16.
  void* Allocate(size_t size, size_t align) {
    uintptr_t begin = (cursor_ + (align - 1)) & ~static_cast<uintptr_t>(align - 1);
    if (begin + size > limit_ || begin < cursor_) return AllocateSlow(size, align);
    cursor_ = begin + size;
    return reinterpret_cast<void*>(begin);
  }

  template <class T, class... Args>
  T* New(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (Allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
  }

  /// A copy of `values` that lives as long as the arena.
  template <class T>
  std::span<const T> Copy(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (values.empty()) return {};
    void* storage = Allocate(values.size_bytes(), alignof(T));
    std::memcpy(storage, values.data(), values.size_bytes());
    return {static_cast<const T*>(storage), values.size()};
  }
  template <class T>
  std::span<const T> Copy(const std::vector<T>& values) {
    return Copy(std::span<const T>(values));
  }
  std::string_view Copy(std::string_view text) {
    std::span<const char> copy = Copy(std::span<const char>(text.data(), text.size()));
    return {copy.data(), copy.size()};
  }

  /// Bytes obtained from the system so far.
  size_t bytes_reserved() const { return bytes_reserved_; }

 private:
  void* AllocateSlow(size_t size, size_t align);

  uintptr_t cursor_ = 0;
  uintptr_t limit_ = 0;
  size_t next_chunk_ = 1024;
  size_t bytes_reserved_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
};

}  // namespace tenon

#endif  // TENON_SUPPORT_ARENA_H_
