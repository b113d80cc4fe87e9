#ifndef TENON_IR_WEIGHT_FACTS_H_
#define TENON_IR_WEIGHT_FACTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// A number that code rests on, and that follows from the bytes of constants that may be replaced.
struct WeightFact {
  std::string where;  ///< an operator's function: `conv_2d_3`
  std::string what;   ///< what the number bounds: `sums are at most`
  int64_t value = 0;
};

/// The facts of one model. A reader asks for a number instead of computing it from bytes. The
/// first compilation gets a number with room for other bytes. A later one gets the same number, as
/// long as it also holds for the new bytes, so that the code stays the same.
class WeightFacts {
 public:
  WeightFacts() = default;
  /// The facts that the code of an earlier compilation rests on.
  explicit WeightFacts(std::vector<WeightFact> earlier) : earlier_(std::move(earlier)) {}

  /// The number of an earlier compilation if `holds` for it, and `fresh` otherwise. `found` is what
  /// the bytes have, for messages.
  int64_t Choose(std::string_view where, std::string_view what, int64_t fresh, int64_t found,
                 const std::function<bool(int64_t number)>& holds);

  /// All facts that were asked for, in the order of the questions.
  const std::vector<WeightFact>& used() const { return used_; }
  /// A sentence for each earlier fact that does not hold: "`conv_2d_3`: sums are at most 4096 in
  /// the code, but reach 5000 with the new constants".
  const std::vector<std::string>& broken() const { return broken_; }

 private:
  std::vector<WeightFact> earlier_;
  std::vector<WeightFact> used_;
  std::vector<std::string> broken_;
};

}  // namespace tenon

#endif  // TENON_IR_WEIGHT_FACTS_H_
