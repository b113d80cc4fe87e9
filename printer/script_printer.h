#ifndef TENON_PRINTER_SCRIPT_PRINTER_H_
#define TENON_PRINTER_SCRIPT_PRINTER_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/dialect.h"
#include "ir/module.h"
#include "printer/constant_plan.h"
#include "printer/metadata_refs.h"
#include "printer/printer.h"
#include "printer/scope.h"
#include "printer/sink.h"

// The script form, by the rules of TVM's printer. The class is split into several files:
// expressions (print_expr.cc), declarations of buffers (print_buffer.cc), statements
// (print_stmt.cc, print_scoped.cc, print_flat.cc, print_block.cc), attributes (print_attr.cc),
// functions (print_function.cc, print_signature.cc). ir/dialect.h defines the differences between
// dialects.

namespace tenon {

/// The spaces before a line of a nested block.
inline constexpr int kIndent = 4;

/// The precedence of an expression's text, by Python's levels.
enum class Precedence : uint8_t {
  kLambda = 1,
  kOr = 3,
  kAnd = 4,
  kNot = 5,
  kComparison = 6,
  kBitOr = 7,
  kBitXor = 8,
  kBitAnd = 9,
  kShift = 10,
  kSum = 11,
  kProduct = 12,
  kUnary = 13,
  kAtom = 15,
};

class ScriptPrinter {
 public:
  /// `options`, `metadata` and `sink` must outlive the printer.
  ScriptPrinter(Dialect dialect, Symbol module_name, const PrintOptions& options,
                MetadataCollector& metadata, Sink& sink);

  /// Prints a function as `name`, from its decorator to its last line, with a line end and `indent`
  /// spaces before each line.
  void PrintFunction(const PrimFunc& func, std::string_view name, int indent);
  /// Prints a single statement, expression, attribute or part.
  void PrintFragment(const Node* node);
  void PrintTarget(const Attr* value);
  void PrintAttr(const Attr* attr);

  /// Functions are `Module.f` within a module, and `I.GlobalVar("f")` in the module's attributes.
  enum class GlobalNames : uint8_t { kModule, kBare, kObjects };
  void set_global_names(GlobalNames names) { global_names_ = names; }
  /// Sets where constants print; without a plan, named ones print by name and the rest inline.
  void set_constants(const ConstantPlan* constants) { constants_ = constants; }

  /// True if the prefix `I` was written, or met by Plan.
  bool uses_ir() const { return uses_ir_; }
  /// True if the text of an attribute needs the prefix `T`.
  bool UsesTir(const Attr* attr);

  /// Walks a function without writing, to record what it uses.
  void Plan(const PrimFunc& func);

 private:
  class FrameGuard;
  template <class F>
  void InParentFrame(F&& f);

  void PrintPart(const Node* node);

  // Text. The first walk writes nothing.
  bool printing() const { return printing_; }
  void Put(std::string_view text) {
    if (printing_) sink_.Append(text);
  }
  void Put(char c) {
    if (printing_) sink_.Append(c);
  }
  void PutInt(int64_t value) {
    if (printing_) sink_.AppendInt(value);
  }
  void PutQuoted(std::string_view text);
  void PutDType(DataType dtype);
  void PutQuotedDType(DataType dtype);
  /// `T.` and `I.` with what follows.
  void PutT(std::string_view text);
  void PutI(std::string_view text);
  void StartLine();

  // Expressions (print_expr.cc).
  Precedence PrecedenceOf(const Expr* expr) const;
  void PrintExpr(const Expr* expr);
  void PrintWith(const Expr* expr, Precedence precedence);
  void PrintNode(const Expr* expr, Precedence precedence);
  /// Prints an operand; in parentheses if it binds less tightly than `parent`, or (`tight`) not
  /// more.
  void PrintOperand(const Expr* expr, Precedence parent, bool tight);
  void PrintBinary(const BinaryExpr* node, Precedence precedence);
  void PrintNot(const Not* node);
  void PrintInt(DataType dtype, int64_t value);
  void PrintFloat(const FloatImm* node);
  /// Prints `a + b` as TIR's operator would build it.
  void PrintSum(const Expr* a, const Expr* b);
  void PrintCall(const Call* node);
  /// `a >> b`, `~a`, in a dialect with these operators.
  Precedence BitPrecedenceOf(const Call* node) const;
  void PrintBitOperator(const Call* node, Precedence precedence);
  void PrintRound(const Call* node);
  /// `T.Call("int32", "tir.dma_copy", [...])`.
  void PrintCallForm(const Call* node);
  void PrintLoad(const BufferLoad* node);
  void PrintLet(const Let* node);
  void PrintReduce(const Reduce* node);
  void PrintShuffle(const Shuffle* node);
  void PrintLanes(int lanes);
  void PrintLaneCount(int lanes);
  void PrintList(Span<const Expr*> items);
  void PrintTuple(Span<const Expr*> items);
  enum class Access : uint8_t { kLoad, kStore };
  void PrintIndices(Span<const Expr*> indices, Access access);
  void PrintSlice(const Ramp* ramp, int64_t stride);
  void PrintRegion(Span<const Range*> region, bool always_slices);
  void PrintRange(const Range* range);
  void PrintIterVar(const IterVar* iter_var);
  void PrintCommReducer(const CommReducer* reducer);
  void PrintProducer(const Buffer* producer);

  // Variables, buffers, types (print_buffer.cc).
  void UseVar(const Var* var);
  void UseBuffer(const Buffer* buffer);
  /// Prints the name for an access of `buffer`: a scalar's name denotes its element.
  void UseAccessed(const Buffer* buffer);
  /// True if the text writes the name of `buffer` for its element.
  bool IsScalar(const Buffer* buffer) const;
  void PutName(const Definition& definition);
  void PutNameOf(const Node* node, Symbol hint);
  void PutKnown(const Node* node);
  void PrintType(const Type* type);
  /// The arguments of `T.handle("float32", "global")`.
  void PrintPointee(const Type* type);
  /// The dtype of a call: `"float32"`, `T.handle().ty`.
  void PrintCallType(DataType dtype);
  void PrintVarCreation(const Var* var);
  /// Writes the definitions for the next statement, and starts it.
  void NextStatement();
  void PrintImplicit(Definition& definition);
  /// Whether a buffer's declaration also defines its data pointer.
  enum class Brings : uint8_t { kNoData, kData };
  /// Defines the variables that the declaration of `buffer` defines, with separate lines for the
  /// variables that it cannot. `implicit` is for `T.Buffer` in the first walk, when the place of
  /// the line is not yet known.
  void PrepareBuffer(const Buffer* buffer, Brings brings, bool implicit);
  void PrepareImplicitBuffer(const Buffer* buffer);
  bool DefineBufferField(const Buffer* buffer, const Expr* field, Definition::Part part, int stride,
                         bool implicit);
  /// `T.method(first, (shape), "dtype", ...)`.
  void PrintBufferCall(const Buffer* buffer, std::string_view method, const Var* source_var,
                       const BufferRegion* source);
  void PrintBufferKeywords(const Buffer* buffer);
  void PrintStrides(const Buffer* buffer);
  void PrintElemOffset(const Buffer* buffer);
  /// Prints `align`, `offset_factor` and the keywords after them.
  void PrintPlacement(const Buffer* buffer);
  bool PrintsElemOffset(const Buffer* buffer) const;
  /// True for a variable field that is written as this buffer's own field.
  bool IsOwnField(const Buffer* buffer, const Expr* field);
  void PrintBufferAnnotation(const Buffer* buffer);

  // Statements.
  /// Where a statement stands in its block.
  enum class Place : uint8_t { kAlone, kLast, kInside };
  /// The place of the statements of a body that has `place` in its block.
  static Place PlaceIn(Span<const Stmt*> seq, size_t i, Place place);
  /// Whether a scope of that place may have its body in the same block, without `with`.
  bool IsFlat(Place place) const;
  /// Prints the statements of a block, or the last ones of a block (kLast).
  void PrintBody(const Stmt* body, Place place = Place::kAlone);
  /// Prints what follows a statement in its block.
  void PrintRest(const Stmt* body, Place place);
  void PrintStatement(const Stmt* stmt, Place place);
  void PrintStmt(const Stmt* stmt, Place place);
  void PrintIndented(const Stmt* body);
  /// Prints the body of a scoped statement, after its line.
  void PrintScopedBody(const Stmt* body, bool flat);
  void PrintStore(const BufferStore* node);
  void PrintProducerStore(const ProducerStore* node);
  void PrintEvaluate(const Evaluate* node);
  void PrintIf(const IfThenElse* node);
  void PrintBranch(const Stmt* branch);
  void PrintWhile(const While* node);
  void PrintPrefetch(const Prefetch* node);
  void PrintFor(const For* node);
  void PrintGrid(Span<const For*> loops);
  void PrintForArguments(const For* node);
  void PrintSeq(const SeqStmt* node, Place place);
  // print_scoped.cc
  void PrintLetStmt(const LetStmt* node, Place place);
  void PrintAssert(const AssertStmt* node, Place place);
  void PrintMessage(const Expr* message);
  void PrintAllocate(const Allocate* node, Place place);
  void PrintAllocateConst(const AllocateConst* node, bool flat);
  void PrintDeclBuffer(const DeclBuffer* node, Place place, const Var* brought);
  void PrintAttrStmt(const AttrStmt* node, bool flat);
  void PrintThreadAttr(const AttrStmt* node, const IterVar* iter_var, bool flat);
  void PrintBufferRealize(const BufferRealize* node, const Expr* scope, bool flat);
  void PrintProducerRealize(const ProducerRealize* node);
  void PrintAnnotations(const MapAttr* annotations);
  // print_flat.cc
  void PrintFlatLet(const LetStmt* node, Place place);
  void PrintFlatAssert(const AssertStmt* node, Place place);
  void PrintFlatAllocate(const Allocate* node, Place place);
  void PrintFlatDecl(const DeclBuffer* node, Place place);
  /// `A.view(...)` or `T.decl_buffer(...)`.
  void PrintDeclaration(const Buffer* buffer);
  bool PrintView(const Buffer* buffer);
  /// The live buffer with the same data that `buffer` names, or null.
  const Buffer* AliasedBy(const Buffer* buffer) const;
  void PrintScalarAllocation(const Allocate* node, const Buffer* buffer, Place place);
  /// Prints `T.attr({"a": 1, "b": 2})`. Returns the inner statement.
  const Stmt* PrintAttrDict(const AttrStmt* node);
  // print_block.cc
  void PrintBlock(const Block* block, const BlockRealize* realize);
  void PrintBlockVars(const Block* block, const BlockRealize* realize);
  void PrintAxis(const IterVar* iter_var, const Expr* binding);
  void PrintRemap(const Block* block, const BlockRealize* realize, size_t begin, size_t end);
  bool IsRemapped(const IterVar* iter_var, const Expr* binding) const;
  void PrintBlockSignature(const Block* block, const BlockRealize* realize);
  void PrintRegions(std::string_view name, Span<const BufferRegion*> regions);
  void PrintBlockBuffers(const Block* block);
  void PrintAllocBuffer(const Buffer* buffer);

  // Attributes (print_attr.cc).
  /// The item of `first_key`, if present, comes first.
  void PrintMap(const MapAttr* map, std::string_view first_key = {});
  void PrintBareValue(const Attr* attr);
  void PrintObject(const ObjectAttr* object);
  void PrintIndexMap(const ObjectAttr* map);
  void PrintMapping(const ObjectAttr* map);
  void PrintGlobalVar(Symbol name);
  void PrintMetadata(const Attr* attr);
  void PrintConstant(const Constant& constant);
  void PrintConstantName(std::string_view name);
  /// The name in the module's table, or empty.
  std::string_view TableName(const Constant& constant) const;

  // Functions (print_function.cc).
  /// Prints without a first walk, for functions without implicit definitions (the usual case).
  /// Returns false, with nothing printed, if the function needs them.
  bool PrintAtOnce(const PrimFunc& func, std::string_view name, int indent);
  void PrintWalked(const PrimFunc& func, std::string_view name, int indent);
  void GiveUp() { given_up_ = true; }
  void WalkFunction(const PrimFunc& func, std::string_view name);
  void PrintDecorator(const PrimFunc& func);
  void PrintAttrKey(std::string_view key);
  void PrintParams(const PrimFunc& func);
  // print_signature.cc
  void DefineTypeVars(const PrimFunc& func);
  void PrintFullParam(const Buffer* buffer);
  void PrintExtent(const Expr* extent, std::vector<const Var*>* line);
  /// `m, n = T.int32(), T.int64()`
  void PrintVarLine(const std::vector<const Var*>& vars);
  /// The name under which the module's functions are called, if any.
  Symbol NameOfModule() const {
    return global_names_ == GlobalNames::kModule ? module_name_ : Symbol();
  }
  bool IsAnnotated(const PrimFunc& func, size_t param);
  void PrintFunctionAttrs(const PrimFunc& func, std::string_view name);
  void PrintMatchBuffers(const PrimFunc& func);
  void PrintFunctionBody(const PrimFunc& func);

  const Dialect dialect_;
  const DialectRules& rules_;
  const Symbol module_name_;
  const PrintOptions& options_;
  MetadataCollector& metadata_;
  const ConstantPlan* constants_ = nullptr;
  Sink& sink_;
  Scope scope_;
  bool printing_ = true;
  bool at_once_ = false;  ///< true without a first walk
  /// The function whose attributes are being walked.
  const PrimFunc* attrs_of_ = nullptr;
  /// True while printing values of `T.func_attr` and annotations, where bools may be
  /// `T.bool(True)`.
  bool in_annotations_ = false;
  /// The function's variables among the module's `n = TypeVar("n")` lines.
  std::vector<const Var*> type_vars_;
  /// Variables that extents of the signature introduce: each list is a line of the body.
  std::vector<std::vector<const Var*>> shape_lines_;
  /// Variables that the signature has mentioned so far.
  absl::flat_hash_set<const Var*> bound_;
  bool given_up_ = false;
  size_t hold_limit_ = 0;  ///< the sink's size from which on text is not held back
  bool uses_ir_ = false;
  bool uses_tir_ = false;
  bool uses_fields_ = false;  ///< true if a variable prints as a buffer's field
  GlobalNames global_names_ = GlobalNames::kModule;
  int indent_ = 0;
  std::vector<const For*> loops_;
  std::vector<bool> annotated_;  ///< by parameter: printed as `X: T.Buffer(...)`
};

/// True if the attribute's node is the constant 0.
inline bool IsOfZero(const AttrStmt* node) {
  const auto* expr = dyn_cast<ExprAttr>(node->node);
  return expr != nullptr && IsConstInt(expr->value, 0);
}

/// Keeps a frame open during its lifetime.
class ScriptPrinter::FrameGuard {
 public:
  FrameGuard(ScriptPrinter& printer, const Node* node) : scope_(printer.scope_) {
    scope_.OpenFrame(node);
  }
  ~FrameGuard() { scope_.CloseFrame(); }
  FrameGuard(const FrameGuard&) = delete;
  FrameGuard& operator=(const FrameGuard&) = delete;

 private:
  Scope& scope_;
};

/// Runs `f` with its uses in the frame around the current one: a statement's line is outside of its
/// body's frame, but needs the body's names.
template <class F>
void ScriptPrinter::InParentFrame(F&& f) {
  const uint32_t frame = scope_.EnterParent();
  f();
  scope_.LeaveParent(frame);
}

}  // namespace tenon

#endif  // TENON_PRINTER_SCRIPT_PRINTER_H_
