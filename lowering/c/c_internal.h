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
#include "ir/analysis/entry_signature.h"
#include "ir/analysis/pointers.h"
#include "ir/external_code.h"
#include "ir/visitor.h"
#include "lowering/c/c_constant_use.h"
#include "lowering/c/c_names.h"
#include "lowering/c/emit_c.h"
#include "lowering/module_constants.h"
#include "lowering/symbol_names.h"

// Internal to lowering/c.

namespace tenon::c_lowering {

/// How tightly a piece of C text binds; what binds less needs parentheses.
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
  int depth = 1;       ///< of nesting, to keep compilers' limits
  bool wraps = false;  ///< `(int32_t)(...)` around a sum of unsigned numbers
};

/// `int32_t`, `float`, `uint8_t` for bool; empty for what C has no scalar for.
std::string_view CType(DataType dtype);
/// The runtime header's name for elements of that type in memory.
std::string_view ElementType(DataType dtype);
/// The suffix of the runtime's functions: `i32`, `u8`, `f32`.
std::string_view TypeSuffix(DataType dtype);

/// An integer literal of a dtype; a floating one that reads back exactly.
std::string IntLiteral(int64_t value, DataType dtype);
std::string FloatLiteral(double value, DataType dtype);

/// The function of <math.h> that C calls for an expression, if any.
std::string LibraryCall(const Node* node);

/// `head(params)`, a parameter a line when it is long.
std::string Signature(std::string_view head, const std::vector<std::string>& params);

/// An extern as its calls make it out to be.
struct ExternDeclaration {
  std::string name;
  std::string_view result;
  struct Param {
    std::string_view type;  ///< "void*", "char*" or a scalar's
    bool is_const = false;  ///< of pointers: some call gives it what is read only
  };
  std::vector<Param> params;

  std::string ToString() const;
};

/// What all functions of a module share while C is emitted.
struct ModuleState {
  const IRModule& module;
  const EmitCOptions& options;
  Diagnostics& diagnostics;
  const ModuleEffects& effects;
  std::string prefix;
  NameScope globals = {};
  /// C names of the functions of the module.
  absl::flat_hash_map<Symbol, std::string> function_names = {};
  /// Externs that need a declaration, in order of their first call.
  std::vector<ExternDeclaration> externs = {};
  /// Where each is in `externs`, by its name.
  absl::flat_hash_map<std::string, size_t> extern_index = {};
  /// Constants and internal constant pools.
  std::vector<Blob> blobs = {};
  /// The number of the first part of each: see c_constant_use.h.
  std::vector<size_t> first_parts = {};
  /// Typedefs of GNU vector types in use, by their names; in the order in which they are printed.
  std::map<std::string, std::string> vector_types = {};
  /// Products of numbers of 16 bits, which need tenon_products.h.
  bool has_short_products = false;
  /// Constants outside of pools, and the names and blobs of the arrays that are defined.
  ModuleConstants constants = {};
  std::vector<std::string> block_names = {};
  std::vector<size_t> block_blobs = {};
  /// Null unless constants are checked when they are used.
  std::unique_ptr<const ConstantPoolMap> constant_pools = {};
  /// Bytes of constants are those of little-endian machines, whatever stores them.
  bool is_little_endian = false;
  /// Some loop is handed to TENON_PARALLEL_FOR.
  bool has_parallel_loops = false;

  void Error(SourceRange range, std::string message);
};

/// Emits one function. Expressions are in c_expr.cc, arithmetic in c_arith.cc, calls in c_call.cc,
/// statements in c_stmt.cc, parallel loops in c_parallel.cc, vectors in c_vector.cc.
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
  /// The text, in parentheses when it binds less than `at_least`.
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
  /// A value as a float that rounds to float16 and bfloat16 as the value itself does.
  std::string SingleOf(DataType from, Text value);
  Text Load(const BufferLoad* load);
  Text GuardedLet(const Let* let, Text value);
  Text Ternary(const Expr* condition, const Expr* a, const Expr* b);
  Text SmallFloat(const Expr* expr);
  /// The text of an expression as a value to compute with: float16 and bfloat16 as float.
  Text Widened(const Expr* expr);
  /// An element of a buffer as an lvalue.
  std::string Element(const Buffer* buffer, Span<const Expr*> indices, SourceRange range);
  Text Unsupported(const Expr* expr, std::string_view what);
  /// Puts a deep expression into a local variable, where evaluating it early is allowed.
  Text Settle(Text text, const Expr* expr);

  // Calls.
  Text CallText(const Call* call);
  Text FunctionCall(const Call* call, const CallSite& site);
  void DeclareExtern(const Call* call, const CallSite& site);
  /// A pointer, converted to what parameter `index` of a function of the module takes.
  std::string PointerArgument(const Function& callee, size_t index, const Expr* arg,
                              const std::string& text);
  Text Shift(const Call* call, bool left);
  Text Bits(const Call* call);
  Text Math(const Call* call);
  Text MathFunction(std::string_view name, const Call* call);
  Text QMultiplyShift(const Call* call);
  Text Reinterpret(const Call* call);
  Text AddressOf(const Call* call);

  // Statements.
  void Statement(const Stmt* stmt);
  void StatementOf(const Stmt* stmt);
  /// What a statement passes on of a file of constants, and what its parts do not look after.
  void CheckBefore(const Stmt* stmt);
  void CheckConstants(const ConstantNumbers& numbers);
  void Branch(const Stmt* body);
  void Body(const Stmt* stmt);
  void Line(std::string_view text);
  /// `if (condition) { statement }`, on lines of its own.
  void Guarded(std::string_view condition, std::string_view statement);
  void Sequence(const SeqStmt* seq);
  /// An expression that has the value of `expr` in a whole loop: a variable, declared here, where
  /// the loop may change what `expr` reads.
  const Expr* Once(const Expr* expr, std::string_view name);
  /// The end of a loop, `min + extent`, is proven to be a value of its dtype.
  bool EndFits(const For* loop);
  void StoreStatement(const BufferStore* store);
  /// A store for which IsGnuVectorStore holds.
  void VectorStatement(const BufferStore* store, const Expr* value);
  void AttrStatement(const AttrStmt* attr);
  void LoopStatement(const For* loop);
  /// What a loop's own function needs of the one around it.
  struct Captured {
    std::string name;
    std::string field;  ///< its declaration in a struct
    std::string local;  ///< and in the loop's function
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
  /// A name for a variable that hides nothing which the module has.
  std::string LocalName(std::string_view name);
  bool IsConst(const Var* pointer) const;
  /// The variable occurs in the body, other than where it is defined.
  bool IsUsed(const Var* var, int definitions) const;

  ModuleState& state_;
  const Function& function_;
  PointerRoots roots_;
  Arena arena_;
  Analyzer analyzer_;
  NameScope names_;
  absl::flat_hash_map<const Var*, std::string> name_of_;
  std::vector<const Var*> threads_;  ///< whose loops are open
  /// How often each variable occurs in the body, definitions included.
  absl::flat_hash_map<const Var*, int> occurrences_;
  /// Roots of read-only storage.
  absl::flat_hash_map<const Var*, bool> const_roots_;
  /// Variables whose names are of the module, and names of pointers that are `restrict`.
  absl::flat_hash_set<const Var*> global_vars_;
  absl::flat_hash_set<std::string> restricted_names_;
  /// Definitions of the function's parallel loops.
  std::string loop_functions_;
  bool is_in_threads_ = false;
  /// Variables of the loops that some compilers would vectorise wrongly.
  absl::flat_hash_set<const Var*> in_order_;
  /// Variables of lets within expressions, standing for text.
  absl::flat_hash_map<const Var*, std::string> inline_lets_;
  /// Null unless constants are checked when they are used.
  std::unique_ptr<const ConstantUses> constant_uses_;
  /// Those that have been checked where the text stands; and the same in that order.
  absl::flat_hash_set<size_t> is_checked_;
  std::vector<size_t> checked_;
  bool checks_are_done_ = false;  ///< within a loop, whose constants were checked before it
  std::string declaration_;
  std::string out_;
  int indent_ = 1;
  bool ends_block_ = true;  ///< nothing follows the statement in its block of C
  int guards_ = 0;
  int temporaries_ = 0;
};

/// The test of constants for the C of a function: `numbers` in stretches, each as a condition.
std::vector<std::string> ConstantChecks(const ModuleState& state, const ConstantNumbers& numbers);

/// Elements of a part as a C initialiser, `1, 2, 3`, wrapped.
void AppendInitializer(std::string& out, const BlobPart& part);
/// A name for a function or for data of the module: `base` or, where that is taken, `base` and a
/// number.
std::string GlobalName(ModuleState& state, std::string_view base);
/// The same for a constant or a pool.
std::string ConstantName(ModuleState& state, std::string_view base);
/// Adds a blob to those of the module, with what the options say of section and alignment. Messages
/// call the blob `what` and point to `range`.
void AddBlob(ModuleState& state, Blob blob, SourceRange range, std::string_view what);
/// `static const int16_t name[n] TENON_...= {...};`, or a struct where there are several parts.
std::string BlobDefinition(const Blob& blob);
/// C has bytes for it that are other numbers on a big-endian machine.
bool HasLowByteFirst(const Blob& blob);
/// How the blobs of the module get into the program: what the options say, never kAuto.
ConstantStorage ChooseStorage(const ModuleState& state);
/// Decides which constants of these functions share an array.
void LayOutConstantsOf(ModuleState& state, const std::vector<const Function*>& functions);
/// Where a constant is: bytes from the start of an array of elements of `dtype`.
struct PlacedConstant {
  std::string name;
  DataType dtype;
  int64_t offset = 0;
  size_t blob = 0;  ///< its index; none is that large where an error was reported
};
/// Defines the array at the first use.
PlacedConstant PlaceConstant(ModuleState& state, const AllocateConst& allocate);

/// Pools, structs, the run function and the header: see c_interface.cc.
class InterfaceEmitter {
 public:
  InterfaceEmitter(ModuleState& state, const Function& entry, EmittedC& result);

  /// Definitions of internal workspace pools.
  std::string Pools();
  /// The headers of pools that are defined elsewhere.
  std::set<std::string> PoolHeaders() const;
  /// Adds internal constant pools to the blobs.
  void AddConstantPools();
  /// The same before functions are emitted, which then check what they read.
  void AddCheckedPools(const std::vector<const Function*>& order);
  /// The definition of `<prefix>_run`; empty when the entry cannot have one.
  std::string Run();
  /// Definitions of `<prefix>_map_inputs` and `<prefix>_map_outputs`, where there are such.
  std::string Maps() const;
  std::string Header();

  /// Adds what is stored of loaded constants, where it is in no pool, to the module's blobs.
  void AddStoredConstants();
  /// The definition of `<prefix>_init`, where constants are loaded; see c_load.cc.
  std::string Init();

 private:
  struct Tensor : EntryTensor {
    std::string field;
    std::string macro;        ///< of its size
    std::string_view scalar;  ///< the C type of a number; empty for tensors
  };
  struct PoolParam {
    std::string field;
    std::string object;
    int64_t bytes = 0;
    bool is_constant = false;
    bool is_internal = true;
    int64_t alignment = 1;
    std::string section;     ///< of an internal pool
    int blob = -1;           ///< of constants, once it has been added
    bool is_copied = false;  ///< nothing reads it but `<prefix>_init`
    std::string header;      ///< of a pool that is defined elsewhere: what declares it
  };

  void CollectParams();
  void AddTensors();
  /// The macro of a tensor's size.
  std::string SizeMacro(const std::string& field);
  static std::string TypeText(const Tensor& tensor);
  std::string ScaleMacros(const Tensor& tensor) const;
  /// What the macros of a pool begin with.
  std::string PoolMacro(const PoolParam& pool) const;
  std::string PoolAddress(const PoolParam& pool) const;
  std::string MapSignature(bool outputs) const;
  PoolParam MakePool(const PoolArg& arg);
  void AddConstantPool(size_t index);
  std::string RunSignature() const;
  std::string ConstantsInterface() const;
  std::string PoolMacros() const;

  /// A constant that `<prefix>_init` brings into RAM.
  struct Loaded : PlacedLoad {
    std::string stored_name;  ///< of the blob, when it is stored in no pool
    int blob = -1;            ///< that one
  };
  void CollectLoaded();
  /// Finds out which pools of constants nothing reads but copies.
  void MarkCopiedPools();
  /// Reads the calls that fill the states of external functions.
  void CollectInits();
  /// The function that makes these calls once, whichever thread comes first.
  std::string InitExternals();
  std::string InitSignature() const;
  std::string InitHeader() const;
  /// What ends a function that needs constants of a file which are not there, or not right.
  std::string ReadyConstants() const;
  /// What the run function does before it runs.
  std::string BeforeRun() const;
  std::string LoadStatement(const Loaded& loaded) const;
  /// What ends `<prefix>_init` when what it loads from is damaged.
  std::string CheckStored(const Loaded& loaded) const;

  ModuleState& state_;
  const Function& entry_;
  EmittedC& result_;
  EntrySignature signature_;
  /// In the order of the signature's.
  std::vector<Tensor> tensors_;
  std::vector<PoolParam> pools_;
  std::vector<Loaded> loaded_;
  /// Calls before the first run, and the pool that has their states.
  std::vector<ExternalInit> inits_;
  std::optional<size_t> state_pool_;
  /// Names of macros of sizes that the header has.
  absl::flat_hash_set<std::string> macros_;
};

}  // namespace tenon::c_lowering

#endif  // TENON_LOWERING_C_C_INTERNAL_H_
