#ifndef TENON_PARSER_PARSER_INTERNAL_H_
#define TENON_PARSER_PARSER_INTERNAL_H_

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "ir/builder.h"
#include "ir/const_fold.h"
#include "ir/dialect.h"
#include "parser/lexer.h"
#include "parser/names.h"
#include "parser/parser.h"
#include "parser/pending.h"
#include "parser/py_value.h"
#include "parser/text_dialect.h"
#include "parser/tir_names.h"

namespace tenon {

namespace relax {
struct Function;
struct Tensor;
}  // namespace relax

class Analyzer;
class ConstantFiles;
class MetadataTable;

/// PyValue::count of buffers that no name stands for yet.
inline constexpr uint32_t kFreshBuffer = 1;
inline constexpr uint32_t kOwnsData = 2;
inline constexpr uint32_t kPassing = 4;  ///< declared by `T.Buffer`: there is no node for it

/// Whether the buffer's name can stand for its one element, in texts with scalars.
inline bool IsOneElement(const Buffer& buffer) {
  return buffer.shape.size() == 1 && IsConstInt(buffer.shape[0], 1) && buffer.strides.empty() &&
         buffer.data_alignment == 64 && buffer.offset_factor == 1 &&
         IsConstInt(buffer.elem_offset, 0) && buffer.buffer_kind != BufferKind::kAutoBroadcast;
}

/// A place in the text to come back to, inside one statement.
struct LexerMark {
  Token token;
  size_t position;
  std::vector<uint32_t> brackets;
};

/// A call as it was written.
struct Args {
  std::string_view name;  ///< for messages: `T.allocate`
  SourceRange range;      ///< of the whole call
  absl::InlinedVector<PyValue, 6> positional;
  absl::InlinedVector<PyKeyword, 2> keywords;
  bool has_error = false;
};

/// Parameters of a call, bound: null for those that were not given.
template <size_t N>
using Bound = std::array<const PyValue*, N>;

/// Recursive descent over the text, straight into nodes. One object a module.
class Parser {
 public:
  Parser(Context& context, std::string_view text, uint32_t base, const ParseOptions& options,
         Diagnostics& diagnostics);
  ~Parser();

  /// The module, or nothing after errors.
  std::optional<IRModule> Parse();

 private:
  // Tokens (parser.cc).
  void Advance() {
    if (failed_) return;
    previous_end_ = base_ + token_.end;
    lexer_.Next(token_);
    if (token_.kind == Tok::kBad) [[unlikely]]
      failed_ = true;  // the lexer has complained
  }
  bool At(Tok kind) const { return token_.kind == kind; }
  bool Accept(Tok kind) {
    if (token_.kind != kind) return false;
    Advance();
    return true;
  }
  LexerMark MarkHere() const { return {token_, lexer_.position(), lexer_.brackets()}; }
  void GoTo(const LexerMark& mark) {
    token_ = mark.token;
    lexer_.GoTo(mark.position, mark.brackets);
  }
  /// Reads `token`, which is on the same line, again.
  void Rewind(const Token& token);
  bool Expect(Tok kind, std::string_view what) {
    if (token_.kind != kind) [[unlikely]] {
      UnexpectedToken(what);
      return false;
    }
    Advance();
    return !failed_;
  }
  /// Complains about the current token and gives the statement up.
  void SyntaxError(std::string message);
  void SyntaxError(DiagnosticKind kind, SourceRange range, std::string message);
  void UnexpectedToken(std::string_view expected);
  /// Whatever gives a statement up without a complaint of its own ends here: nothing of a text is
  /// ever lost in silence.
  void NotUnderstood(SourceRange range);
  Diagnostic& Error(DiagnosticKind kind, SourceRange range, std::string message);
  SourceRange Here() const { return lexer_.Range(token_); }
  SourceRange Since(SourceRange start) const { return {start.begin, previous_end_}; }
  /// After an error in a statement: goes on behind it.
  void Recover();
  void EndOfStatement();
  Symbol SymbolOf(NameEntry* name);
  std::optional<DataType> DTypeOf(std::string_view text);
  const Type* PrimTypeOf(DataType dtype);

  // Modules (parse_module.cc).
  void ParseTop();
  void ParseImport();
  void ParseDecorated();
  void ParseClass();
  void ParseClassBody();
  void ParseClassStatement();
  void ParseMetadata();
  void BindPrefix(std::string_view dialect, std::string_view prefix);
  void ApplyAliases();
  void ModuleAttrs(const PyValue& dict);
  void ScanSignatures();

  // Functions (parse_function.cc).
  struct Decorator {
    SourceRange range;
    bool is_module = false;
    bool is_function = false;
    bool is_private = false;
    bool is_s_tir = false;
    bool is_relax = false;
    bool is_unknown = false;  ///< which has been complained about
  };
  Decorator ParseDecorator();
  void MoreDecorators();
  void CheckDecorator(const Decorator& decorator, bool wants_module);
  void ParseFunction(const Decorator& decorator);
  void ParseParams();
  void ParseParam();
  void BindParam(NameEntry* name, SourceRange range, const PyValue& annotation);
  PyValue ParseAtomWithDots();
  /// Flags what the text declares by `n = T.int32()` and nothing in the function defines.
  void MarkFreeVars(const PrimFunc& function);
  void FinishFunction(NameEntry* name, const Decorator& decorator, const Stmt* body,
                      SourceRange range);
  const Stmt* AddRootBlock(const Stmt* body);
  void FuncAttr(const Args& args);
  bool CheckFuncAttr(std::string_view key, const Attr* value);
  bool CheckTensorScales(std::string_view key, const Attr* value);
  /// The item with TVM's prefix of keys as `tir` has it: `tir.noalias`.
  const MapItem* WithTirKey(const MapItem* item);

  // Statements (parse_stmt.cc, parse_assign.cc, parse_loop.cc, parse_scope.cc).
  /// An indented block, or statements on the same line.
  const Stmt* ParseSuite();
  void ParseStatements();
  void ParseStatement();
  /// Leaves out what is indented below a line that means nothing here.
  void SkipBlock();
  void ParseSimpleStatement();
  void ParseNameStatement();
  void ParseExpressionStatement(const PyValue& value);
  void ParseFor();
  void ParseWhile();
  void ParseIf();
  bool CheckElif(size_t branches);
  void ParseWith();
  void BindNameBehindAs();
  void ParseAssert();
  void ParseReturn();
  void AnnotatedAssign(NameEntry* name, SourceRange range);
  void Assign(const PyValue& target, NameEntry* name, SourceRange name_range);
  void AugAssign(const PyValue& target);
  void UnpackAssign(NameEntry* first, SourceRange range);
  void BindValue(NameEntry* name, SourceRange range, PyValue value);
  void BindFreshVar(NameEntry* name, SourceRange range, PyValue value);
  void Define(NameEntry* name, const PyValue& value, SourceRange range);
  void Store(const PySubscript& target, const PyValue& value, const Expr* predicate,
             SourceRange range);
  void Push(const Stmt* stmt) { statements_.push_back(stmt); }
  /// Opens a scope whose body is the rest of the block. `name` may be null.
  void OpenScope(PendingScope* scope, NameEntry* name, SourceRange name_range);
  void CloseScopes(size_t base);
  const Stmt* CloseScope(const PendingScope& scope, const Stmt* body);
  const Stmt* TakeStatements(size_t base, SourceRange range);
  PyValue LoopOf(const TirName& name, const Args& args);
  PyValue RangeLoop(ForKind kind, const Args& args);
  const MapAttr* UnrollAnnotation(const PyValue& value);
  std::optional<LoopDim> DimOf(const PyValue* start, const PyValue& stop);
  const Expr* ExtentBetween(const Expr* start, const Expr* stop);
  const Stmt* LoopNest(const PendingLoop& loop, Span<const Var*> vars, const Stmt* body,
                       SourceRange range);

  // Expressions (parse_expr.cc, parse_operator.cc).
  PyValue ParseExpr();
  PyValue ParseExprList();
  /// Up to `close`: one value, or a tuple where there is a comma.
  PyValue ParseExprListIn(Tok close);
  PyValue ParseBinary(int level);
  PyValue ParseUnary();
  PyValue ParsePostfix();
  PyValue ParseAtom();
  PyValue ParseName();
  PyValue ParseNumber();
  PyValue ParseStringLiteral();
  PyValue ParseParenthesised();
  PyValue ParseListDisplay();
  PyValue ParseDictDisplay();
  PyValue ParseAttribute(const PyValue& object);
  PyValue FunctionAttribute(std::string_view name, SourceRange range);
  PyValue ExprAttribute(const PyValue& object, std::string_view name, SourceRange range);
  PyValue TirAttribute(SourceRange start);
  PyValue LongerName(const PyValue& object, std::string_view name, SourceRange range);
  PyValue DottedName(const PyValue& object, std::string_view name, SourceRange range);
  /// Says that no TVM has the builtin `op`, unless the options keep such calls. False after an
  /// error.
  /// Whether `T.name(...)` reads back as a call of a builtin of that name.
  bool CanFollowT(std::string_view name);
  bool CheckKnownOp(const Op* op, SourceRange range);
  /// Says that `name`, which follows `T.`, is unknown. True when the options keep a call of it.
  bool CheckUnknownName(std::string_view name, SourceRange range);
  PyValue BufferAttribute(const PyValue& object, std::string_view name, SourceRange range);
  PyValue ParseSubscript(const PyValue& object);
  PyValue BufferSubscript(const PyValue& object);
  PyValue SubscriptValue(const PyValue& object, const PyValue& index, SourceRange range);
  /// An index, or a tuple of all indices, which is the last before `]`.
  void ParseIndex(PyIndex& index, PyValue& tuple);
  const Expr* IndexOf(const PyValue& value, std::string_view what);
  PyValue Binary(Tok op, const PyValue& a, const PyValue& b, SourceRange op_range);
  PyValue Unary(Tok op, const PyValue& a, SourceRange range);
  bool CheckNoString(const PyValue& value, const Expr* expr);
  PyValue PyArithmetic(Tok op, const PyValue& a, const PyValue& b, SourceRange range);
  PyValue Comparison(NodeKind kind, const PyValue& a, const PyValue& b, SourceRange range);
  PyValue Logical(Tok op, const PyValue& a, const PyValue& b, SourceRange range);
  PyValue Bitwise(const Op* op, const PyValue& a, const PyValue& b, SourceRange range, bool fold);
  PyValue UndefinedName();
  const Binding* NearestName(std::string_view text);
  PyValue Items(PyKind kind, SourceRange range, Span<PyValue> items);

  // What values are (parse_convert.cc). The results are null after a complaint.
  const Expr* ToExpr(const PyValue& value);
  const Expr* ToExpr(const PyValue& value, DataType like);
  const Expr* LoadOf(const PySubscript& subscript);
  Span<const Expr*> IndicesOf(const PySubscript& subscript, bool* ok);
  const Expr* RampOf(const PyIndex& index);
  const Expr* NumberOf(const PyValue& value, DataType dtype);
  const Expr* FloatOf(double value, DataType dtype, SourceRange range);
  bool ToExprs(const PyValue& value, std::string_view what, Span<const Expr*>* result);
  std::optional<int64_t> ToInt(const PyValue& value, std::string_view what);
  std::optional<std::string_view> ToText(const PyValue& value, std::string_view what);
  std::optional<DataType> ToDType(const PyValue& value);
  const BufferRegion* ToRegion(const PyValue& value);
  const Range* RangeOf(const PyIndex& index);
  const Range* ToRange(const PyValue& value);
  const Expr* Simplify(const Expr* expr);
  std::optional<int64_t> ConstantOf(const Expr* expr);

  // Calls (parse_call.cc, parse_tir_call.cc).
  PyValue ParseCall(const PyValue& callee);
  void ParseArgs(Args& args);
  /// What is left of an argument list, up to and with the closing parenthesis.
  void ParseMoreArgs(Args& args);
  bool Bind(const Args& args, std::span<const std::string_view> params, size_t required,
            std::span<const PyValue*> out);
  bool Bind(const Args& args, std::initializer_list<std::string_view> params, size_t required,
            std::span<const PyValue*> out) {
    return Bind(args, std::span<const std::string_view>(params.begin(), params.size()), required,
                out);
  }
  PyValue CallTir(const TirName& name, Args& args);
  PyValue CallForm(const TirName& name, Args& args);
  /// The value of the keyword `dtype` of a builtin's call, which may have no other but `span`.
  /// False after an error.
  bool TakeDTypeKeyword(const Args& args, std::optional<DataType>* dtype);
  PyValue CallOp(const Op* op, Args& args);
  DataType ResultOf(const Op* op, Span<const Expr*> args);
  PyValue AccessPtr(const Buffer* buffer, const Args& args);
  bool WidenIndices(const Buffer* buffer, const PyValue* dtype, const PyValue* stored,
                    Span<const Expr*>* indices);
  PyValue CallDType(const TirName& name, const Args& args);
  PyValue CallHandle(const Args& args);
  PyValue CallFunction(const PyValue& callee, const Args& args);
  PyValue CallMethod(const PyMethod& method, Args& args);
  PyValue CallIr(const PyValue& callee, Args& args);
  PyValue CallBinary(const TirName& name, const Args& args);
  PyValue CallCast(const TirName& name, const Args& args);
  PyValue CallSelect(const TirName& name, const Args& args);
  PyValue CallVector(const TirName& name, const Args& args);
  PyValue CallShuffle(const Args& args);
  PyValue CallLet(const TirName& name, const Args& args);
  PyValue CallMath(const TirName& name, Args& args);
  PyValue CallPacked(const TirName& name, Args& args);
  PyValue CallLimit(const TirName& name, const Args& args);
  PyValue CallIntrin(Args& args);
  /// The builtin that a `T.Call` names, with `tir.` before the name or without. Null after an
  /// error.
  const Op* OpOfCall(std::string_view name, SourceRange range);
  PyValue CallGeneric(const Args& args);
  PyValue CallImmediate(const TirName& name, const Args& args);
  PyValue CallIterVar(const Args& args);
  PyValue CallRange(const Args& args);
  PyValue CallReduce(const Args& args);
  DataType IndexMapType();
  PyValue ParseMapping(DataType dtype);
  PyValue ParseIndexMap(SourceRange start);
  PyValue RefuseProducer(SourceRange start);
  PyValue ParseCommReducer(SourceRange start);
  PyValue FinishCommReducer(SourceRange start, const std::vector<Token>& names,
                            const LexerMark& body);
  std::optional<double> RealOfText(const PyValue& value);
  std::optional<int> ToLanes(const PyValue& value);
  const Expr* Splat(const Expr* scalar, DataType dtype);
  void NoteFloatText(const PyValue& value, DataType element);
  const Expr* AbsOf(const Expr* x, SourceRange range);
  const Expr* IsNanOf(const Expr* x, SourceRange range);
  PyValue CallStatement(const TirName& name, const Args& args);
  PyValue FreshVar(DataType dtype, const Type* type, SourceRange range, bool size_var);
  const Expr* NewCall(DataType dtype, const Op* op, Span<const Expr*> args, SourceRange range);
  const Expr* ArgOf(const PyValue& value);

  // Scopes as values (parse_scope.cc).
  PendingScope* NewScope(ScopeForm form, SourceRange range);
  PyValue ScopeValue(PendingScope* scope);
  PyValue CallScope(const TirName& name, const Args& args);
  PyValue CallAllocate(const Args& args);
  PyValue ParseAllocateConst(SourceRange start);
  PyValue CallLetStmt(const Args& args);
  PyValue CallAttr(const Args& args);
  PyValue CallAssert(const Args& args);
  PyValue CallRealize(const Args& args);
  PyValue CallLaunchThread(const Args& args);
  PyValue CallEnvThread(const Args& args);
  PyValue CallEvaluate(const Args& args);
  PyValue CallPrefetch(const Args& args);
  /// `written` may be null where the dtype is the default.
  bool CheckElement(DataType dtype, const PyValue* written);
  bool CheckExtents(Span<const Expr*> extents, DataType dtype, const PyValue& written);
  bool CheckLet(DataType dtype, const Expr* value, SourceRange range);
  bool CheckCondition(const Expr* condition, SourceRange range);
  const Type* ToType(const PyValue& value);

  // Buffers (parse_buffer.cc).
  PyValue CallBuffer(const TirName& name, const Args& args);
  Buffer* MakeBuffer(std::span<const PyValue* const> bound, SourceRange range, TirForm form,
                     bool* owns_data);
  bool FinishBuffer(Buffer* buffer, std::span<const PyValue* const> bound);
  std::optional<std::array<int32_t, 2>> BufferNumbers(const PyValue* align, const PyValue* factor);
  const Var* BufferData(const PyValue& value);
  bool BufferStrides(const PyValue& value, DataType fresh, Span<const Expr*>* result);
  void NameBuffer(Buffer* buffer, NameEntry* name, bool owns_data);
  PyValue MatchBuffer(const Args& args);
  const Type* PointerTypeOf(DataType element, std::string_view scope);

  // Constants (parse_constant.cc).
  PyValue ParseConstantForm(SourceRange start);
  /// Takes a list of constants up to its `]` without reading its elements.
  PyValue ParseRawList();
  const Constant* ConstantFrom(const PyValue& data, DataType dtype,
                               const std::vector<int64_t>& shape, SourceRange range);
  const Constant* NamedConstant(const PyValue& data, DataType dtype,
                                const std::vector<int64_t>& shape, SourceRange range);
  PyValue CallConstantForm(std::string_view name, const Args& args);
  bool ReadList(const PyValue& data, DataType dtype, const std::vector<int64_t>& shape,
                std::vector<uint8_t>* bytes);
  // parse_constant_table.cc
  const Constant* FindConstant(const PyValue& name);
  const Constant* DeclareConstant(const Args& args);
  bool ToShape(const PyValue& value, std::vector<int64_t>* shape);
  /// `align`, `section`, `pools`, `address_significant`, `load`, `codec`; null for those that were
  /// not given.
  bool ToPlacement(std::span<const PyValue*> args, ConstantPlacement* placement);
  /// `load` and `codec`.
  bool ToLoading(std::span<const PyValue*> args, ConstantPlacement* placement);
  bool CheckConstantSize(DataType dtype, const std::vector<int64_t>& shape, SourceRange range);
  std::optional<ConstantSource> SourceOf(const PyValue& data, DataType dtype,
                                         const std::vector<int64_t>& shape);
  std::optional<ConstantSource> FileSource(const PyCall& call, SourceRange range, DataType dtype,
                                           const std::vector<int64_t>& shape);
  std::optional<ConstantSource> SliceSource(const PyCall& call, SourceRange range, DataType dtype,
                                            const std::vector<int64_t>& shape);
  std::optional<ConstantSource> SplatSource(const PyCall& call, SourceRange range, DataType dtype,
                                            const std::vector<int64_t>& shape);
  std::optional<ConstantSource> HashSource(const PyCall& call);

  // The Relax function (parse_relax.cc).
  /// Notes where it stands, at `def`, and goes on after it.
  void SkipRelaxFunction();
  /// Adds the TIR function that the Relax function stands for.
  void ReadRelaxFunction();
  /// Finds the data of constants that the text has by number. False after errors.
  bool FindRelaxConstants(relax::Function& function);
  const Constant* FindRelaxConstant(const relax::Tensor& tensor);

  // What the dialect `tirx` alone has (parse_tirx.cc).
  /// Says that a name or form belongs to the other dialect, and where the text names its own.
  void WrongDialect(SourceRange range, std::string message);
  bool CheckDialectName(std::string_view name, SourceRange range);
  PyValue CallAllocation(const TirName& name, const Args& args);
  PyValue AllocScalar(const TirName& name, const Args& args);
  PyValue CallView(const Buffer* buffer, const Args& args);
  /// The last extent of `buffer` counted in elements of `dtype`, or null.
  const Expr* RescaledExtent(const Buffer* buffer, DataType dtype);
  PyValue CallAttrDict(const Args& args);
  /// The arguments without `layout=None`, in `room` if need be. Null after another layout, which is
  /// an error.
  const Args* WithoutLayout(const Args& args, Args* room);
  Buffer* NewScalar(DataType dtype, std::string_view scope, SourceRange range);
  /// Opens the allocation of a scalar `name`, and stores `value` in it unless that is null.
  void DeclareScalar(NameEntry* name, SourceRange range, Buffer* buffer, const Expr* value);
  /// The type in `T.let[T.int32]`.
  const Type* LetType(const PyValue& annotation);
  void AnnotatedScalar(NameEntry* name, SourceRange range, DataType dtype);
  void StoreScalar(const Buffer* buffer, const PyValue& value, SourceRange range);
  /// A buffer as a name stands for it: scalars are values.
  PyValue NamedBuffer(SourceRange range, const Buffer* buffer);
  /// `("RuntimeError", ["text"])`, or a string. Null after an error.
  const Expr* AssertMessage(const PyValue& value);
  /// The shape with what its quoted extents say: `("n", "n * 2")`.
  PyValue ReadQuotedExtents(const PyValue& shape);
  PyValue ReadQuotedExtent(const PyValue& text);
  /// The variable that a quoted extent introduces by its name.
  PyValue ShapeVar(NameEntry* name, SourceRange range);
  void ParseTypeVar();
  void BindTypeVars();
  /// The dtypes of the scalar parameters of the signature that starts here.
  void ScanScalarParams();
  void NoteQuotedNames(std::string_view literal);

  // Blocks (parse_block.cc).
  PyValue CallBlock(const TirName& name, const Args& args);
  PyValue CallAxis(std::string_view axis, const Args& args);
  PyValue RemapAxes(BlockInfo* block, const Args& args);
  PyValue BlockAxis(BlockInfo* block, IterVarKind kind, const Range* dom, const Expr* binding,
                    SourceRange range);
  BlockInfo* CurrentBlock(const Args& args);
  const LoopDim* LoopDimOf(const Var* var) const;
  bool BlockRegions(const Args& args, std::optional<std::vector<const BufferRegion*>>* regions);
  void BlockStatement(const TirName& name, const Args& args);
  const Stmt* CloseBlock(BlockInfo& info, const Stmt* body, SourceRange range);
  /// Fills in what a block reads and writes where the text does not say it.
  void DetectRegions(Block* block, bool reads, bool writes);

  // Attributes (parse_attrs.cc).
  const Attr* ToAttr(const PyValue& value, bool normalise);
  const MapAttr* ToMap(const PyValue& value, bool normalise);
  PyValue CallTarget(const Args& args);
  /// The value of a TargetAttr with that host: an item of its dict, or a pair of the target's
  /// string and the host. Null after an error.
  const Attr* AddHost(const Attr* target, const PyValue& value);
  bool CheckTarget(const Attr* value);
  const Attr* TargetValue(const Attr* value);
  const Attr* Record(std::string_view type_key,
                     std::initializer_list<std::pair<std::string_view, const Attr*>> fields,
                     SourceRange range);
  PyValue ConstantPool(const Args& args);
  PyValue MetadataItem(const PyValue& key, const PyValue& index, SourceRange range);

  Context& context_;
  Diagnostics& diagnostics_;
  const ParseOptions& options_;
  std::shared_ptr<Storage> storage_;
  Arena& arena_;
  NodeBuilder builder_;
  Arena name_arena_;
  NameTable names_;
  Scopes scopes_;
  Lexer lexer_;
  uint32_t base_;
  Token token_;
  uint32_t previous_end_ = 0;    ///< in the source manager's space
  bool failed_ = false;          ///< the current statement is given up
  Tok failed_kind_ = Tok::kBad;  ///< and that at a token of this kind
  /// Where the last line starts that Recover() read as a statement of its own.
  int64_t restarted_at_ = -1;

  TextDialect text_dialect_;
  const DialectRules* rules_;
  /// Names that `n = TypeVar("n")` lines introduce for all functions.
  std::vector<NameEntry*> type_vars_;
  IRModule module_;
  bool saw_module_ = false;
  bool saw_module_attrs_ = false;
  std::unique_ptr<MetadataTable> metadata_;
  std::unique_ptr<ConstantFiles> files_;
  std::unique_ptr<ConstantFiles> relax_files_;  ///< ParseOptions::constants_from
  /// Where the `def` of the Relax function is in the text.
  std::optional<size_t> relax_begin_;
  absl::flat_hash_map<Symbol, const Constant*> constants_;  ///< those that have a name
  std::vector<std::pair<DataType, const Type*>> prim_types_;
  std::vector<std::pair<DataType, const Type*>> global_pointers_;
  std::unique_ptr<Analyzer> analyzer_;
  size_t aliases_applied_ = 0;
  /// For what lives no longer than a function takes to read.
  std::unique_ptr<Arena> scratch_;

  // Signatures of the module's functions, found when one is first called.
  bool scanned_ = false;
  absl::flat_hash_map<NameEntry*, DataType> signatures_;
  absl::flat_hash_map<NameEntry*, SourceRange> functions_seen_;

  // The function being read.
  std::vector<Var*> params_;
  std::vector<const Buffer*> buffers_;
  std::vector<const MapItem*> func_attrs_;
  std::vector<const Stmt*> statements_;
  std::vector<PendingScope*> open_scopes_;
  std::vector<std::unique_ptr<BlockInfo>> blocks_;  ///< all of the function
  std::vector<BlockInfo*> open_blocks_;             ///< innermost last; the first is the root
  std::vector<std::pair<const Var*, LoopDim>> loop_vars_;
  /// Variables and aliases that were declared in passing. The printer may place a declaration in a
  /// scope that does not hold all uses, so these names stay good in the whole function.
  absl::flat_hash_map<NameEntry*, PyValue> passing_names_;
  /// Integers of the function that the text introduces by `n = T.int32()`.
  std::vector<Var*> declared_vars_;
  /// Shape variables of the signature that quoted extents introduced, and its scalar parameters.
  absl::flat_hash_map<NameEntry*, Var*> shape_vars_;
  absl::flat_hash_map<NameEntry*, DataType> scalar_params_;
  bool function_is_s_tir_ = false;
  bool in_quoted_extent_ = false;
  absl::flat_hash_set<NameEntry*> quoted_names_;  ///< words in the strings of the signature
  bool in_signature_ = false;
  const Type* ret_type_ = nullptr;
  bool has_block_ = false;
  size_t summed_items_ = 0;  ///< of all sums of lists
  int suggestions_ = 0;      ///< how many names were looked for near ones
  NameEntry* range_name_;
  NameEntry* metadata_name_;
};

}  // namespace tenon

#endif  // TENON_PARSER_PARSER_INTERNAL_H_
