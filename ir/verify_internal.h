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
/// statements in verify_stmt.cc, for calls in verify_call.cc, scopes in verify_function.cc.
class FunctionVerifier : public Visitor<FunctionVerifier> {
 public:
  FunctionVerifier(const IRModule& module, Diagnostics& diagnostics,
                   ConstantFaults faults = ConstantFaults::kRefused)
      : module_(module),
        diagnostics_(diagnostics),
        guards_(faults == ConstantFaults::kAllowed ? 1 : 0) {}

  void Run(const Function& function);
  /// Did any function so far hold an AllocateConst?
  bool met_constants() const { return met_constants_; }

  // Expressions.
  void VisitIntImm(const IntImm* imm);
  void VisitStringImm(const StringImm* imm);
  void VisitVar(const Var* var);
  void VisitCast(const Cast* cast);
  void VisitNot(const Not* node);
  void VisitSelect(const Select* select);
  void VisitBufferLoad(const BufferLoad* load);
  void VisitRamp(const Ramp* ramp);
  void VisitBroadcast(const Broadcast* broadcast);
  void VisitShuffle(const Shuffle* shuffle);
  void VisitLet(const Let* let);
  void VisitCall(const Call* call);
  void VisitCommReducer(const CommReducer* reducer);
  void VisitReduce(const Reduce* reduce);
  void VisitObjectAttr(const ObjectAttr* object);
#define TENON_VERIFY_BINARY(Name) \
  void Visit##Name(const Name* node) { VisitBinary(node); }
  TENON_VERIFY_BINARY(Add)
  TENON_VERIFY_BINARY(Sub)
  TENON_VERIFY_BINARY(Mul)
  TENON_VERIFY_BINARY(Div)
  TENON_VERIFY_BINARY(Mod)
  TENON_VERIFY_BINARY(FloorDiv)
  TENON_VERIFY_BINARY(FloorMod)
  TENON_VERIFY_BINARY(Min)
  TENON_VERIFY_BINARY(Max)
  TENON_VERIFY_BINARY(EQ)
  TENON_VERIFY_BINARY(NE)
  TENON_VERIFY_BINARY(LT)
  TENON_VERIFY_BINARY(LE)
  TENON_VERIFY_BINARY(GT)
  TENON_VERIFY_BINARY(GE)
  TENON_VERIFY_BINARY(And)
  TENON_VERIFY_BINARY(Or)
#undef TENON_VERIFY_BINARY

  // Statements.
  void VisitLetStmt(const LetStmt* let);
  void VisitAttrStmt(const AttrStmt* attr);
  void VisitAssertStmt(const AssertStmt* assertion);
  void VisitBufferStore(const BufferStore* store);
  void VisitAllocate(const Allocate* allocate);
  void VisitAllocateConst(const AllocateConst* allocate);
  void VisitDeclBuffer(const DeclBuffer* decl);
  void VisitEvaluate(const Evaluate* evaluate);
  void VisitSeqStmt(const SeqStmt* seq);
  void VisitIfThenElse(const IfThenElse* branch);
  void VisitFor(const For* loop);
  void VisitWhile(const While* loop);
  void VisitBlock(const Block* block);
  void VisitBlockRealize(const BlockRealize* realize);
  void VisitBufferRealize(const BufferRealize* realize);
  void VisitProducerRealize(const ProducerRealize* realize);

  // Parts.
  void VisitBuffer(const Buffer* buffer);

 private:
  void Error(DiagnosticKind rule, SourceRange range, std::string message);
  /// Where `expr` stands as a part of what lies at `parent`: a variable knows its definition's
  /// place alone.
  static SourceRange PlaceOf(const Expr* expr, SourceRange parent) {
    return isa<Var>(expr) && parent.valid() ? parent : expr->range;
  }

  void VisitBinary(const BinaryExpr* node);
  void CheckDivisor(const BinaryExpr* node);
  void CheckCondition(const Expr* condition, std::string_view what, SourceRange parent);
  /// Operands of mathematics and bit operations are numbers.
  void CheckNumbers(const Call* call);
  /// What a call says of its own argument: lookup_param, address_of, reinterpret.
  void CheckArguments(const Call* call);
  void CheckMatch(const MatchBufferRegion* match);
  void CheckAllocated(const Buffer* buffer);
  /// Indices of a load or store: rank, dtypes, constant bounds. Returns the lanes the access has.
  /// An index may be the extent plus `beyond`, less one.
  int CheckIndices(const Buffer* buffer, Span<const Expr*> indices, SourceRange range,
                   int64_t beyond = 0);
  void CheckConstantIndex(const Buffer* buffer, size_t dimension, const Expr* index,
                          int64_t beyond);
  /// Checks the extents of an allocation of `dtype`. Gives the number of elements if all extents
  /// are constant and right.
  std::optional<int64_t> CheckExtents(Span<const Expr*> extents, DataType dtype, SourceRange range);
  void CheckCallee(const Call* call);
  void CheckShift(const Call* call);

  /// Complains about uses of variables at the place of the innermost node around them that has one:
  /// variables are shared and know where they are defined alone.
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
  /// Of the function, found when its first constant may be stored to.
  std::optional<PointerRoots> roots_;
  /// Every variable met: true while its definition reaches.
  absl::flat_hash_map<const Var*, bool> live_;
  absl::flat_hash_set<const Buffer*> checked_buffers_;
  absl::flat_hash_map<const Var*, const AllocateConst*> constants_;
  absl::flat_hash_set<const Var*> reported_;
  /// How many conditions guard the node. Constant faults are errors where it is 0.
  int guards_;
  /// The element whose address is taken: nothing reads it, so it may be the one after the last.
  const BufferLoad* addressed_ = nullptr;
  SourceRange place_;
  bool met_constants_ = false;
};

}  // namespace tenon::verify_internal

#endif  // TENON_IR_VERIFY_INTERNAL_H_
