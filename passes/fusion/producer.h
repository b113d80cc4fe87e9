#ifndef TENON_PASSES_FUSION_PRODUCER_H_
#define TENON_PASSES_FUSION_PRODUCER_H_

#include <optional>
#include <utility>
#include <vector>

#include "ir/analysis/digits.h"
#include "passes/fusion/nest.h"

namespace tenon {

/// An index that differs in all iterations of some loops, in mixed radix: each part of a counter
/// has a stride of its own.
class ElementIndex {
 public:
  /// nullopt unless the index differs in all iterations.
  static std::optional<ElementIndex> Of(std::vector<const For*> loops, const Buffer* buffer,
                                        Span<const Expr*> indices);
  /// True if, in each iteration of the loops `around`, the index differs in all iterations of
  /// `loops`.
  static bool Differs(const std::vector<const For*>& loops, Span<const For*> around,
                      const Buffer* buffer, Span<const Expr*> indices);

  const std::vector<const For*>& loops() const { return loops_; }
  /// The number of iterations, which is also the number of elements.
  int64_t elements() const { return elements_; }
  /// True if the iterations reach all elements of the buffer.
  bool HasAll(const Buffer& buffer) const;

  /// The counters at which the index is `index`. nullopt unless the analyzer proves that they
  /// exist, or the iterations reach all elements of `buffer`.
  std::optional<VarExprs> CountersAt(const FusionTools& tools, const Buffer& buffer,
                                     const Expr* index) const;

 private:
  /// A part of the counter of the loop of its group, and its stride in the index.
  struct Part : Digits::Leaf {
    int64_t stride = 0;
  };

  bool FindParts(Span<const For*> around, const Buffer* buffer, Span<const Expr*> indices);

  std::vector<const For*> loops_;
  int64_t elements_ = 0;
  /// The least index.
  int64_t first_ = 0;
  /// The indices are 0, ..., elements() - 1.
  bool counts_from_0_ = false;
  /// The largest stride first, whatever its sign.
  std::vector<Part> parts_;
};

/// A nest whose one store gives each element that it writes a value of its own.
class Producer {
 public:
  /// nullopt unless `stmt` is loops around one plain store, whose value has no effects and does not
  /// read what is stored, and whose index differs in all iterations.
  static std::optional<Producer> Of(const Stmt* stmt);

  const BufferStore* store() const { return store_; }
  const std::vector<const For*>& loops() const { return index_.loops(); }
  /// The number of elements that it writes.
  int64_t elements() const { return index_.elements(); }

  /// The value that `load` reads, in terms of the variables of its index. Null unless the analyzer
  /// proves that some iteration writes the element, or they write all elements of the buffer.
  const Expr* ValueAt(const FusionTools& tools, const BufferLoad& load) const;

 private:
  Producer(const BufferStore* store, ElementIndex index)
      : store_(store), index_(std::move(index)) {}

  const BufferStore* store_;
  ElementIndex index_;
};

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_PRODUCER_H_
