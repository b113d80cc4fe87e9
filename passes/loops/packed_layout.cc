// The common part of the two packing passes: axes from the digits of an index. A compact copy has
// one place for each element if each sorted stride exceeds all smaller axes together.

#include "passes/loops/packed_layout.h"

#include <algorithm>

#include "arith/index_math.h"
#include "fmt/format.h"

namespace tenon {

namespace {

/// A copy is smaller than this, so that products of extents do not overflow.
constexpr int64_t kMostPackedElements = int64_t{1} << 24;

/// The index in a compact copy for a place on each axis.
const Expr* Linear(NodeBuilder& builder, const PackedLayout& layout,
                   const std::vector<const Expr*>& places) {
  const IndexMath math(builder, {});
  const Expr* index = places.front();
  for (size_t i = 1; i < places.size(); ++i)
    index = math.Add(math.Mul(index, builder.Int(layout.axes[i].extent)), places[i]);
  return index;
}

}  // namespace

int64_t PackedLayout::elements() const {
  int64_t elements = 1;
  for (const PackedAxis& axis : axes) elements *= axis.extent;
  return elements;
}

bool PackedLayout::IsOneToOne(int64_t count) const {
  std::vector<PackedAxis> sorted = axes;
  sorted.insert(sorted.end(), around.begin(), around.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const PackedAxis& a, const PackedAxis& b) { return a.stride < b.stride; });
  int64_t reached = 1;
  int64_t elements = 1;
  for (const PackedAxis& axis : sorted) {
    if (axis.stride < reached) return false;
    reached += axis.stride * (axis.extent - 1);
    elements *= axis.extent;
    if (elements > kMostPackedElements) return false;
  }
  return first >= 0 && first + reached <= count;
}

bool NestLoops::Enter(const For* loop) {
  const int group = static_cast<int>(loops_.size());
  if (loop->loop_var->dtype != DataType::Int(32) || !forms_.Enter(loop, group)) return false;
  loops_.push_back(loop);
  open_.push_back(group);
  return true;
}

void NestLoops::Leave() {
  forms_.Leave(loops_[static_cast<size_t>(open_.back())]);
  open_.pop_back();
}

const Expr* NestLoops::IndexOf(NodeBuilder& builder, const PackedLayout& layout) const {
  std::vector<const Expr*> places;
  for (const PackedAxis& axis : layout.axes) places.push_back(Place(builder, axis));
  return Linear(builder, layout, places);
}

const Expr* NestLoops::FirstOf(NodeBuilder& builder, const PackedLayout& layout) const {
  const IndexMath math(builder, {});
  const Expr* first = builder.Int(layout.first);
  for (const PackedAxis& axis : layout.around)
    first = math.Add(first, math.Mul(Place(builder, axis), builder.Int(axis.stride)));
  return first;
}

int NestLoops::GroupOf(const For* loop) const {
  return static_cast<int>(std::find(loops_.begin(), loops_.end(), loop) - loops_.begin());
}

const Expr* NestLoops::Place(NodeBuilder& builder, const Digits::Leaf& part) const {
  const For* loop = loops_[static_cast<size_t>(part.group)];
  const Expr* place = loop->loop_var;
  if (!IsConstInt(loop->min, 0)) place = builder.New<Sub>({}, place, loop->min);
  const int64_t all = *AsIntImm(loop->extent);
  if (part.weight > 1) place = builder.New<FloorDiv>({}, place, builder.Int(part.weight));
  if (part.weight * part.extent < all)
    place = builder.New<FloorMod>({}, place, builder.Int(part.extent));
  return place;
}

const Buffer* NewPacked(NodeBuilder& builder, const PackedLayout& layout, const Buffer& buffer) {
  return NewFlatBuffer(builder, fmt::format("{}_packed", buffer.name.view()), buffer.dtype,
                       layout.elements());
}

const Stmt* AllocatePacked(NodeBuilder& builder, const Buffer& packed, const Stmt* body) {
  return builder.New<Allocate>({}, packed.data, packed.dtype, packed.shape, builder.Bool(true),
                               nullptr, body);
}

const Stmt* PackedCopy(NodeBuilder& builder, const PackedLayout& layout, const Expr* first,
                       const Buffer* buffer, const Buffer* packed, bool back) {
  std::vector<const Var*> vars;
  std::vector<const Expr*> places;
  const IndexMath math(builder, {});
  const Expr* in_buffer = first;
  for (const PackedAxis& axis : layout.axes) {
    vars.push_back(builder.NewVar("p", DataType::Int(32)));
    places.push_back(vars.back());
    in_buffer = math.Add(in_buffer, math.Mul(vars.back(), builder.Int(axis.stride)));
  }
  const Expr* in_packed = Linear(builder, layout, places);
  const Expr* value = back ? builder.Load(packed, {in_packed}) : builder.Load(buffer, {in_buffer});
  const Stmt* body = builder.New<BufferStore>({}, back ? buffer : packed, value,
                                              builder.List<Expr>({back ? in_buffer : in_packed}));
  for (size_t i = vars.size(); i-- > 0;) {
    body = builder.New<For>(SourceRange(), vars[i], builder.Int(0),
                            builder.Int(layout.axes[i].extent), ForKind::kSerial, body);
  }
  return body;
}

}  // namespace tenon
