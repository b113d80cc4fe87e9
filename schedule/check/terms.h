#ifndef TENON_SCHEDULE_CHECK_TERMS_H_
#define TENON_SCHEDULE_CHECK_TERMS_H_

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/dtype.h"
#include "ir/node.h"
#include "ir/op.h"
#include "schedule/check/forms.h"

namespace tenon::check {

/// The number of a term in its table. Equal terms have equal numbers.
using TermId = int;

enum class TermKind : uint8_t {
  kIndex,  ///< the integer or bool that `form` gives
  kReal,   ///< the float whose double has the bits `number`
  kRead,   ///< element `form` of `memory`. Of a buffer in parts, the first `number` parts are there
  kGather,  ///< the element that is `args[0]` after `form`
  kNode,    ///< the operation `op`, a NodeKind, on `args`
  kCall,    ///< the builtin `op`, an OpKind, on `args`
  kChoice,  ///< `args[1]` if `args[0]` holds, otherwise `args[2]`
  kNonneg,  ///< whether `form` is 0 or more
  kZero,    ///< whether `form` is 0
  kSum,     ///< the reduction `number` of the operator, with its loops at the forms `args`
  kHole,    ///< the value that an update takes
  kEntry,   ///< element `form` of `memory` at the start of an iteration; `number` loops are around
            ///< it
  kRepeat,  ///< `args[0]` after the update `args[1]` for each value of the digit `number`
  kWhen,    ///< `args[0]` after the update `args[1]` if `args[2]` holds
};

struct Term {
  TermKind kind = TermKind::kIndex;
  DataType dtype;
  int op = 0;
  int memory = -1;
  FormId form = -1;
  int64_t number = 0;
  std::vector<int> args;

  bool operator==(const Term&) const = default;
  template <class H>
  friend H AbslHashValue(H hash, const Term& term) {
    hash = H::combine(std::move(hash), term.kind, term.dtype.code(), term.dtype.bits(), term.op,
                      term.memory, term.form, term.number, term.args.size());
    for (const int arg : term.args) hash = H::combine(std::move(hash), arg);
    return hash;
  }
  bool IsNode(NodeKind node) const {
    return kind == TermKind::kNode && op == static_cast<int>(node);
  }
  /// The arguments that are terms.
  size_t term_args() const { return kind == TermKind::kSum ? 0 : args.size(); }
};

/// All values of one comparison. Terms are in a normal form: index arithmetic is a linear form,
/// constants are folded as integers wrap, casts that keep every value are omitted, and a
/// requantisation by constants is expanded.
class TermTable {
 public:
  explicit TermTable(FormTable& forms) : forms_(forms) {}

  const Term& At(TermId term) const { return terms_[static_cast<size_t>(term)]; }
  FormTable& forms() { return forms_; }
  const FormTable& forms() const { return forms_; }

  TermId Intern(Term term);
  /// An integer that is in the range of its dtype. -1 if it may not be.
  TermId Index(DataType dtype, FormId form);
  TermId Number(DataType dtype, int64_t value);
  TermId Real(DataType dtype, double value);
  TermId Read(int memory, DataType dtype, FormId form, int64_t parts);
  /// The element at an index, which is a linear form, or a linear form plus a value. -1 for other
  /// indices.
  TermId ReadAt(int memory, DataType dtype, TermId index, int64_t parts);
  TermId Cast(DataType dtype, TermId value);
  TermId Not(TermId value);
  TermId Node(NodeKind node, DataType dtype, TermId a, TermId b);
  TermId Choice(TermId condition, TermId yes, TermId no);
  TermId Call(OpKind op, DataType dtype, const std::vector<TermId>& args);
  TermId Hole(DataType dtype);

  /// The form of an index; -1 for other terms.
  FormId FormOf(TermId term) const {
    return At(term).kind == TermKind::kIndex ? At(term).form : -1;
  }
  bool IsNumber(TermId term, int64_t value) const {
    return At(term).kind == TermKind::kIndex && forms_.Is(At(term).form, value);
  }
  /// +0 or -0 of a float.
  bool IsRealZero(TermId term) const;
  bool IsRealPlusZero(TermId term) const;

  /// The term with a digit replaced by `value`.
  TermId Replace(TermId term, int digit, FormId value);
  /// Bit i: the term contains a value at the start of an iteration with i loops around it.
  uint64_t EntriesOf(TermId term) const { return entries_[static_cast<size_t>(term)]; }
  /// The counting digits that a term depends on, without those that it repeats over.
  void AddDigits(TermId term, std::vector<int>& digits) const;

  /// True if the term depends on an element of memory.
  bool ReadsMemory(TermId term) const;

  /// An update ends in `base` if it is a sum, a repetition or a condition of updates of it. Returns
  /// the update of a hole in this case, and otherwise -1.
  TermId UpdateOf(TermId term, TermId base);

 private:
  TermId IndexNode(NodeKind node, DataType dtype, FormId a, FormId b);
  TermId Comparison(NodeKind node, FormId a, FormId b);
  TermId Logic(NodeKind node, TermId a, TermId b);
  TermId Folded(NodeKind node, DataType dtype, TermId a, TermId b);
  TermId Make(TermKind kind, DataType dtype, int op, std::initializer_list<TermId> args);
  TermId Shift(OpKind op, TermId value, int64_t by);
  TermId Requantised(DataType dtype, const std::vector<TermId>& args);
  TermId RequantisedPerAxis(DataType dtype, const std::vector<TermId>& args);
  TermId Rebuilt(const Term& term);

  FormTable& forms_;
  std::vector<Term> terms_;
  std::vector<uint64_t> entries_;
  absl::flat_hash_map<Term, TermId> ids_;
  absl::flat_hash_map<TermId, TermId> replaced_;
};

/// The least and the greatest value of an integer dtype, as far as forms hold them.
std::pair<int64_t, int64_t> RangeOf(DataType dtype);

/// Whether all values of an integer dtype are values of another.
bool HoldsAll(DataType wide, DataType narrow);

}  // namespace tenon::check

#endif  // TENON_SCHEDULE_CHECK_TERMS_H_
