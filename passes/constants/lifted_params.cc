// The notes are maps of plain values, so that they survive printing and parsing. A text may contain
// any note, so members of a wrong type are left out and never trusted.

#include "passes/constants/lifted_params.h"

#include "ir/const_fold.h"
#include "support/check.h"

namespace tenon {

namespace {

constexpr std::string_view kUses[] = {"body", "let", "call"};

const MapAttr* AsMap(const Attr* attr) { return dyn_cast_or_null<MapAttr>(attr); }

}  // namespace

const MapAttr* MakeLiftedNote(NodeBuilder& builder, const LiftedNote& note) {
  const MapAttr* map = builder.Map({});
  TENON_CHECK(static_cast<size_t>(note.use) < std::size(kUses));
  const auto set = [&](std::string_view key, const Attr* value) {
    map = builder.With(map, key, value);
  };
  const auto number = [&](int64_t value) { return builder.New<IntAttr>(SourceRange(), value); };
  set("use", builder.StringValue(kUses[static_cast<size_t>(note.use)]));
  if (note.extents != nullptr) set("extents", note.extents);
  if (note.annotations != nullptr) set("annotations", note.annotations);
  if (note.constant.empty()) return map;
  set("constant", builder.StringValue(note.constant));
  set("index", number(note.index));
  const ConstantPlacement& placement = note.placement;
  if (placement.alignment != 0) set("align", number(placement.alignment));
  if (!placement.section.empty()) set("section", builder.StringValue(placement.section));
  if (placement.address_significant)
    set("address_significant", builder.New<BoolAttr>(SourceRange(), true));
  if (!placement.load.empty()) set("load", builder.StringValue(placement.load));
  if (!placement.codec.empty()) set("codec", builder.StringValue(placement.codec));
  std::vector<const Attr*> pools;
  for (const std::string& pool : placement.pools) pools.push_back(builder.StringValue(pool));
  if (!pools.empty()) set("pools", builder.Array({pools.data(), pools.size()}));
  return map;
}

std::optional<LiftedNote> ReadLiftedNote(const PrimFunc& function, std::string_view param,
                                         std::string_view key) {
  const MapAttr* all = AsMap(function.FindAttr(key));
  const MapAttr* map = all == nullptr ? nullptr : AsMap(all->Find(param));
  const std::string_view* use = map == nullptr ? nullptr : AsString(map->Find("use"));
  if (use == nullptr) return std::nullopt;
  LiftedNote note;
  for (size_t i = 0; i < std::size(kUses); ++i) {
    if (*use == kUses[i]) note.use = static_cast<LiftedNote::Use>(i);
  }
  note.extents = dyn_cast_or_null<ArrayAttr>(map->Find("extents"));
  note.annotations = AsMap(map->Find("annotations"));
  if (const std::string_view* name = AsString(map->Find("constant"))) note.constant = *name;
  if (const int64_t* index = AsInt(map->Find("index"))) note.index = *index;
  const int64_t* alignment = AsInt(map->Find("align"));
  if (alignment != nullptr && *alignment > 0 && (*alignment & (*alignment - 1)) == 0)
    note.placement.alignment = *alignment;
  if (const std::string_view* section = AsString(map->Find("section")))
    note.placement.section = *section;
  note.placement.address_significant = IsTrue(map->Find("address_significant"));
  if (const std::string_view* load = AsString(map->Find("load"))) note.placement.load = *load;
  if (const std::string_view* codec = AsString(map->Find("codec"))) note.placement.codec = *codec;
  if (!LoadMistake(note.placement).empty()) note.placement.load = note.placement.codec = {};
  if (const auto* pools = dyn_cast_or_null<ArrayAttr>(map->Find("pools"))) {
    for (const Attr* pool : pools->items) {
      if (const std::string_view* name = AsString(pool)) note.placement.pools.emplace_back(*name);
    }
  }
  return note;
}

bool IsUsual(const AllocateConst& allocate) {
  const std::vector<int64_t>& shape = allocate.data->shape();
  if (allocate.annotations != nullptr || allocate.extents.size() != shape.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    const int bits = shape[i] > INT32_MAX ? 64 : 32;
    if (!IsConstInt(allocate.extents[i], shape[i]) ||
        allocate.extents[i]->dtype != DataType::Int(bits))
      return false;
  }
  return true;
}

LiftedNote NoteOf(NodeBuilder& builder, const AllocateConst& allocate) {
  LiftedNote note;
  note.use = LiftedNote::Use::kLet;
  std::vector<const Attr*> extents;
  for (const Expr* extent : allocate.extents) extents.push_back(builder.ExprValue(extent));
  note.extents = builder.Array({extents.data(), extents.size()});
  note.annotations = allocate.annotations;
  return note;
}

const Stmt* NewAllocateConst(NodeBuilder& builder, const Var* var, const Constant& constant,
                             const LiftedNote* note, SourceRange range, const Stmt* body) {
  Span<const Expr*> extents = ExtentsOf(builder, constant, range);
  if (note != nullptr && note->extents != nullptr) {
    std::vector<const Expr*> written;
    for (const Attr* item : note->extents->items) {
      if (const auto* expr = dyn_cast<ExprAttr>(item)) written.push_back(expr->value);
    }
    extents = builder.arena().Copy(Span<const Expr*>(written.data(), written.size()));
  }
  return builder.New<AllocateConst>(range, var, constant.dtype(), extents, &constant,
                                    note == nullptr ? nullptr : note->annotations, body);
}

Span<const Expr*> ExtentsOf(NodeBuilder& builder, const Constant& constant, SourceRange range) {
  std::vector<const Expr*> extents;
  for (const int64_t extent : constant.shape()) {
    const DataType dtype = extent > INT32_MAX ? DataType::Int(64) : DataType::Int(32);
    extents.push_back(builder.Int(dtype, extent, range));
  }
  return builder.arena().Copy(Span<const Expr*>(extents.data(), extents.size()));
}

}  // namespace tenon
