#ifndef TENON_LOWERING_C_C_INTERNAL_H_
#define TENON_LOWERING_C_C_INTERNAL_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "arith/analyzer.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/model_entry.h"
#include "ir/analysis/pointers.h"
#include "ir/external_code.h"
#include "ir/visitor.h"
#include "lowering/c/c_constant_use.h"
#include "lowering/c/emit_c.h"
#include "lowering/entry/c_names.h"
#include "lowering/entry/c_text.h"
#include "lowering/entry/model_interface.h"
#include "lowering/module_constants.h"
#include "lowering/symbol_names.h"

// Internal to lowering/c.

namespace tenon::c_lowering {

/// The precedence of C text. Text that binds less than its context needs parentheses.
enum class Binding : uint8_t {
  kTernary,
  kOr,
  kAnd,
  kBitOr,
  kBitXor,
  kBitAnd,
  kEqual,
  kCompare,
  kShift,
  kAdd,
  kMul,
  kUnary,
  kPrimary
};

/// C text of an expression.
struct Text {
  std::string text;
  Binding binding = Binding::kPrimary;
  int depth = 1;       ///< nesting depth, to stay within compilers' limits
  bool wraps = false;  ///< `(int32_t)(...)` around an unsigned operation
};

/// The declaration of an extern, derived from its calls.
struct ExternDeclaration {
  std::string name;
  std::string_view result;
  struct Param {
    std::string_view type;  ///< "void*", "char*" or a scalar's
    bool is_const = false;  ///< for pointers: some call passes read-only data
  };
  std::vector<Param> params;

  std::string ToString() const;
};

/// The C text of the builtins of entry functions.
struct EntryText {
  const EntryAbi* abi = nullptr;
  /// The address of a pool that the code owns, by the pool's name.
  struct Pool {
    std::string address;
    bool is_constant = false;
  };
  absl::flat_hash_map<std::string, Pool> pools = {};
  /// One for each loaded constant, in order.
  struct Load {
    std::string comment;
    /// The address of its stored bytes, if they are in no pool.
    std::string stored;
    /// Only `<prefix>_init` reads the stored bytes.
    bool is_copied = false;
    /// Conditions under which the stored bytes are damaged.
    std::vector<std::string> checks;
  };
  std::vector<Load> loads = {};
};

/// The state that all functions of a module share during emission.
struct ModuleState {
  const IRModule& module;
  const EmitCOptions& options;
  Diagnostics& diagnostics;
  const ModuleEffects& effects;
  std::string prefix;
  NameScope globals = {};
  /// C names of the functions of the module.
  absl::flat_hash_map<Symbol, std::string> function_names = {};
  /// The functions that loops of others call, such as those for a row.
  absl::flat_hash_set<Symbol> called_in_loops = {};
  /// Externs that need a declaration, in order of their first call.
  std::vector<ExternDeclaration> externs = {};
  /// The index in `externs` of each name.
  absl::flat_hash_map<std::string, size_t> extern_index = {};
  /// Constants and internal constant pools.
  std::vector<Blob> blobs = {};
  /// The number of the first part of each blob: see c_constant_use.h.
  std::vector<size_t> first_parts = {};
  /// Typedefs of the used GNU vector types by name, in the order of printing.
  std::map<std::string, std::string> vector_types = {};
  /// The code has operations on lanes that need tenon_products.h.
  bool has_lane_macros = false;
  /// Constants outside of pools, and the names and blobs of the arrays that are defined.
  ModuleConstants constants = {};
  std::vector<std::string> block_names = {};
  std::vector<size_t> block_blobs = {};
  /// Null unless constants are checked at their uses.
  std::unique_ptr<const ConstantPoolMap> constant_pools = {};
  /// Bytes of constants are little-endian for every kind of storage.
  bool is_little_endian = false;
  /// Some loop calls TENON_PARALLEL_FOR.
  bool has_parallel_loops = false;
  /// Set before entry functions are emitted.
  EntryText entry = {};
  /// Some entry function changes a flag that threads share.
  bool has_atomics = false;
  /// The operators of the entry, and the index of each of their statements. Empty if the entry
  /// calls no function: then it is an operator itself.
  std::vector<OperatorNote> operators = {};
  absl::flat_hash_map<const Stmt*, size_t> operator_of = {};

  void Error(SourceRange range, std::string message);
};

/// Emits one function. Expressions are in c_expr.cc, arithmetic in c_arith.cc, calls in c_call.cc,
/// statements in c_stmt.cc, parallel loops in c_parallel.cc, vectors in c_vector.cc, builtins of
/// entry functions in c_entry.cc.
class FunctionEmitter {
 public:
  FunctionEmitter(ModuleState& state, const Function& function);

  /// The definition, and the declaration without its semicolon.
  std::string Emit(bool is_static);
  const std::string& declaration() const { return declaration_; }

 private:
  friend class VectorEmitter;

  // Expressions.
  Text Expression(const Expr* expr);
  Text ExpressionOf(const Expr* expr);
  Text Variable(const Var* var);
  /// The text of `expr`, in parentheses if it binds less than `at_least`.
  std::string In(const Expr* expr, Binding at_least);
  std::string In(Text text, Binding at_least);
  std::string Argument(const Expr* expr) { return In(expr, Binding::kTernary); }
  Text Infix(std::string_view op, Binding binding, Text left, Text right);
  Text Arithmetic(const BinaryExpr* node);
  Text IntegerArithmetic(const BinaryExpr* node, std::string_view op, Binding binding);
  Text FloatArithmetic(const BinaryExpr* node, std::string_view op, Binding binding);
  Text FloatDivision(const BinaryExpr* node, Text left, Text right);
  std::string Unsigned(const Expr* expr, Text text, std::string_view type);
  Text Division(const BinaryExpr* node);
  Text MinMax(const BinaryExpr* node);
  Text Comparison(const BinaryExpr* node);
  Text Logical(const BinaryExpr* node);
  Text CastTo(const Cast* node);
  /// A value as a float that rounds to the same float16 or bfloat16 as the value itself.
  std::string SingleOf(DataType from, Text value);
  Text Load(const BufferLoad* load);
  Text GuardedLet(const Let* let, Text value);
  Text Ternary(const Expr* condition, const Expr* a, const Expr* b);
  Text SmallFloat(const Expr* expr);
  /// The text of an expression for use in arithmetic: float16 and bfloat16 as float.
  Text Widened(const Expr* expr);
  /// An element of a buffer as an lvalue.
  std::string Element(const Buffer* buffer, Span<const Expr*> indices, SourceRange range,
                      bool is_stored = false);
  Text Unsupported(const Expr* expr, std::string_view what);
  /// Puts a deep expression into a local variable if it may be evaluated early.
  Text Settle(Text text, const Expr* expr);

  // Calls.
  Text CallText(const Call* call);
  Text FunctionCall(const Call* call, const CallSite& site);
  void DeclareExtern(const Call* call, const CallSite& site);
  /// A pointer, converted to the type of parameter `index` of a function of the module.
  std::string PointerArgument(const Function& callee, size_t index, const Expr* arg,
                              const std::string& text);
  Text Shift(const Call* call, bool left);
  Text Bits(const Call* call);
  Text Math(const Call* call);
  std::optional<Text> IntegerMath(const Call* call);
  Text MathFunction(std::string_view name, const Call* call);
  Text QMultiplyShift(const Call* call);
  Text Dp4a(const Call* call);
  Text Reinterpret(const Call* call);
  Text AddressOf(const Call* call);

  // Entry functions.
  bool IsEntryFunction() const { return !EntryFunctionOf(function_).empty(); }
  /// The struct that a map function returns by value, or empty.
  std::string MapResult() const;
  Text EntryField(const Call* call);
  Text EntryData(const Call* call);
  /// Whether an expression is the address of constant data.
  bool IsConstData(const Expr* expr) const;
  Text AtomicCall(const Call* call);
  Text ZstdCall(const Call* call);
  /// The value of a `T.ret`: entry functions return macros of the header.
  std::string StatusText(const Expr* status);
  /// Emits a builtin of entry functions that has no result; false for other calls.
  bool EntryStatement(const Call* call);
  void LoadStatement(const AttrStmt* attr);

  // Statements.
  void Declarators(std::vector<std::string>& params);
  void Statement(const Stmt* stmt);
  /// The comment and the hook before an operator, and the hook after the last one.
  void OperatorHead(size_t index);
  void OperatorsEnd();
  void StatementOf(const Stmt* stmt);
  /// Emits the checks of file-backed constants that `stmt` itself passes on or loads. Nested
  /// statements emit their own checks.
  void CheckBefore(const Stmt* stmt);
  void CheckConstants(const ConstantNumbers& numbers);
  void Branch(const Stmt* body);
  void Body(const Stmt* stmt);
  void Line(std::string_view text);
  /// Emits `if (condition) { statement }`.
  void Guarded(std::string_view condition, std::string_view statement);
  void Sequence(const SeqStmt* seq);
  /// An expression with the value of `expr` before a loop. If the loop may change memory that
  /// `expr` reads, this declares a variable for the value.
  const Expr* Once(const Expr* expr, std::string_view name);
  /// Whether the end of a loop, `min + extent`, is proven to fit its dtype.
  bool EndFits(const For* loop);
  void StoreStatement(const BufferStore* store);
  /// A store for which IsGnuVectorStore holds.
  void VectorStatement(const BufferStore* store, const Expr* value);
  void AttrStatement(const AttrStmt* attr);
  void LoopStatement(const For* loop);
  /// A variable of the enclosing function that a loop's function needs.
  struct Captured {
    std::string name;
    std::string field;  ///< its declaration in the struct of captures
    std::string local;  ///< its declaration in the loop's function
  };
  std::vector<Captured> Captures(const For* loop);
  bool IsParallel(const For* loop);
  void ParallelLoop(const For* loop);
  std::string LoopFunction(const For* loop, const std::string& name, const std::string& min,
                           const std::vector<Captured>& captures);
  void CountedLoop(const For* loop);
  void WhileStatement(const While* loop);
  void IfStatement(const IfThenElse* branch);
  void LetStatement(const LetStmt* let);
  void AllocateStatement(const Allocate* allocate);
  void ConstantStatement(const AllocateConst* allocate);
  void EvaluateStatement(const Evaluate* evaluate);
  void Unsupported(const Stmt* stmt, std::string_view what);

  const std::string& NameOf(const Var* var);
  const std::string& Declare(const Var* var);
  /// The declarator of a pointer variable, `const tenon_int8* x`.
  std::string PointerDeclarator(const Var* var, const Type& type, bool is_const, bool restricted);
  /// A name for a variable that hides no name of the module.
  std::string LocalName(std::string_view name);
  bool IsConst(const Var* pointer) const;
  /// Counts the occurrences of variables that the C may print.
  void CountOccurrences();
  /// Whether the variable occurs in the body outside its `definitions`. The C of an occurrence may
  /// still leave the variable out: see NoteIfUnread.
  bool IsUsed(const Var* var, int definitions) const;
  /// Adds a `(void)name;` at the position `at` of the text if nothing after it reads the variable:
  /// compilers then do not warn.
  void NoteIfUnread(const std::string& name, size_t at);

  ModuleState& state_;
  const Function& function_;
  PointerRoots roots_;
  Arena arena_;
  Analyzer analyzer_;
  NameScope names_;
  absl::flat_hash_map<const Var*, std::string> name_of_;
  std::vector<const Var*> threads_;  ///< thread variables of open loops
  /// The number of occurrences of each variable in the body, definitions included.
  absl::flat_hash_map<const Var*, int> occurrences_;
  /// Names of variables that the text reads after their declarations. Compilers do not count stores
  /// to elements of arrays.
  absl::flat_hash_set<std::string> read_;
  /// Allocations that are arrays where the text is.
  absl::flat_hash_set<const Var*> arrays_;
  /// Roots of read-only storage.
  absl::flat_hash_map<const Var*, bool> const_roots_;
  /// Variables with module-level names, and names of `restrict` pointers.
  absl::flat_hash_set<const Var*> global_vars_;
  absl::flat_hash_set<std::string> restricted_names_;
  /// Definitions of the function's parallel loops.
  std::string loop_functions_;
  bool is_in_threads_ = false;
  /// Variables of loops that some compilers vectorize incorrectly.
  absl::flat_hash_set<const Var*> in_order_;
  /// The text of each variable of a let expression.
  absl::flat_hash_map<const Var*, std::string> inline_lets_;
  /// Null unless constants are checked at their uses.
  std::unique_ptr<const ConstantUses> constant_uses_;
  /// Constants that have been checked at the current point, as a set and in order.
  absl::flat_hash_set<size_t> is_checked_;
  std::vector<size_t> checked_;
  bool checks_are_done_ = false;  ///< inside a loop: its constants were checked before it
  std::string declaration_;
  std::string out_;
  int indent_ = 1;
  bool ends_block_ = true;  ///< the statement is the last one in its C block
  int guards_ = 0;
  int temporaries_ = 0;
  /// In statements that load a constant: the constant.
  const EntryText::Load* load_ = nullptr;
};

/// Whether an expression is a cast of a narrower signed number to an unsigned one.
bool WidensSigned(const Expr* expr);

/// The C conditions that check `numbers`, one for each range of consecutive numbers.
std::vector<std::string> ConstantChecks(const ModuleState& state, const ConstantNumbers& numbers);

/// Elements of a part as a C initialiser, `1, 2, 3`, wrapped.
void AppendInitializer(std::string& out, const BlobPart& part);
/// A name for a function or data of the module: `base`, with a numeric suffix if that is taken.
std::string GlobalName(ModuleState& state, std::string_view base);
/// As GlobalName, for a constant or a pool.
std::string ConstantName(ModuleState& state, std::string_view base);
/// Adds a blob to the module, with the options' section and alignment. Messages call the blob
/// `what` and point to `range`.
void AddBlob(ModuleState& state, Blob blob, SourceRange range, std::string_view what);
/// `static const int16_t name[n] TENON_...= {...};`, or a struct for several parts.
std::string BlobDefinition(const Blob& blob);
/// Whether C stores the blob as bytes that mean other numbers on a big-endian machine.
bool HasLowByteFirst(const Blob& blob);
/// The way in which the module's blobs get into the program: the option's value, or the one that
/// kAuto stands for.
ConstantStorage StorageOf(const ModuleState& state);
/// Decides which constants of these functions share an array.
void LayOutConstantsOf(ModuleState& state, const std::vector<const Function*>& functions);
/// The place of a constant: a byte offset in an array of elements of `dtype`.
struct PlacedConstant {
  std::string name;
  DataType dtype;
  int64_t offset = 0;
  size_t blob = 0;  ///< its index; out of range after a reported error
};
/// The place of a constant. The first use defines its array.
PlacedConstant PlaceConstant(ModuleState& state, const AllocateConst& allocate);

/// The data of an entry in C: pools, loaded constants and flags, with their names.
class EntryEmitter {
 public:
  /// Takes the names of the interface, so that functions and data of the module get other names.
  EntryEmitter(ModuleState& state, const Function& entry, const ModelInterface& interface);

  /// Definitions of internal workspace pools.
  std::string Pools() const;
  /// The headers of pools that are defined elsewhere.
  std::set<std::string> PoolHeaders() const;
  /// Adds internal constant pools to the blobs.
  void AddConstantPools();
  /// As AddConstantPools, but before functions are emitted, for functions that check their
  /// constants.
  void AddCheckedPools(const std::vector<const Function*>& order);
  /// Adds stored bytes of loaded constants that are in no pool to the module's blobs.
  void AddStoredConstants();
  /// Definitions of the flags of entry functions.
  std::string Flags() const;
  /// The C text of the data that entry functions refer to.
  EntryText Entry() const;

 private:
  /// A pool whose address the code knows.
  struct OwnedPool {
    std::string object;
    int blob = -1;           ///< for a constant pool, once it has been added
    bool is_copied = false;  ///< only `<prefix>_init` reads it
  };
  /// A constant that `<prefix>_init` loads into RAM.
  struct Stored {
    std::string name;  ///< name of its blob, if it is stored in no pool
    int blob = -1;     ///< index of that blob
  };

  bool IsDefinedHere(size_t pool) const;
  void AddConstantPool(size_t index);
  void CheckLoads() const;
  /// Finds the constant pools that are only copied.
  void MarkCopiedPools();
  /// Conditions under which the stored bytes are damaged.
  std::vector<std::string> CheckStored(size_t load) const;

  ModuleState& state_;
  const Function& entry_;
  const ModelInterface& interface_;
  const std::vector<PoolArg>& args_;
  const std::vector<PlacedLoad>& loads_;
  /// In the order of the interface's pools and loads.
  std::vector<OwnedPool> pools_;
  std::vector<Stored> stored_;
};

}  // namespace tenon::c_lowering

#endif  // TENON_LOWERING_C_C_INTERNAL_H_
