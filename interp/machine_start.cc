#include <algorithm>
#include <cstring>

#include "fmt/format.h"
#include "interp/machine.h"
#include "ir/analysis/param_names.h"
#include "support/check.h"

namespace tenon::interp {

// The variables of a signature's buffers take their values from the first tensor that determines
// them; all other tensors must agree.
bool Machine::BindTensor(const FunctionCode& code, size_t param, const Tensor& tensor, Slot* regs) {
  int64_t stride = 1;
  std::vector<int64_t> strides(tensor.shape.size());
  for (size_t i = tensor.shape.size(); i > 0; --i) {
    strides[i - 1] = stride;
    stride *= tensor.shape[i - 1];
  }
  for (const ShapeBinding& binding : code.bindings) {
    if (static_cast<size_t>(binding.param) != param) continue;
    const auto dim = static_cast<size_t>(binding.dim);
    if (binding.what == ShapeBinding::What::kOffset) {
      regs[binding.reg] = 0;
      continue;
    }
    if (dim >= tensor.shape.size()) {
      return Fail(DiagnosticKind::kArguments, fmt::format("argument {} has {} dimensions, too few",
                                                          param, tensor.shape.size()));
    }
    regs[binding.reg] =
        binding.what == ShapeBinding::What::kExtent ? tensor.shape[dim] : strides[dim];
  }
  return true;
}

void Machine::Define(Slot pointer, const Tensor& tensor, const std::vector<ByteStretch>& written) {
  Allocation* allocation = memory_.Find(pointer);
  TENON_CHECK(allocation != nullptr &&
              allocation->size == static_cast<int64_t>(tensor.bytes.size()));
  for (const ByteStretch& stretch : written) {
    const int64_t begin = std::max<int64_t>(stretch.begin, 0);
    const int64_t end = std::min(stretch.end, allocation->size);
    if (begin >= end) continue;
    std::memcpy(allocation->data + begin, tensor.bytes.data() + begin,
                static_cast<size_t>(end - begin));
    allocation->Define(begin, end - begin);
  }
}

Slot Machine::BindTensorBytes(const Argument& argument, std::string_view name) {
  TENON_CHECK(argument.tensor != nullptr);
  Tensor& tensor = *argument.tensor;
  const auto size = static_cast<int64_t>(tensor.bytes.size());
  Slot value = 0;
  if (argument.undefined) {
    value = memory_.Allocate(size, name, false);
    if (value != 0) Define(value, tensor, argument.written);
  } else {
    value = memory_.Borrow(tensor.bytes.data(), size, name, false);
  }
  if (value == 0) {
    Fail(DiagnosticKind::kMemoryLimit,
         fmt::format("`{}` of {} bytes is more than a run may use", name, size));
  }
  return value;
}

std::optional<Slot> Machine::BindArgument(const Argument& argument, std::string_view name) {
  if (!argument.name.empty()) name = argument.name;
  Slot value = 0;
  switch (argument.kind) {
    case Argument::Kind::kNull:
      return 0;
    case Argument::Kind::kScalar:
      return argument.bits;
    case Argument::Kind::kTensor:
      value = BindTensorBytes(argument, name);
      break;
    case Argument::Kind::kStruct: {
      TENON_CHECK(argument.structure != nullptr);
      const std::vector<Argument>& fields = argument.structure->fields;
      value = memory_.Allocate(static_cast<int64_t>(fields.size() * sizeof(Slot)), name, true);
      if (value == 0) {
        Fail(DiagnosticKind::kMemoryLimit, fmt::format("`{}` is more than a run may use", name));
        return std::nullopt;
      }
      for (size_t i = 0; i < fields.size(); ++i) {
        const std::optional<Slot> field = BindArgument(fields[i], name);
        if (!field) return std::nullopt;
        std::memcpy(memory_.Find(value)->data + i * sizeof(Slot), &*field, sizeof(Slot));
      }
      break;
    }
  }
  if (value == 0) return std::nullopt;
  bound_.emplace_back(value, argument);
  return value;
}

Slot Machine::EntryPointer(std::string_view name) {
  const auto known = data_pointers_.find(name);
  if (known != data_pointers_.end()) return known->second;
  const auto argument =
      data_ == nullptr ? EntryDataArguments::const_iterator() : data_->find(std::string(name));
  if (data_ == nullptr || argument == data_->end()) {
    Fail(DiagnosticKind::kArguments, fmt::format("the entry has no data `{}`", name));
    return 0;
  }
  return data_pointers_[name] = BindArgument(argument->second, argument->first).value_or(0);
}

void Machine::CopyBack() {
  for (const auto& [pointer, argument] : bound_) {
    const Allocation* allocation = memory_.Find(pointer);
    if (allocation == nullptr || allocation->size == 0) continue;
    if (argument.kind == Argument::Kind::kTensor && argument.undefined) {
      std::memcpy(argument.tensor->bytes.data(), allocation->data,
                  static_cast<size_t>(allocation->size));
    }
    if (argument.kind != Argument::Kind::kStruct) continue;
    std::vector<Argument>& fields = argument.structure->fields;
    for (size_t i = 0; i < fields.size(); ++i) {
      Slot field = 0;
      std::memcpy(&field, allocation->data + i * sizeof(Slot), sizeof(Slot));
      const int64_t offset = Memory::Offset(field);
      const auto target = std::find_if(bound_.begin(), bound_.end(), [&](const auto& other) {
        return other.first == field - offset && other.second.kind == Argument::Kind::kTensor;
      });
      if (target == bound_.end()) continue;
      fields[i].kind = Argument::Kind::kTensor;
      fields[i].tensor = target->second.tensor;
      fields[i].offset = offset;
    }
  }
}

bool Machine::BindArguments(const FunctionCode& code, const std::vector<Argument>& arguments,
                            Slot* regs) {
  size_t next = 0;
  size_t linked = 0;
  for (const int32_t number : code.linked) linked += number >= 0 ? 1 : 0;
  const size_t params = code.params.size();
  TENON_CHECK(code.linked.size() == params && code.data.size() == params);
  if (arguments.size() != params && arguments.size() + linked != params) {
    return Fail(DiagnosticKind::kArguments, fmt::format("`{}` takes {} arguments, but gets {}",
                                                        code.name, params, arguments.size()));
  }
  const bool skip = arguments.size() != params;
  for (size_t i = 0; i < params; ++i) {
    Slot value = 0;
    if (code.linked[i] >= 0) {
      value = ConstantPointer(code.linked[i]);
      if (value == 0) return false;
      if (!skip) ++next;
    } else {
      TENON_CHECK(next < arguments.size());
      const Argument& argument = arguments[next++];
      const std::string_view name = ParamName(*code.function->func, i);
      const std::optional<Slot> bound = BindArgument(argument, name);
      if (!bound) return false;
      value = *bound;
      if (argument.kind == Argument::Kind::kTensor && !BindTensor(code, i, *argument.tensor, regs))
        return false;
    }
    regs[code.params[i]] = value;
    if (code.data[i] >= 0) regs[code.data[i]] = value;
  }
  return true;
}

bool Machine::Start(int32_t index, const std::vector<Argument>& arguments, int64_t* result,
                    const EntryDataArguments* data) {
  data_ = data;
  TENON_CHECK(index >= 0 && static_cast<size_t>(index) < module_.functions.size());
  const FunctionCode& code = module_.functions[static_cast<size_t>(index)];
  Frame start{&code, nullptr, nullptr};
  frame_ = &start;
  // Creates an arena for each pool of the placement, large enough for its allocations.
  for (const FunctionCode& function : module_.functions) {
    for (const auto& site : function.allocations) {
      const auto place = options_.placement.find(site->var);
      if (place == options_.placement.end()) continue;
      int64_t& size = arena_sizes_[place->second.pool];
      size = std::max(size, place->second.offset + site->static_bytes);
    }
  }
  for (const auto& [pool, size] : arena_sizes_) {
    const Slot arena = memory_.NewArena(size, pool);
    if (arena == 0) {
      return Fail(DiagnosticKind::kMemoryLimit, fmt::format("pool `{}` of {} bytes", pool, size));
    }
    arenas_[pool] = arena;
  }
  std::vector<Slot> regs(static_cast<size_t>(code.frame_size));
  Enter(code, regs.data());
  if (!BindArguments(code, arguments, regs.data())) return false;
  frame_ = nullptr;
  Slot value = 0;
  const bool ok = Execute(code, regs.data(), &value);
  if (result != nullptr) *result = value;
  CopyBack();
  return ok;
}

}  // namespace tenon::interp
