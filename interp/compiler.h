#ifndef TENON_INTERP_COMPILER_H_
#define TENON_INTERP_COMPILER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "interp/code.h"
#include "support/diagnostics.h"

namespace tenon::interp {

/// Compiles one function. Registers are allocated as a stack: variables for their scope,
/// intermediate values until their statement ends. Constants are numbered from kConstantBase and
/// moved after the frame at the end.
class Compiler {
 public:
  Compiler(ModuleCode& module, const Function& function, Diagnostics& diagnostics)
      : module_(module), function_(function), diagnostics_(diagnostics) {}

  /// False after an error.
  bool Run(FunctionCode* code);

 private:
  static constexpr int32_t kConstantBase = 1 << 30;
  static constexpr int64_t kMostRegisters = 1 << 24;

  /// Overrides how a buffer is indexed, for a buffer that is a region of another one.
  struct View {
    std::vector<int32_t> strides;  ///< registers; empty if the buffer's strides apply
    std::vector<int32_t> mins;     ///< subtracted from indices; empty if zero
  };
  /// A linear element index.
  struct Index {
    int32_t reg = 0;
    int32_t extent = -1;  ///< the register to check against, or -1 if already checked
    int32_t lanes = 1;    ///< lanes of the register
    int32_t span = 1;     ///< consecutive elements
  };

  // compiler.cc
  void Signature();
  void BindShape(size_t param, const Buffer* buffer);
  void BindLinkedParams();
  void Finish();
  int32_t NewRegs(int32_t lanes);
  int32_t Constant(Slot bits, int32_t lanes = 1);
  int32_t DatumOf(const tenon::Constant* constant);
  int32_t StringPointer(std::string_view text);
  Instr& Emit(Opcode op, int32_t d = 0, int32_t a = 0, int32_t b = 0, int32_t c = -1);
  Instr& EmitKernel(Kernel kernel, DataType dtype, int32_t d, int32_t a, int32_t b = 0,
                    int32_t c = -1);
  int64_t Here() const { return static_cast<int64_t>(code_->code.size()); }
  void Patch(int64_t instr, int64_t target) {
    code_->code[static_cast<size_t>(instr)].target = target;
  }
  int32_t Error(DiagnosticKind kind, std::string message);
  void Fail(DiagnosticKind kind, std::string message);
  void Define(const Var* var, int32_t reg) { vars_[var] = reg; }

  // compile_expr.cc. The result is in the returned register, which is `into` unless that is -1.
  int32_t Expression(const Expr* expr, int32_t into = -1);
  int32_t ExpressionNoStack(const Expr* expr, int32_t into);
  int32_t Binary(const BinaryExpr* expr, int32_t into);
  int32_t ShortCircuit(const BinaryExpr* expr, int32_t into);
  int32_t SelectOf(const Select* expr, int32_t into);
  int32_t CastOf(DataType to, int32_t value, DataType from, int32_t into);
  int32_t ShuffleOf(const Shuffle* expr, int32_t into);
  int32_t LetOf(const Let* expr, int32_t into);
  int32_t VarOf(const Var* var);
  int32_t Immediate(const Expr* expr, int32_t lanes);
  int32_t MoveInto(int32_t reg, int32_t into, int32_t lanes);
  int32_t Target(int32_t into, DataType dtype) { return into >= 0 ? into : NewRegs(dtype.lanes()); }

  // compile_access.cc
  int32_t LoadOf(const BufferLoad* load, int32_t into);
  void StoreOf(const BufferStore* store);
  int32_t AddressOf(const Call* call, int32_t into);
  Index IndexOf(const Buffer* buffer, Span<const Expr*> indices);
  Index LinearIndex(const Buffer* buffer, Span<const Expr*> indices, const View* view);
  Access* NewAccess(const Buffer* buffer);
  int32_t PointerOf(const Buffer* buffer);

  // compile_call.cc
  int32_t CallOf(const Call* call, int32_t into);
  int32_t BuiltinOf(const Call* call, int32_t into);
  int32_t MathOf(const Call* call, OpKind op, Span<const Expr*> args, int32_t into);
  int32_t IfThenElseOf(const Call* call, int32_t into);
  int32_t QMultiplyOf(const Call* call, int32_t into);
  int32_t FunctionCallOf(const Call* call, int32_t into);
  int32_t ExternOf(const Call* call, std::string_view name, int32_t into);
  int32_t VectorOf(const Call* call, int32_t into);
  int32_t PointerCallOf(const Call* call, int32_t into);
  int32_t HostOf(const Call* call, int32_t into);
  /// `<kind> <name>`, as in EntryDataArguments.
  std::string_view EntryDataName(const Call* call);
  int32_t LookupParam(const Call* call);
  int32_t CheckReturn(const Call* call, int32_t into);
  CallInfo* NewCall(const Call* call, Span<const Expr*> args);

  // compile_stmt.cc
  void Statement(const Stmt* stmt);
  void StatementNoStack(const Stmt* stmt);
  void LetOf(const LetStmt* stmt);
  void AttrOf(const AttrStmt* stmt);
  void AssertOf(const AssertStmt* stmt);
  void IfOf(const IfThenElse* stmt);
  void ForOf(const For* stmt);
  void CountedLoop(const For* stmt, int32_t min, int32_t extent);
  void WhileOf(const While* stmt);
  void AllocateOf(const Allocate* stmt);
  void AllocateConstOf(const AllocateConst* stmt);
  void DeclBufferOf(const DeclBuffer* stmt);
  void RealizeOf(const BufferRealize* stmt);
  int32_t EmitAllocate(const Var* var, std::string_view name, DataType dtype,
                       Span<const Expr*> extents);
  /// Extents are registers; `static_bytes` is the size if it is constant, otherwise 0.
  int32_t EmitAllocate(const Var* var, std::string_view name, DataType dtype,
                       std::vector<int32_t> extents, int64_t static_bytes);
  template <class Body>
  void Loop(const Var* var, int32_t min, int32_t extent, Body body);

  // compile_block.cc
  void BlockOf(const BlockRealize* stmt);
  int32_t AllocateBuffer(const Buffer* buffer);
  int32_t ReachedElements(const Buffer* buffer);
  void InitOf(const Block* block);
  void MatchBuffer(const MatchBufferRegion* match);

  ModuleCode& module_;
  const Function& function_;
  Diagnostics& diagnostics_;
  FunctionCode* code_ = nullptr;
  bool ok_ = true;
  SourceRange range_;
  int64_t top_ = 0;
  int64_t most_ = 0;
  absl::flat_hash_map<const Var*, int32_t> vars_;
  absl::flat_hash_map<const Buffer*, View> views_;
  absl::flat_hash_map<std::pair<Slot, int32_t>, int32_t> constants_;
};

}  // namespace tenon::interp

#endif  // TENON_INTERP_COMPILER_H_
