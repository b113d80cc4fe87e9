#include "ir/dialect.h"

#include <algorithm>

#include "ir/attributes.h"
#include "ir/function_attrs.h"

namespace tenon {

namespace {

constexpr DialectRules kTir = {
    .name = "tir",
    .header = "# from tvm.script import tir as T\n",
    .attr_prefix = "tir.",
    .block = "block(",
    .block_attr = "block_attr(",
    .block_alloc = "alloc_buffer(",
    .has_flat_scopes = false,
    .has_scalars = false,
    .annotates_all_params = false,
    .has_bare_values = false,
    .has_bit_operators = false,
    .has_error_kinds = false,
    .merges_attrs = false,
    .marks_s_tir = false,
};

constexpr DialectRules kTirx = {
    .name = "tirx",
    .header = "# from tvm.script import tirx as T\n# from tvm.tirx.layout import Axis\n",
    .attr_prefix = "tirx.",
    .block = "sblock(",
    .block_attr = "sblock_attr(",
    .block_alloc = "sblock_alloc_buffer(",
    .has_flat_scopes = true,
    .has_scalars = true,
    .annotates_all_params = true,
    .has_bare_values = true,
    .has_bit_operators = true,
    .has_error_kinds = true,
    .merges_attrs = true,
    .marks_s_tir = true,
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

}  // namespace

const DialectRules& RulesOf(Dialect dialect) { return dialect == Dialect::kTirx ? kTirx : kTir; }

std::span<const DialectName> DialectNames() { return kNames; }

const DialectName* FindDialectName(std::string_view text) {
  const auto* found =
      std::lower_bound(std::begin(kNames), std::end(kNames), text,
                       [](const DialectName& row, std::string_view key) { return row.text < key; });
  return found != std::end(kNames) && found->text == text ? found : nullptr;
}

std::optional<Dialect> DialectOf(std::string_view name) {
  if (name == kTir.name) return Dialect::kV018;
  if (name == kTirx.name) return Dialect::kTirx;
  return std::nullopt;
}

std::string_view TypeCodeName(TypeCode code, Dialect dialect) {
  if (dialect != Dialect::kTirx) return TypeCodeName(code);
  if (code == TypeCode::kE4M3Float) return "float8_e4m3fn";
  if (code == TypeCode::kE5M2Float) return "float8_e5m2";
  return TypeCodeName(code);
}

IRModule InDialect(const IRModule& module, Dialect dialect) {
  IRModule result = module;
  const DialectRules& rules = RulesOf(dialect);
  if (&rules == &RulesOf(module.dialect)) return result;
  result.dialect = dialect;
  for (const Function& function : module.functions()) {
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
