#ifndef TENON_SUPPORT_INTERNER_H_
#define TENON_SUPPORT_INTERNER_H_

#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "support/arena.h"

namespace tenon {

/// An interned string: equal text means equal pointer, for symbols of one interner. Eight bytes,
/// trivially copyable, valid as long as its interner. A default symbol is the empty string.
class Symbol {
 public:
  struct Entry {
    uint64_t hash;
    const char* data;
    size_t size;
  };

  constexpr Symbol() = default;
  explicit constexpr Symbol(const Entry* entry) : entry_(entry) {}

  std::string_view view() const {
    return entry_ == nullptr ? std::string_view() : std::string_view(entry_->data, entry_->size);
  }
  bool empty() const { return entry_ == nullptr; }
  /// A hash of the text, the same in every run.
  uint64_t hash() const { return entry_ == nullptr ? 0 : entry_->hash; }

  friend bool operator==(Symbol a, Symbol b) { return a.entry_ == b.entry_; }

  template <class H>
  friend H AbslHashValue(H state, Symbol symbol) {
    return H::combine(std::move(state), symbol.hash());
  }

 private:
  const Entry* entry_ = nullptr;
};

/// Hash of a string, the same in every run and on every machine of one endianness.
uint64_t HashText(std::string_view text);

/// Owns interned strings. Thread safe.
class Interner {
 public:
  Symbol Intern(std::string_view text);
  size_t size() const { return count_; }
  /// Bytes of memory in use. Not while another thread interns.
  size_t bytes_held() const {
    return arena_.bytes_reserved() + table_.capacity() * sizeof(table_[0]);
  }

 private:
  void Grow();

  std::mutex mutex_;
  Arena arena_;
  std::vector<const Symbol::Entry*> table_;
  size_t count_ = 0;
};

}  // namespace tenon

#endif  // TENON_SUPPORT_INTERNER_H_
