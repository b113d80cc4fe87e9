#ifndef TENON_IR_VERIFY_INTERNAL_H_
#define TENON_IR_VERIFY_INTERNAL_H_

#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/pointers.h"
#include "ir/verifier.h"
#include "ir/visitor.h"

// Internal to ir/verify_*.cc.

namespace tenon::verify_internal {

/// Checks functions, one after the other. Hooks for expressions are in verify_expr.cc, for
/// statements in verify_stmt.cc, and for calls in verify_call.cc; scopes are in verify_function.cc.
class FunctionVerifier : public Visitor<FunctionVerifier> {
 public:
  FunctionVerifier(const IRModule& module, Diagnostics& diagnostics,
                   ConstantFaults faults = ConstantFaults::kRefused)
      : module_(module),
        diagnostics_(diagnostics),
        guards_(faults == ConstantFaults::kAllowed ? 1 : 0) {}

  void Run(const Function& function);
  /// Whether any function so far contains an AllocateConst.
  bool met_constants() const { return met_constants_; }

  // Every statement has rules, in verify_stmt.cc; expressions have those of CheckNode().
#define TENON_EXPR(Name) \
  void Visit##Name(const Name* node) { CheckNode(node); }
#define TENON_STMT(Name) void Visit##Name(const Name* node);
#include "ir/nodes.def"
  void VisitCommReducer(const CommReducer* reducer);
  void VisitObjectAttr(const ObjectAttr* object);
  void VisitBuffer(const Buffer* buffer);

 private:
  void Error(DiagnosticKind rule, SourceRange range, std::string message);
  /// The source range of `expr` as a part of the node at `parent`. A variable only has the range of
  /// its definition.
  static SourceRange PlaceOf(const Expr* expr, SourceRange parent) {
    return isa<Var>(expr) && parent.valid() ? parent : expr->range;
  }

  /// The rules of the other kinds are those of their fields.
  void CheckNode(const Expr* node) { VisitChildren(node); }
  void CheckNode(const IntImm* imm);
  void CheckNode(const StringImm* imm);
  void CheckNode(const Var* var);
  void CheckNode(const Cast* cast);
  void CheckNode(const BinaryExpr* node);
  void CheckNode(const Not* node);
  void CheckNode(const Select* select);
  void CheckNode(const BufferLoad* load);
  void CheckNode(const Ramp* ramp);
  void CheckNode(const Broadcast* broadcast);
  void CheckNode(const Shuffle* shuffle);
  void CheckNode(const Let* let);
  void CheckNode(const Call* call);
  void CheckNode(const Reduce* reduce);
  void CheckDivisor(const BinaryExpr* node);
  void CheckCondition(const Expr* condition, std::string_view what, SourceRange parent);
  /// Checks that operands of mathematics and bit operations are numbers.
  void CheckNumbers(const Call* call);
  /// Checks the arguments of lookup_param, address_of and reinterpret.
  void CheckArguments(const Call* call);
  void CheckMatch(const MatchBufferRegion* match);
  void CheckAllocated(const Buffer* buffer);
  /// Checks the indices of a load or store: rank, dtypes, constant bounds. Returns the number of
  /// lanes of the access. An index may be up to extent + `beyond` - 1.
  int CheckIndices(const Buffer* buffer, Span<const Expr*> indices, SourceRange range,
                   int64_t beyond = 0);
  void CheckConstantIndex(const Buffer* buffer, size_t dimension, const Expr* index,
                          int64_t beyond);
  /// Checks the extents of an allocation of `dtype`. Returns the number of elements if all extents
  /// are constant and valid.
  std::optional<int64_t> CheckExtents(Span<const Expr*> extents, DataType dtype, SourceRange range);
  void CheckCallee(const Call* call);
  void CheckShift(const Call* call);

  /// Sets the place of errors about uses of variables: the innermost enclosing node with a source
  /// range. Variables are shared and only have the range of their definition.
  class AtPlace {
   public:
    AtPlace(FunctionVerifier* verifier, SourceRange range)
        : verifier_(verifier), outer_(verifier->place_) {
      if (range.valid()) verifier->place_ = range;
    }
    ~AtPlace() { verifier_->place_ = outer_; }
    AtPlace(const AtPlace&) = delete;
    AtPlace& operator=(const AtPlace&) = delete;

   private:
    FunctionVerifier* verifier_;
    SourceRange outer_;
  };

  void Define(const Var* var, SourceRange at);
  /// Visits the value of a let, and defines the variable.
  void DefineAs(const Var* var, const Expr* value, SourceRange at);
  void Undefine(const Var* var) { live_[var] = false; }
  /// Defines the variables that a declaration of `buffer` introduces: its data if `with_data`, and
  /// those of shape, strides and offset that are not defined yet.
  void DefineBufferVars(const Buffer* buffer, bool with_data,
                        absl::InlinedVector<const Var*, 4>& defined);
  void CheckUse(const Var* var, SourceRange at);
  /// The constant that `pointer` points into, or null.
  const AllocateConst* ConstantBehind(const Var* pointer);

  const IRModule& module_;
  Diagnostics& diagnostics_;
  const PrimFunc* function_ = nullptr;
  /// The roots in the function; computed at the first possible store to a constant.
  std::optional<PointerRoots> roots_;
  /// Every variable so far: true while its definition is in scope.
  absl::flat_hash_map<const Var*, bool> live_;
  absl::flat_hash_set<const Buffer*> checked_buffers_;
  absl::flat_hash_map<const Var*, const AllocateConst*> constants_;
  absl::flat_hash_set<const Var*> reported_;
  /// The number of conditions that guard the node. Constant faults are errors if it is 0.
  int guards_;
  /// The element whose address is taken. It is not read, so it may be one past the end.
  const BufferLoad* addressed_ = nullptr;
  SourceRange place_;
  bool met_constants_ = false;
};

}  // namespace tenon::verify_internal

#endif  // TENON_IR_VERIFY_INTERNAL_H_
