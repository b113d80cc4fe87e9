#include <fmt/format.h>

#include "ir/analysis/free_vars.h"
#include "ir/attributes.h"
#include "parser/parser_internal.h"

namespace tenon {

Parser::Decorator Parser::ParseDecorator() {
  Decorator decorator;
  decorator.range = Here();
  Advance();  // @
  const PyValue name = ParseAtomWithDots();
  if (failed_) return decorator;
  decorator.is_module = name.is(PyKind::kIrName) && name.text() == "ir_module";
  decorator.is_function = name.is(PyKind::kTirName) && name.tir_name->form == TirForm::kPrimFunc;
  decorator.is_relax = name.is(PyKind::kRelaxName) && name.text() == "function";
  decorator.is_unknown = !decorator.is_module && !decorator.is_function && !decorator.is_relax;
  if (decorator.is_unknown && !name.is_error()) {
    Error(DiagnosticKind::kUnsupported, name.range,
          "unknown decorator, expected `@I.ir_module` or `@T.prim_func`");
  }
  if (At(Tok::kLParen)) {
    Args args;
    ParseArgs(args);
    for (const PyKeyword& keyword : args.keywords) {
      if (keyword.name == "private" && keyword.value.is(PyKind::kBool)) {
        decorator.is_private = keyword.value.integer != 0;
      } else if (keyword.name == "private") {
        Error(DiagnosticKind::kArguments, keyword.value.range,
              fmt::format("`private` is {}, expected True or False", Describe(keyword.value)));
      } else if (keyword.name == attr_key::kSTir) {
        decorator.is_s_tir = keyword.value.is(PyKind::kBool) && keyword.value.integer != 0;
      } else if (keyword.name != "check_well_formed") {
        Error(DiagnosticKind::kArguments, keyword.range,
              fmt::format("the decorator has no argument `{}`", keyword.name));
      }
    }
  }
  decorator.range = Since(decorator.range);
  EndOfStatement();
  if (failed_) Recover();
  return decorator;
}

PyValue Parser::ParseAtomWithDots() {
  PyValue value = ParseAtom();
  while (At(Tok::kDot) && !failed_) value = ParseAttribute(value);
  return value;
}

void Parser::ParseFunction(const Decorator& decorator) {
  if (decorator.is_relax) return SkipRelaxFunction();
  Advance();  // def
  NameEntry* name = token_.name;
  const SourceRange name_range = Here();
  if (name == nullptr && At(Tok::kLParen)) {
    Error(DiagnosticKind::kSyntax, name_range, "found `(`, expected the name of a function");
  } else if (name == nullptr) {
    UnexpectedToken("the name of a function");
  } else {
    Advance();
    const auto [seen, added] = functions_seen_.emplace(name, name_range);
    if (!added) {
      Diagnostic& error = Error(DiagnosticKind::kDuplicateName, name_range,
                                fmt::format("function `{}` is already defined", name->text));
      Diagnostics::AddNote(error, seen->second, "the earlier definition is here");
    }
  }
  params_.clear();
  buffers_.clear();
  func_attrs_.clear();
  blocks_.clear();
  open_blocks_.clear();
  open_blocks_.push_back(blocks_.emplace_back(std::make_unique<BlockInfo>()).get());
  ret_type_ = context_.VoidType();
  scopes_.Push();
  has_block_ = false;
  summed_items_ = 0;
  passing_names_.clear();
  declared_vars_.clear();
  shape_vars_.clear();
  quoted_names_.clear();
  scalar_params_.clear();
  function_is_s_tir_ = decorator.is_s_tir;
  BindTypeVars();
  in_signature_ = rules_->annotates_all_params;
  if (!failed_) ParseParams();
  in_signature_ = false;
  if (At(Tok::kArrow)) {
    Advance();
    if (const Type* type = ToType(ParseExpr())) ret_type_ = type;
  }
  const SourceRange range{name_range.begin, previous_end_};
  const Stmt* body = ParseSuite();
  scopes_.Pop();
  if (name != nullptr && body != nullptr) FinishFunction(name, decorator, body, range);
  statements_.clear();
  open_scopes_.clear();
  constexpr size_t kMostScratch = 256 * 1024;
  if (scratch_->bytes_reserved() > kMostScratch) scratch_ = std::make_unique<Arena>();
}

void Parser::ParseParams() {
  if (rules_->annotates_all_params) ScanScalarParams();
  if (!Expect(Tok::kLParen, "`(`")) return;
  while (!At(Tok::kRParen) && !failed_) {
    if (At(Tok::kStar) || At(Tok::kPower) || At(Tok::kSlash)) {
      SyntaxError(DiagnosticKind::kUnsupported, Here(),
                  fmt::format("`{}` among the parameters", lexer_.Text(token_)));
      return;
    }
    ParseParam();
    if (At(Tok::kRParen)) break;
    if (!Expect(Tok::kComma, "`,` or `)`")) return;
  }
  Expect(Tok::kRParen, "`)`");
}

void Parser::ParseParam() {
  NameEntry* name = token_.name;
  const SourceRange range = Here();
  if (name == nullptr) return UnexpectedToken("the name of a parameter");
  Advance();
  if (!At(Tok::kColon) && !At(Tok::kComma) && !At(Tok::kRParen)) {
    UnexpectedToken("`:` and a type");
    return scopes_.Bind(name, PyValue(), range);
  }
  if (!At(Tok::kColon)) {
    Error(DiagnosticKind::kType, range,
          fmt::format("parameter `{}` has no type, expected `{}: T.handle` or the like", name->text,
                      name->text));
    scopes_.Bind(name, PyValue(), range);
    return;
  }
  Advance();
  const PyValue annotation = ParseExpr();
  if (failed_) {
    scopes_.Bind(name, PyValue(), range);
    return;
  }
  BindParam(name, range, annotation);
  if (At(Tok::kAssign)) {
    SyntaxError(DiagnosticKind::kUnsupported, Here(), "default value of a parameter");
  }
}

void Parser::BindParam(NameEntry* name, SourceRange range, const PyValue& annotation) {
  if (annotation.is(PyKind::kBuffer) && (annotation.count & kFreshBuffer) != 0) {
    auto* buffer = const_cast<Buffer*>(annotation.buffer);
    buffer->range = range;
    NameBuffer(buffer, name, (annotation.count & kOwnsData) != 0);
    if (name->handle_symbol.empty()) {
      name->handle_symbol = context_.Intern(fmt::format("{}_handle", name->text));
    }
    Var* var = arena_.New<Var>(name->handle_symbol, PrimTypeOf(DataType::Handle()));
    var->range = range;
    params_.push_back(var);
    buffers_.push_back(buffer);
    // Buffers of one element that have a layout are scalars.
    const bool is_scalar = rules_->has_scalars && !function_is_s_tir_ && IsOneElement(*buffer);
    if (is_scalar) buffer->buffer_kind = BufferKind::kScalar;
    return Define(name, NamedBuffer(range, buffer), range);
  }
  const Type* type = annotation.is(PyKind::kNone) ? nullptr : ToType(annotation);
  if (type == nullptr) {
    if (annotation.is(PyKind::kNone)) {
      Error(DiagnosticKind::kType, annotation.range,
            "expected the type of a parameter, found `None`");
    }
    scopes_.Bind(name, PyValue(), range);
    return;
  }
  // A quoted extent may have introduced the variable.
  const auto shape_var = shape_vars_.find(name);
  if (shape_var != shape_vars_.end() && shape_var->second->type == type) {
    params_.push_back(shape_var->second);
    buffers_.push_back(nullptr);
    shape_vars_.erase(shape_var);
    return;
  }
  Var* var = annotation.is(PyKind::kFreshVar) && cast<Var>(annotation.expr)->name.empty()
                 ? const_cast<Var*>(cast<Var>(annotation.expr))
                 : arena_.New<Var>(Symbol(), type);
  var->name = SymbolOf(name);
  var->range = range;
  params_.push_back(var);
  buffers_.push_back(nullptr);
  Define(name, PyValue::Of(range, static_cast<const Expr*>(var)), range);
}

void Parser::FuncAttr(const Args& args) {
  Bound<1> bound;
  if (!Bind(args, {"attrs"}, 1, bound)) return;
  const MapAttr* map = ToMap(*bound[0], /*normalise=*/true);
  if (map == nullptr) return;
  for (const MapItem* written : map->items) {
    const MapItem* item = WithTirKey(written);
    const std::string_view* key = AsString(item->key);
    if (key == nullptr) {
      Error(DiagnosticKind::kArguments, item->range,
            "key of a function's attribute, expected a string");
      continue;
    }
    for (const MapItem* known : func_attrs_) {
      if (*AsString(known->key) != *key) continue;
      Error(DiagnosticKind::kDuplicateName, item->range,
            fmt::format("attribute `{}` is given already", *key));
    }
    if (CheckFuncAttr(*key, item->value)) func_attrs_.push_back(item);
  }
}

const MapItem* Parser::WithTirKey(const MapItem* item) {
  const std::string_view* key = AsString(item->key);
  if (key == nullptr || rules_->attr_prefix == "tir." || !key->starts_with(rules_->attr_prefix)) {
    return item;
  }
  const std::string name = fmt::format("tir.{}", key->substr(rules_->attr_prefix.size()));
  return builder_.New<MapItem>(
      item->range, builder_.New<StringAttr>(item->key->range, context_.Intern(name).view()),
      item->value);
}

bool Parser::CheckTensorScales(std::string_view key, const Attr* value) {
  const auto is_number = [](const Attr* attr, NodeKind kind) {
    const auto* number = dyn_cast<ExprAttr>(attr);
    return number != nullptr && number->value->kind == kind;
  };
  const auto* map = dyn_cast<MapAttr>(value);
  const Attr* wrong = map == nullptr ? value : nullptr;
  for (size_t i = 0; map != nullptr && wrong == nullptr && i < map->items.size(); ++i) {
    const MapItem* item = map->items[i];
    const auto* pair = dyn_cast<ArrayAttr>(item->value);
    if (AsString(item->key) == nullptr || pair == nullptr || pair->items.size() != 2 ||
        !is_number(pair->items[0], NodeKind::kFloatImm) ||
        !is_number(pair->items[1], NodeKind::kIntImm))
      wrong = item->value;
  }
  if (wrong == nullptr) return true;
  Error(DiagnosticKind::kArguments, wrong->range,
        fmt::format("value of the attribute `{}`, expected a dict of lists of a float, the scale, "
                    "and an integer, the zero point",
                    key));
  return false;
}

// Attributes whose values mean something to Tenon itself.
bool Parser::CheckFuncAttr(std::string_view key, const Attr* value) {
  const auto wrong = [&](const Attr* where, std::string_view expected) {
    Error(DiagnosticKind::kArguments, where->range,
          fmt::format("value of the attribute `{}`, expected {}", key, expected));
    return false;
  };
  if (key == attr_key::kGlobalSymbol && !isa<StringAttr>(value)) return wrong(value, "a string");
  if (key == attr_key::kOutputs || key == attr_key::kStates) {
    constexpr std::string_view kNames = "a list of strings, the names of parameters";
    const auto* list = dyn_cast<ArrayAttr>(value);
    if (list == nullptr) return wrong(value, kNames);
    for (const Attr* name : list->items) {
      if (AsString(name) == nullptr) return wrong(name, kNames);
    }
  }
  if (key == attr_key::kTensorScales) return CheckTensorScales(key, value);
  if (key != attr_key::kExterns) return true;
  constexpr std::string_view kExpected =
      "a dict of lists of strings of the letters r, w, o and c, one for each argument";
  const auto* map = dyn_cast<MapAttr>(value);
  if (map == nullptr) return wrong(value, kExpected);
  for (const MapItem* item : map->items) {
    const auto* list = dyn_cast<ArrayAttr>(item->value);
    if (list == nullptr || AsString(item->key) == nullptr) return wrong(item->value, kExpected);
    for (const Attr* effect : list->items) {
      const std::string_view* text = AsString(effect);
      if (text == nullptr || text->find_first_not_of("rwoc") != std::string_view::npos) {
        return wrong(effect, kExpected);
      }
    }
  }
  return true;
}

void Parser::MarkFreeVars(const PrimFunc& function) {
  const absl::flat_hash_set<const Var*> defined = DefinedVars(function, Declarations::kIncluded);
  for (Var* var : declared_vars_) {
    if (!defined.contains(var)) var->flags |= kFreeVar;
  }
}

void Parser::FinishFunction(NameEntry* name, const Decorator& decorator, const Stmt* body,
                            SourceRange range) {
  const MapItem* symbol = nullptr;
  for (const MapItem* item : func_attrs_) {
    if (*AsString(item->key) == attr_key::kGlobalSymbol) symbol = item;
  }
  if (decorator.is_private && symbol != nullptr) {
    Error(DiagnosticKind::kArguments, symbol->range, "a private function has no `global_symbol`");
  } else if (!decorator.is_private && symbol == nullptr) {
    func_attrs_.push_back(
        builder_.New<MapItem>(range, builder_.New<StringAttr>(range, attr_key::kGlobalSymbol),
                              builder_.New<StringAttr>(range, SymbolOf(name).view())));
  }
  if (decorator.is_s_tir && rules_->marks_s_tir) {
    func_attrs_.push_back(builder_.New<MapItem>(range,
                                                builder_.New<StringAttr>(range, attr_key::kSTir),
                                                builder_.New<BoolAttr>(range, true)));
  }
  std::stable_sort(func_attrs_.begin(), func_attrs_.end(), [](const MapItem* a, const MapItem* b) {
    return *AsString(a->key) < *AsString(b->key);
  });
  body = AddRootBlock(body);
  const MapAttr* attrs = builder_.New<MapAttr>(range, arena_.Copy(func_attrs_));
  const PrimFunc* function =
      builder_.New<PrimFunc>(range, arena_.Copy(Span<const Var*>(params_.data(), params_.size())),
                             arena_.Copy(buffers_), ret_type_, attrs, body);
  if (!declared_vars_.empty()) MarkFreeVars(*function);
  const Symbol symbol_name = SymbolOf(name);
  if (module_.Find(symbol_name) == nullptr) module_.Add({symbol_name, function, storage_});
}

}  // namespace tenon
