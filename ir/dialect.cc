#include "ir/dialect.h"

#include <algorithm>

#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/function_attrs.h"
#include "ir/rewriter.h"
#include "support/check.h"

namespace tenon {

namespace {

constexpr DialectRules kV018 = {
    .release = "0.18.0",
    .name = "tir",
    .header = "# from tvm.script import tir as T\n",
    .attr_prefix = "tir.",
    .block = "block(",
    .block_attr = "block_attr(",
    .block_alloc = "alloc_buffer(",
    .has_flat_scopes = false,
    .has_scalars = false,
    .annotates_all_params = false,
    .declares_aliases = false,
    .has_bare_values = false,
    .has_type_vars = false,
    .has_bit_operators = false,
    .loads_slices = true,
    .has_error_kinds = false,
    .string_type = "runtime.String",
    .string_imm_type = "tir.StringImm",
    .tensor_type = "runtime.NDArray",
    .text_type = TextType::kDType,
    .has_pointer_types = false,
    .merges_attrs = false,
    .marks_s_tir = false,
};

constexpr DialectRules kV027 = {
    .release = "0.27.0.post1",
    .name = "tirx",
    .header = "# from tvm.script import tirx as T\n# from tvm.tirx.layout import Axis\n",
    .attr_prefix = "tirx.",
    .block = "sblock(",
    .block_attr = "sblock_attr(",
    .block_alloc = "sblock_alloc_buffer(",
    .has_flat_scopes = true,
    .has_scalars = true,
    .annotates_all_params = true,
    .declares_aliases = true,
    .has_bare_values = true,
    .has_type_vars = true,
    .has_bit_operators = true,
    .loads_slices = false,
    .has_error_kinds = true,
    .string_type = "ffi.String",
    .string_imm_type = "ir.StringImm",
    .tensor_type = "ffi.Tensor",
    .text_type = TextType::kOwn,
    .has_pointer_types = true,
    .merges_attrs = true,
    .marks_s_tir = true,
};

// Each older release is the next one with these differences.
constexpr DialectRules kV016 = [] {
  DialectRules rules = kV018;
  rules.release = "0.16.0";
  return rules;
}();
constexpr DialectRules kV015 = [] {
  DialectRules rules = kV016;
  rules.release = "0.15.0";
  return rules;
}();
constexpr DialectRules kV026 = [] {
  DialectRules rules = kV027;
  rules.release = "0.26.0";
  rules.has_type_vars = false;
  rules.has_bit_operators = false;
  rules.loads_slices = true;
  rules.string_imm_type = "tirx.StringImm";
  rules.text_type = TextType::kShared;
  return rules;
}();
constexpr DialectRules kV025 = [] {
  DialectRules rules = kV026;
  rules.release = "0.25.0.post1";
  rules.annotates_all_params = false;
  rules.declares_aliases = false;
  rules.text_type = TextType::kDType;
  rules.has_pointer_types = false;
  return rules;
}();

/// A builtin with another word in `tirx`, or in `tir`.
struct BuiltinWords {
  OpKind kind;
  std::string_view tir;
  std::string_view tirx;  ///< empty: it has none
};

// Halves are rounded to even by `T.round` of `tirx` and by `T.nearbyint` of both dialects.
constexpr BuiltinWords kWords[] = {
    {OpKind::kRound, "round", ""},
    {OpKind::kRoundeven, "nearbyint", "round"},
};

// Sorted. Names of `tir` for nodes that `tirx` lacks altogether (`T.allocate_const`, `T.realize`,
// `T.prefetch`, a conditional `T.allocate`) are read in both dialects.
constexpr DialectName kNames[] = {
    {"LetStmt", false, "x: T.let[T.int32] = e"},
    {"alloc_local", true, "T.allocate"},
    {"alloc_scalar", true, "T.allocate"},
    {"alloc_shared", true, "T.allocate"},
    {"block", false, "T.sblock"},
    {"block_attr", false, "T.sblock_attr"},
    {"local_scalar", true, "T.allocate"},
    {"sblock", true, "T.block"},
    {"sblock_alloc_buffer", true, "T.alloc_buffer"},
    {"sblock_attr", true, "T.block_attr"},
    {"shared_scalar", true, "T.allocate"},
};
static_assert(std::is_sorted(std::begin(kNames), std::end(kNames),
                             [](const DialectName& a, const DialectName& b) {
                               return a.text < b.text;
                             }));

const Attr* Rewritten(NodeBuilder& builder, const Attr* value, bool bare) {
  if (const auto* boxed = dyn_cast<BoolAttr>(value); boxed != nullptr && !bare) {
    return builder.ExprValue(builder.Bool(boxed->value));
  }
  const auto* expr = dyn_cast<ExprAttr>(value);
  const auto* imm = expr == nullptr ? nullptr : dyn_cast<IntImm>(expr->value);
  if (bare && imm != nullptr && imm->dtype == DataType::Bool()) {
    return builder.New<BoolAttr>(value->range, imm->value != 0);
  }
  return value;
}

/// Replaces builtins that only `tirx` has a word for.
class BuiltinReplacer : public Rewriter<BuiltinReplacer> {
 public:
  using Rewriter::Rewriter;

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    if (now->op->kind != OpKind::kRoundeven) return now;
    return builder().New<Call>(now->range, now->dtype, Op::Get(OpKind::kNearbyint), now->args);
  }
};

}  // namespace

const DialectRules& RulesOf(Dialect dialect) {
  switch (dialect) {
    case Dialect::kV015:
      return kV015;
    case Dialect::kV016:
      return kV016;
    case Dialect::kV018:
      return kV018;
    case Dialect::kV025:
      return kV025;
    case Dialect::kV026:
      return kV026;
    case Dialect::kV027:
      return kV027;
  }
  TENON_UNREACHABLE();
}

std::optional<Dialect> TirxReleaseOf(std::string_view version) {
  for (const Dialect dialect : {Dialect::kV025, Dialect::kV026, Dialect::kV027}) {
    const std::string_view known = RulesOf(dialect).release;
    const std::string_view minor = known.substr(0, known.find('.', 2) + 1);  // `0.27.`
    if (version.starts_with(minor)) return dialect;
  }
  return std::nullopt;
}

const Op* MeaningOf(std::string_view text, Dialect dialect) {
  if (!IsTirx(dialect)) return nullptr;
  for (const BuiltinWords& words : kWords) {
    if (words.tirx == text) return Op::Get(words.kind);
  }
  return nullptr;
}

std::string_view WordOf(const Op& op, Dialect dialect) {
  for (const BuiltinWords& words : kWords) {
    if (words.kind == op.kind) return IsTirx(dialect) ? words.tirx : words.tir;
  }
  return op.text;
}

std::span<const DialectName> DialectNames() { return kNames; }

const DialectName* FindDialectName(std::string_view text) {
  const auto* found =
      std::lower_bound(std::begin(kNames), std::end(kNames), text,
                       [](const DialectName& row, std::string_view key) { return row.text < key; });
  return found != std::end(kNames) && found->text == text ? found : nullptr;
}

std::string_view RoundFunctionOf(DataType dtype) {
  if (dtype == DataType::Float(32)) return "roundf";
  return dtype == DataType::Float(64) ? "round" : "llvm.round";
}

std::optional<Dialect> DialectOf(std::string_view name) {
  if (name == kV018.name) return Dialect::kV018;
  if (name == kV027.name) return kNewestTirx;
  return std::nullopt;
}

std::string_view TypeCodeName(TypeCode code, Dialect dialect) {
  if (!IsTirx(dialect)) return TypeCodeName(code);
  if (code == TypeCode::kE4M3Float) return "float8_e4m3fn";
  if (code == TypeCode::kE5M2Float) return "float8_e5m2";
  return TypeCodeName(code);
}

IRModule InDialect(const IRModule& module, Dialect dialect) {
  IRModule result = module;
  const DialectRules& rules = RulesOf(dialect);
  if (IsTirx(dialect) == IsTirx(module.dialect)) return result;
  result.dialect = dialect;
  for (const Function& old : module.functions()) {
    const Function function =
        IsTirx(dialect) ? old : RewriteFunction<BuiltinReplacer>(module.context(), old);
    result.Update(
        WithAttrs(module.context(), function, [&](NodeBuilder& builder, const MapAttr* attrs) {
          const MapAttr* now = attrs;
          for (const MapItem* item : attrs->items) {
            const std::string_view* key = AsString(item->key);
            if (key == nullptr) continue;
            now = builder.With(now, *key, Rewritten(builder, item->value, rules.has_bare_values));
          }
          const Attr* mark =
              rules.marks_s_tir ? builder.New<BoolAttr>(SourceRange{}, true) : nullptr;
          return builder.With(now, attr_key::kSTir, mark);
        }));
  }
  return result;
}

}  // namespace tenon
