#ifndef TENON_PASSES_FUSION_PRODUCER_H_
#define TENON_PASSES_FUSION_PRODUCER_H_

#include <optional>
#include <vector>

#include "passes/fusion/nest.h"

namespace tenon {

/// A nest whose one store gives each element that it writes a value of its own.
class Producer {
 public:
  /// nullopt unless `stmt` is loops around one plain store, whose value has no effects and does not
  /// read what is stored, and whose index differs in all iterations.
  static std::optional<Producer> Of(const Stmt* stmt);

  const BufferStore* store() const { return nest_.body_store; }
  const std::vector<const For*>& loops() const { return nest_.loops; }
  /// How many elements it writes.
  int64_t elements() const { return elements_; }

  /// The value that `load` reads, in terms of the variables of its index. Null unless the analyzer
  /// proves that some iteration writes the element, or they write all elements of the buffer.
  const Expr* ValueAt(const FusionTools& tools, const BufferLoad& load) const;

 private:
  struct Loops {
    std::vector<const For*> loops;
    const BufferStore* body_store = nullptr;
  };
  /// A part of a loop's counter: the index has it `stride` times.
  struct Digit {
    int64_t stride = 0;  ///< positive
    int64_t extent = 1;
    bool is_reversed = false;  ///< a greater digit means a smaller index
    size_t loop = 0;
    int64_t weight = 1;
  };

  bool FindDigits();

  Loops nest_;
  int64_t elements_ = 0;
  /// The least index.
  int64_t first_ = 0;
  /// The indices are 0, ..., elements() - 1.
  bool writes_from_0_ = false;
  /// The largest stride first.
  std::vector<Digit> digits_;
};

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_PRODUCER_H_
