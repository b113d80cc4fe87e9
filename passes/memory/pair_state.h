#ifndef TENON_PASSES_MEMORY_PAIR_STATE_H_
#define TENON_PASSES_MEMORY_PAIR_STATE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

// Internal to value_watch.cc.

namespace tenon {

/// The states that two allocations, 0 and 1, may have in each byte that they share.
class PairState {
 public:
  /// A set of states of one allocation in a byte.
  static constexpr uint8_t kNothing = 1;  ///< no value
  static constexpr uint8_t kHeld = 2;     ///< its value
  static constexpr uint8_t kLost = 4;     ///< the other one has overwritten its value

  explicit PairState(size_t size) : bytes_(size, Pack(kNothing, kNothing)) {}

  size_t size() const { return bytes_.size(); }

  /// Sets the states of allocation `who` in every byte.
  void Fill(int who, uint8_t state);
  /// Adds to its states in every byte.
  void Add(int who, uint8_t state);
  /// Its states in one byte, and in all bytes together.
  uint8_t Of(int who, size_t at) const { return (bytes_[at] >> Shift(who)) & kMask; }
  uint8_t Any(int who) const;
  /// The first byte in [first, end) in which it may have one of the states; nullopt if there is
  /// none.
  std::optional<size_t> Find(int who, uint8_t state, size_t first, size_t end) const;

  /// It stores to [first, end), certainly or perhaps.
  void Store(int who, size_t first, size_t end, bool is_certain) {
    const auto& next = Table(who, is_certain);
    for (size_t i = first; i < end; ++i) Set(i, next[bytes_[i]]);
  }

  /// The bytes that an arm of a branch changed, ascending, with their new states.
  using Changes = std::vector<std::pair<size_t, uint8_t>>;
  /// Begins an arm. EndArm returns its changes and takes them back.
  void BeginArm();
  Changes EndArm();
  /// The state after one of two arms.
  void Join(const Changes& a, const Changes& b);

 private:
  static constexpr uint8_t kMask = 7;
  using Next = std::array<uint8_t, 64>;

  static constexpr int Shift(int who) { return who == 0 ? 0 : 3; }
  static constexpr uint8_t Pack(uint8_t a, uint8_t b) { return static_cast<uint8_t>(a | b << 3); }
  /// The state after a store, by the state before it.
  static const Next& Table(int who, bool is_certain);

  void Set(size_t at, uint8_t state) {
    if (!arms_.empty() && epochs_[at] != epoch_) Note(at);
    bytes_[at] = state;
  }
  void Note(size_t at);

  std::vector<uint8_t> bytes_;
  /// The changed bytes of each open arm, with their states before; and the arm that changed a byte
  /// last.
  std::vector<std::vector<std::pair<size_t, uint8_t>>> arms_;
  std::vector<uint32_t> epochs_;
  uint32_t epoch_ = 0;
};

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_PAIR_STATE_H_
