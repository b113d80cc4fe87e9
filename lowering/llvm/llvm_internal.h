#ifndef TENON_LOWERING_LLVM_LLVM_INTERNAL_H_
#define TENON_LOWERING_LLVM_LLVM_INTERNAL_H_

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "arith/analyzer.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/model_entry.h"
#include "ir/analysis/pointers.h"
#include "ir/visitor.h"
#include "lowering/blob.h"
#include "lowering/byte_blocks.h"
#include "lowering/llvm/debug_info.h"
#include "lowering/llvm/emit_llvm.h"
#include "lowering/module_constants.h"
#include "lowering/short_products.h"
#include "lowering/symbol_names.h"
#include "schedule/instructions.h"

// Internal to lowering/llvm.

namespace tenon::llvm_lowering {

/// The LLVM machine of a target and optimization level; an error names the part that LLVM does not
/// know.
absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> MakeTargetMachine(const TargetSpec& target,
                                                                       int opt_level);

/// The target is an Arm processor with the DSP instructions (SMLAD, SXTB16).
bool HasArmDsp(const llvm::TargetMachine& machine);
/// Vectors of integers of the M-profile (Helium).
bool HasArmMve(const llvm::TargetMachine& machine);
/// The instructions for sums of products of 8-bit integers that share their factors.
enum class ByteSumsForm : uint8_t {
  /// LLVM chooses.
  kNone,
  /// Cortex-M0, M0+ and M23.
  kThumb1,
  /// Cortex-M3, and M33 without the DSP instructions.
  kThumb2,
};
ByteSumsForm ByteSumsFormOf(const llvm::TargetMachine& machine);
/// Bits of the widest registers whose pairs of 16-bit integers x86 multiplies and adds; 0 for other
/// processors.
int X86PairBits(const llvm::TargetMachine& machine);
/// x86 has an instruction for products of 64 bits of signed words.
bool HasPmuldq(const llvm::TargetMachine& machine);
/// The instruction for Combine::kQuads.
struct QuadInstructions {
  Instruction instruction = Instruction::kVpdpbusd;
  /// Bits of the widest registers; 0: the target has no such instruction.
  int bits = 0;
};
QuadInstructions QuadInstructionsOf(const llvm::TargetMachine& machine);
/// The rows of schedule/instructions.def that the target has, as this back end uses them.
InstructionSet InstructionsOf(const llvm::TargetMachine& machine);

/// Limit of the fields of a struct that entry functions take.
inline constexpr int64_t kMostEntryFields = 1 << 20;

/// The data that entry functions refer to.
struct EntryData {
  /// Pools that the code owns, by name.
  absl::flat_hash_map<std::string, llvm::GlobalVariable*> pools = {};
  absl::flat_hash_map<std::string, llvm::GlobalVariable*> flags = {};
  /// Stored bytes of each loaded constant; null if they are in a pool.
  std::vector<llvm::GlobalVariable*> stored = {};
};

/// Constants that LLVM only sees as external symbols.
struct OutsideConstants {
  /// See EmitLlvmOptions::constant_limit.
  int64_t limit = kDefaultLlvmConstantLimit;
  /// The constants are linked with the code and thus near it; else their addresses are arbitrary.
  bool is_near = true;
  /// Filled in the order of their first uses.
  std::vector<Blob> blobs = {};
};

/// The state that all functions of a module share.
struct ModuleState {
  const IRModule& module;
  const EmitLlvmOptions& options;
  Diagnostics& diagnostics;
  const ModuleEffects& effects;
  llvm::Module& out;
  OutsideConstants& outside;
  /// Constants larger than `inside_bytes` become external symbols. `constant_bytes` is the total
  /// size of all constants.
  int64_t inside_bytes;
  int64_t constant_bytes;
  absl::flat_hash_map<Symbol, llvm::Function*> functions;
  /// Constants outside of pools, and the globals of the arrays that are defined.
  ModuleConstants constants;
  std::vector<llvm::GlobalVariable*> blocks;
  DebugInfo debug;
  /// Set before entry functions are emitted.
  EntryData entry = {};
  /// See HasArmDsp and HasArmMve.
  bool has_arm_dsp = false;
  bool has_arm_mve = false;
  /// See X86PairBits.
  int x86_pair_bits = 0;
  bool has_pmuldq = false;
  QuadInstructions quads = {};
  ByteSumsForm byte_sums = ByteSumsForm::kNone;

  llvm::LLVMContext& context() const { return out.getContext(); }
  const llvm::DataLayout& layout() const { return out.getDataLayout(); }
  /// The integer type with the width of an address.
  llvm::IntegerType* WordType() const;
  void Error(SourceRange range, std::string message) {
    diagnostics.Error(DiagnosticKind::kUnsupported, range, std::move(message));
  }
};

/// The type of a value: i1 for bool, vectors for lanes; small floats are their bits. Null if LLVM
/// has no such type.
llvm::Type* ValueType(llvm::LLVMContext& context, DataType dtype);
/// The type in memory and in function signatures, where a bool is a byte.
llvm::Type* MemoryType(llvm::LLVMContext& context, DataType dtype);
/// signext or zeroext for integers smaller than C's int.
llvm::Attribute::AttrKind Extension(DataType dtype);

/// Decides which constants of these functions share an array, and which constants LLVM sees.
void LayOutConstantsOf(ModuleState& state, const std::vector<const Function*>& functions);
/// The address of a constant. The first use defines its global.
llvm::Constant* PlaceConstant(ModuleState& state, const AllocateConst& allocate);
/// Defines a private constant, or declares an external one if LLVM must not see the bytes. Section
/// and alignment are the defaults unless the blob sets them. Errors point to `range`.
llvm::GlobalVariable* DefineConstant(ModuleState& state, Blob blob, SourceRange range);
/// The section of storage for which the text requests section `asked`; `otherwise` if `asked` is
/// empty. An error at `range` if the target has no such sections.
std::string SectionFor(ModuleState& state, const std::string& asked, const std::string& otherwise,
                       SourceRange range);
/// Puts a global into a section if the target has such sections.
void SetSection(ModuleState& state, llvm::GlobalObject& global, const std::string& section);

/// Emits one function. Expressions are in llvm_expr.cc, arithmetic in llvm_arith.cc, loads and
/// stores in llvm_memory.cc, calls in llvm_call.cc and llvm_math.cc, statements in llvm_stmt.cc.
class FunctionEmitter {
 public:
  FunctionEmitter(ModuleState& state, const Function& function);
  /// Declares the function, with the known facts about its parameters as attributes.
  static llvm::Function* Declare(ModuleState& state, const Function& function, bool is_internal,
                                 const std::string& name);
  void Emit();

 private:
  // Expressions.
  llvm::Value* Value(const Expr* expr);
  llvm::Value* ValueOf(const Expr* expr);
  llvm::Value* Immediate(const Expr* expr);
  llvm::Value* RampOf(const Ramp* ramp);
  llvm::Value* ShuffleOf(const Shuffle* shuffle);
  /// A shuffle of vectors of equal length by constant indices, as one instruction for each vector
  /// after the first; null for others. LLVM makes a chain of shuffles of lanes that are extracted
  /// and inserted. More than two vectors are as long as the result.
  llvm::Value* ShuffleOfVectors(const Shuffle* shuffle);
  llvm::Value* LetOf(const Let* let);
  llvm::Value* Convert(llvm::Value* value, DataType from, DataType to, const Expr* expr);
  /// One of two expressions. An arm that must not be evaluated speculatively is emitted in a
  /// branch.
  llvm::Value* Choose(const Expr* condition, const Expr* yes, const Expr* no, DataType dtype);
  llvm::Value* Logical(const BinaryExpr* node);
  /// Whether an expression is small and does not trap, read memory or have an effect.
  bool IsSpeculatable(const Expr* expr);
  llvm::Value* Poison(const Expr* expr);
  llvm::Value* Unsupported(const Expr* expr, std::string_view what);
  llvm::Type* TypeOf(DataType dtype) { return ValueType(state_.context(), dtype); }
  llvm::Value* Splat(llvm::Value* scalar, int lanes);
  llvm::Value* Int(llvm::Type* type, int64_t value);

  // Arithmetic.
  llvm::Value* Arithmetic(const BinaryExpr* node);
  llvm::Value* IntegerArithmetic(const BinaryExpr* node, llvm::Value* a, llvm::Value* b);
  llvm::Value* FloatArithmetic(const BinaryExpr* node, llvm::Value* a, llvm::Value* b);
  llvm::Value* Comparison(const BinaryExpr* node, llvm::Value* a, llvm::Value* b);
  llvm::Value* MinMax(const BinaryExpr* node, llvm::Value* a, llvm::Value* b);
  llvm::Value* WideProduct(const Mul* product);
  struct Word {
    llvm::Value* value;
    bool is_signed;
  };
  std::optional<Word> WordOf(const Expr* expr);
  llvm::Value* Division(const BinaryExpr* node, llvm::Value* a, llvm::Value* b);
  llvm::Value* FloorDivision(const BinaryExpr* node, llvm::Value* a, llvm::Value* b,
                             llvm::Value* quotient, llvm::Value* remainder);

  // Memory.
  llvm::Value* Load(const BufferLoad* load);
  void Store(const BufferStore* store);
  struct Access;
  bool MakeAccess(const Buffer* buffer, Span<const Expr*> indices, const Expr* predicate,
                  SourceRange range, Access& access);
  llvm::Value* LoadAll(const Access& access);
  llvm::Value* LoadSteps(const Access& access);
  /// The elements of a row whose length is not a power of two, with lanes of no value after them:
  /// LLVM takes a shuffle of three lanes apart. Other values as they are.
  llvm::Value* PaddedRow(const Expr* vector);
  void StoreAll(const Access& access, llvm::Value* value);
  void CopyLanes(const Access& access, llvm::Value* all, bool loads);
  llvm::Value* Address(const Access& access, int lane, int part);
  llvm::Value* Element(llvm::Type* type, llvm::Value* base, llvm::Value* index, DataType dtype);
  llvm::Value* AddressOf(const Call* call);
  llvm::Value* ElementAddress(const Buffer* buffer, Span<const Expr*> indices, SourceRange range);
  llvm::Value* ElementAddress(const BufferLoad* load) {
    return ElementAddress(load->buffer, load->indices, load->range);
  }
  llvm::Value* Pointer(const Var* var);
  llvm::Value* FromMemory(llvm::Value* value, DataType dtype);
  llvm::Value* ToMemory(llvm::Value* value, DataType dtype);
  llvm::AllocaInst* StackArray(llvm::Type* element, int64_t count, int64_t alignment,
                               std::string_view name);

  // Calls.
  llvm::Value* CallOf(const Call* call);
  llvm::Value* FunctionCall(const Call* call, const CallSite& site);
  llvm::Value* ModuleCall(const Call* call, const CallSite& site);
  llvm::Value* ExternCall(const Call* call, const CallSite& site);
  llvm::Value* IntrinsicCall(const Call* call);
  llvm::Value* Shift(const Call* call);
  llvm::Value* Bits(const Call* call);
  llvm::Value* Reinterpret(const Call* call);
  llvm::Value* VectorCall(const Call* call);
  llvm::Value* Dp4a(const Call* call);
  llvm::Value* ArmDp4a(const Call* call);
  llvm::Value* InShort(const Expr* factor);
  llvm::Value* ExtendedWords(const Expr* expr);
  llvm::Value* WordsOfProducts(const Cast* cast);
  llvm::Value* WordsOfProducts(llvm::Value* x, llvm::Value* y, bool is_signed, int64_t added,
                               int64_t by);
  /// Two factors of 16 bits for each lane: separate, or interleaved in one vector.
  struct ShortPair {
    llvm::Value* low = nullptr;
    llvm::Value* high = nullptr;
    llvm::Value* both = nullptr;  ///< null if they are separate
  };
  llvm::Value* WithNeighbours(const Expr* low);
  ShortPair PairOf(const Expr* low, const Expr* high);
  llvm::Value* InPairs(const ShortPair& pair, int first, int lanes);
  llvm::Value* SumOfProducts(const Add* sum);
  llvm::Value* AddQuadInPairs(llvm::Value* sum, llvm::Value* x, llvm::Value* weights, int lanes);
  llvm::Value* AddQuad(llvm::Value* sum, std::span<const ShortProduct> products, int lanes);
  llvm::Value* AddQuadPiece(llvm::Value* sum, llvm::Value* x, llvm::Value* weights, int lanes);
  llvm::Value* LoadBytes(const Buffer* buffer, const Expr* index, llvm::Type* type);
  llvm::Value* PairOfProducts(const ShortPair& a, const ShortPair& b, int lanes, int piece);
  llvm::Value* MveDot(const Call* call);
  llvm::Value* MveRoundedShift(const Call* call);
  llvm::Value* MveQ31(const Call* call);
  llvm::Value* MveWords(
      int lanes,
      llvm::function_ref<llvm::Value*(llvm::function_ref<llvm::Value*(llvm::Value*)>)> make);
  bool ByteSums(const ByteBlock& block, const Var* counter);
  llvm::Value* LaneMask(const Call* call);
  llvm::Value* QMultiplyShift(const Call* call);
  llvm::Value* QMultiplyShiftPerAxis(const Call* call);
  llvm::Value* ScaledProduct(llvm::Value* x, llvm::Value* y, llvm::Value* left, llvm::Value* total);
  llvm::Value* Wide(const Expr* arg, int lanes, int bits);
  llvm::Value* Math(const Call* call);
  llvm::Value* IntegerMath(const Call* call);
  llvm::Value* OtherMath(const Call* call, llvm::Value* x);
  llvm::Value* LibraryCall(std::string_view name, const Call* call, std::vector<llvm::Value*> args);
  llvm::Value* ExternArgument(const Call* call, std::string_view name, size_t index,
                              const Expr* arg);

  // Entry functions (llvm_entry.cc).
  static llvm::Function* DeclareMap(ModuleState& state, const Function& function,
                                    const std::string& name);
  void EmitMap();
  llvm::Value* EntryField(const Call* call);
  llvm::Value* EntryDataOf(const Call* call);
  llvm::Value* CopyBytes(const Call* call);
  llvm::Value* ZstdDecompress(const Call* call);
  llvm::Value* Atomic(const Call* call);
  /// A number of bytes as an integer with the width of an address.
  llvm::Value* Size(const Expr* expr);
  llvm::Value* RuntimeCall(const Call* call);
  llvm::Value* WorkspaceCall(const Call* call);

  // Statements.
  void Statement(const Stmt* stmt);
  void StatementOf(const Stmt* stmt);
  void AttrStatement(const AttrStmt* attr);
  void SeqStatement(const SeqStmt* all);
  void LoopStatement(const For* loop);
  void LoopBody(const For* loop, llvm::Value* min, llvm::Value* extent);
  /// Emits a call of tenon_parallel_for for a parallel loop; false if the loop must run in this
  /// function.
  bool ParallelLoop(const For* loop, llvm::Value* min, llvm::Value* extent);
  void LoopFunction(const For* loop, llvm::Function* out, llvm::Value* min,
                    const std::vector<const Var*>& vars);
  llvm::MDNode* LoopMetadata(const For* loop);
  void WhileStatement(const While* loop);
  void IfStatement(const IfThenElse* branch);
  void LetStatement(const LetStmt* let);
  void AllocateStatement(const Allocate* allocate);
  void EvaluateStatement(const Evaluate* evaluate);
  void PrefetchStatement(const Prefetch* prefetch);
  /// Returns `code` from the function if the condition holds.
  void FailIf(llvm::Value* condition, llvm::Value* code);
  void Return(llvm::Value* value);
  void Unsupported(const Stmt* stmt, std::string_view what);
  llvm::BasicBlock* Block(std::string_view name);
  /// In a long function: marks a point at which SplitFunction may cut it.
  void CutIfLong();
  void Cut();

  ModuleState& state_;
  const Function& function_;
  llvm::Function* out_;
  llvm::IRBuilder<> build_;
  Arena arena_;
  Analyzer analyzer_;
  absl::flat_hash_map<const Var*, llvm::Value*> values_;
  std::vector<const Var*> threads_;  ///< thread variables of open loops
  bool is_in_threads_ = false;
  /// T.unroll loops that are not too large.
  absl::flat_hash_set<const For*> unrolled_;
  /// Number of open loops and conditions.
  int nesting_ = 0;
  int statements_ = 0;
  /// The first blocks of the pieces of a long function, and the number of statements before the
  /// last cut.
  bool is_long_ = false;
  std::vector<llvm::BasicBlock*> cuts_;
  int statements_before_cut_ = 0;
};

/// Moves the pieces of a function, except the last one, to functions. `cuts` are the first blocks
/// of the pieces. The blocks of a piece are consecutive, and control leaves a piece only at its
/// end. `effects` are those of the function in TIR.
void SplitFunction(llvm::Function& function, const FunctionEffects& effects,
                   const std::vector<llvm::BasicBlock*>& cuts);

/// Cuts basic blocks of thousands of instructions, as the last change before code generation.
void DivideLongBlocks(llvm::Module& module);

/// Whether it is `<prefix>_map_inputs` or `_map_outputs`, and returns its struct by value.
bool ReturnsStruct(const ModuleState& state, const Function& function);
/// Defines the pools and flags of an entry, and the stored bytes of loaded constants.
EntryData DefineEntryData(ModuleState& state, const Function& entry);

/// The modules as LLVM IR, verified but not optimized; null after an error.
std::unique_ptr<llvm::Module> BuildModule(const LlvmProgram& program,
                                          const EmitLlvmOptions& options,
                                          const llvm::TargetMachine& machine,
                                          llvm::LLVMContext& context, OutsideConstants& outside,
                                          Diagnostics& diagnostics);
/// Sends LLVM's errors to `errors`, which must outlive the context. Drops remarks, and warnings
/// that a hint could not be followed.
void CollectErrors(llvm::LLVMContext& context, std::string& errors);
/// Adds a diagnostic of LLVM to `errors` if it is an error.
void AddError(const llvm::DiagnosticInfo& info, std::string& errors);

/// Runs LLVM's own pipeline at the options' level.
void Optimize(llvm::Module& module, llvm::TargetMachine& machine, const EmitLlvmOptions& options);
/// As Optimize, but optimizes large functions separately and in parallel, unless the options ask
/// for small code. The result does not depend on the number of threads. Adds errors to `errors`.
void OptimizeInParts(llvm::Module& module, llvm::TargetMachine& machine,
                     const EmitLlvmOptions& options, std::string& errors);
/// Replaces parameters that are the same constant or global in every call.
void PropagateArguments(llvm::Module& module, llvm::TargetMachine& machine);
/// Drops internal functions and globals that nothing refers to.
void DropUnreached(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace tenon::llvm_lowering

#endif  // TENON_LOWERING_LLVM_LLVM_INTERNAL_H_
