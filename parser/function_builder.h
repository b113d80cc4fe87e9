#ifndef TENON_PARSER_FUNCTION_BUILDER_H_
#define TENON_PARSER_FUNCTION_BUILDER_H_

#include <string_view>
#include <vector>

#include "parser/blocks.h"
#include "parser/scopes.h"

namespace tenon {

/// Whether the buffer's name can denote its only element, in texts with scalars.
inline bool IsOneElement(const Buffer& buffer) {
  return buffer.shape.size() == 1 && IsConstInt(buffer.shape[0], 1) && buffer.strides.empty() &&
         buffer.data_alignment == 64 && buffer.offset_factor == 1 &&
         IsConstInt(buffer.elem_offset, 0) && buffer.buffer_kind != BufferKind::kAutoBroadcast;
}

/// The function being read: its parameters, its attributes, and the statements so far. A statement
/// with a body is open until the block ends; the statements in between are its body.
class FunctionBuilder {
 public:
  FunctionBuilder(ParseEnv& env, Scopes& scopes, Values& values, BlockStack& blocks)
      : env_(env), scopes_(scopes), values_(values), blocks_(blocks) {}

  void Start(bool is_s_tir);
  /// The decorator says `s_tir=True`.
  bool is_s_tir() const { return is_s_tir_; }

  /// `buffer` may be null.
  void AddParam(Var* var, const Buffer* buffer);
  /// The index of the parameter `expr`, or the number of parameters.
  size_t FindParam(const Expr* expr) const;
  size_t param_count() const { return params_.size(); }
  const Buffer*& buffer_of(size_t param) { return buffers_[param]; }
  /// Adds an integer that the text introduces by `n = T.int32()`.
  void DeclareVar(Var* var) { declared_vars_.push_back(var); }
  const std::vector<const MapItem*>& attrs() const { return attrs_; }
  void AddAttr(const MapItem* item) { attrs_.push_back(item); }

  void Push(const Stmt* stmt) { statements_.push_back(stmt); }
  /// Stores `value`, converted, to an element of a buffer.
  void Store(const PySubscript& target, const PyValue& value, const Expr* predicate,
             SourceRange range);
  void StoreScalar(const Buffer* buffer, const PyValue& value, SourceRange range);
  Buffer* NewScalar(DataType dtype, std::string_view scope, SourceRange range);
  /// Names a buffer that has no name yet, and the data variable that it owns.
  void NameBuffer(Buffer* buffer, NameEntry* name, bool owns_data);
  /// The value of a buffer's name: scalars are values.
  static PyValue NamedBuffer(SourceRange range, const Buffer* buffer);

  /// Opens a scope whose body is the rest of the block. `name` may be null.
  void OpenScope(PendingScope* scope, NameEntry* name, SourceRange name_range);
  size_t scope_count() const { return open_scopes_.size(); }
  size_t statement_count() const { return statements_.size(); }
  /// Closes all scopes except the `base` outermost ones.
  void CloseScopes(size_t base);
  /// The statements from number `base` on, as one statement.
  const Stmt* TakeStatements(size_t base, SourceRange range);

  /// The function, after its body. `name` is its global symbol unless it is private.
  const PrimFunc* Finish(Symbol name, bool is_private, const Type* ret_type, const Stmt* body,
                         SourceRange range);

 private:
  const Stmt* CloseScope(const PendingScope& scope, const Stmt* body);
  /// Flags the declared variables that nothing in the function defines.
  void MarkFreeVars(const PrimFunc& function);

  ParseEnv& env_;
  Scopes& scopes_;
  Values& values_;
  BlockStack& blocks_;
  std::vector<Var*> params_;
  std::vector<const Buffer*> buffers_;
  std::vector<const MapItem*> attrs_;
  std::vector<const Stmt*> statements_;
  std::vector<PendingScope*> open_scopes_;
  std::vector<Var*> declared_vars_;
  bool is_s_tir_ = false;
};

}  // namespace tenon

#endif  // TENON_PARSER_FUNCTION_BUILDER_H_
