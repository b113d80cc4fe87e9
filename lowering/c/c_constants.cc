#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lowering/c/c_internal.h"

namespace tenon::c_lowering {

namespace {

constexpr size_t kLineWidth = 100;

/// Element `index` of the bytes, widened.
int64_t IntElement(std::span<const uint8_t> bytes, size_t index, DataType dtype) {
  const auto width = static_cast<size_t>(dtype.element_bytes());
  uint64_t raw = 0;
  std::memcpy(&raw, bytes.data() + index * width, width);
  if (!dtype.is_int()) return static_cast<int64_t>(raw);
  const int shift = 64 - static_cast<int>(width) * 8;
  return static_cast<int64_t>(raw << shift) >> shift;
}

/// An element without the parentheses that a literal within an expression has.
std::string ElementText(std::span<const uint8_t> bytes, size_t index, DataType dtype) {
  std::string text;
  if (dtype == DataType::Float(32)) {
    float value;
    std::memcpy(&value, bytes.data() + index * 4, 4);
    text = FloatLiteral(static_cast<double>(value), dtype);
  } else if (dtype == DataType::Float(64)) {
    double value;
    std::memcpy(&value, bytes.data() + index * 8, 8);
    text = FloatLiteral(value, dtype);
  } else {
    // Small floats are their bits.
    const DataType bits = dtype.is_integer() ? dtype : DataType::UInt(dtype.bits());
    const int64_t value = IntElement(bytes, index, bits);
    if (bits.bits() < 32) return fmt::format("{}", value);
    text = IntLiteral(value, bits);
  }
  return text.starts_with("(-") ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

void AppendInitializer(std::string& out, const Constant& constant) {
  const std::span<const uint8_t> bytes = *constant.Bytes();
  const DataType dtype = constant.dtype().element();
  const size_t count = bytes.size() / static_cast<size_t>(dtype.element_bytes());
  size_t line = out.size();
  out += "  ";
  for (size_t i = 0; i < count; ++i) {
    const std::string text = ElementText(bytes, i, dtype);
    if (out.size() - line + text.size() + 2 > kLineWidth) {
      out += '\n';
      line = out.size();
      out += "  ";
    }
    out += text;
    if (i + 1 < count) out += ", ";
  }
  out += '\n';
}

std::string ConstantDefinition(ModuleState& state, const Constant& constant,
                               std::string_view name) {
  const DataType dtype = constant.dtype().element();
  const int64_t count = std::max<int64_t>(constant.element_count() * constant.dtype().lanes(), 1);
  const ConstantPlacement& placement = constant.placement();
  const int64_t alignment = std::max(state.options.constant_alignment, placement.alignment);
  const std::string& section =
      placement.section.empty() ? state.options.constant_section : placement.section;
  if (!IsSectionName(section))
    state.Error({}, fmt::format("the section of constant `{}` cannot be written in C", name));
  std::string out =
      fmt::format("static const {} {}[{}] TENON_SECTION(\"{}\") TENON_ALIGNED({}) = {{\n",
                  ElementType(dtype), name, count, section, alignment);
  if (constant.size_bytes() == 0) out += "  0\n";
  AppendInitializer(out, constant);
  out += "};\n\n";
  return out;
}

void LayOutConstantsOf(ModuleState& state, const std::vector<const Function*>& functions) {
  std::vector<ConstantUse> uses;
  for (const Function* function : functions) {
    Walk(function->func->body, [&](const Node* node) {
      const auto* allocate = dyn_cast<AllocateConst>(node);
      if (allocate != nullptr && allocate->data != nullptr && allocate->data->has_bytes() &&
          state.constant_index.try_emplace(allocate, uses.size()).second) {
        state.constant_uses.push_back(allocate);
        uses.push_back(
            {allocate->data, AlignmentOf(*allocate->data, state.options.constant_alignment)});
      }
      return Stmt::ClassOf(node);
    });
  }
  state.constant_layout = LayOutConstants(uses);
  state.block_names.resize(state.constant_layout.blocks.size());
}

PlacedConstant PlaceConstant(ModuleState& state, const AllocateConst& allocate) {
  const ConstantLayout::Place place =
      state.constant_layout.places[state.constant_index.at(&allocate)];
  const ConstantBlock& block = state.constant_layout.blocks[place.block];
  // The largest that lies in it lends the array its type and name if it is all of it.
  const AllocateConst& largest = *state.constant_uses[block.largest_use];
  const bool is_all = largest.data->size_bytes() == block.size_bytes();
  const Constant& data = is_all ? *largest.data : *block.data;
  const int64_t width = data.dtype().element_bytes();
  const bool is_whole = width > 0 && block.begin % width == 0 && block.end % width == 0;
  const DataType dtype = is_all || is_whole ? data.dtype().element() : DataType::UInt(8);
  std::string& name = state.block_names[place.block];
  if (name.empty()) {
    const std::string_view own = data.name().view();
    name = state.globals.Unique(
        fmt::format("{}_{}", state.prefix, own.empty() ? largest.buffer_var->name.view() : own));
    ConstantSource source;
    const auto offset = static_cast<size_t>(is_all ? 0 : block.begin);
    source.bytes = data.Bytes()->subspan(offset, static_cast<size_t>(block.size_bytes()));
    ConstantPlacement placement = block.data->placement();
    placement.alignment = block.alignment;
    const int64_t count = block.size_bytes() / std::max<int64_t>(dtype.element_bytes(), 1);
    const Constant whole(Symbol(), dtype, {count}, std::move(source), std::move(placement), {});
    state.constants += ConstantDefinition(state, whole, name);
  }
  return {name, dtype, place.offset};
}

}  // namespace tenon::c_lowering
