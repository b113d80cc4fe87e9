// The updaters that come with Tenon: `name`, `transpose` and `pack-int4`. They show the three kinds
// of results to authors of code generators: the same bytes, replaced constants, and dropped
// constants.

#include "passes/constants/constant_updater.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/function_interface.h"

namespace tenon {

namespace {

/// The bytes, or an error at the constant.
std::optional<std::span<const uint8_t>> LoadedBytes(const FunctionConstant& of,
                                                    std::string_view what,
                                                    Diagnostics& diagnostics) {
  const absl::StatusOr<std::span<const uint8_t>> bytes = of.constant->Bytes();
  if (bytes.ok()) return *bytes;
  diagnostics.Error(DiagnosticKind::kPass, of.range,
                    fmt::format("`{}` cannot be {}: {}", of.variable, what,
                                std::string(bytes.status().message())));
  return std::nullopt;
}

class NameUpdater : public ConstantUpdater {
 public:
  std::string_view name() const override { return "name"; }

  std::optional<ConstantUpdate> Update(const Function& function,
                                       std::span<const FunctionConstant> constants,
                                       Diagnostics&) const override {
    ConstantUpdate update;
    for (size_t i = 0; i < constants.size(); ++i) {
      const Constant& from = *constants[i].constant;
      update.constants.push_back({fmt::format("{}_const_{}", SymbolOf(function), i), from.dtype(),
                                  from.shape(), from.source(), from.placement(), i});
    }
    return update;
  }
};

/// Makes a new constant from the bytes of each constant that it accepts.
class BytesUpdater : public ConstantUpdater {
 public:
  std::optional<ConstantUpdate> Update(const Function& function,
                                       std::span<const FunctionConstant> constants,
                                       Diagnostics& diagnostics) const override {
    ConstantUpdate update;
    for (size_t i = 0; i < constants.size(); ++i) {
      const Constant& from = *constants[i].constant;
      if (!IsFor(from)) continue;
      const auto bytes = LoadedBytes(constants[i], participle(), diagnostics);
      if (!bytes) return std::nullopt;
      UpdatedConstant now;
      now.name = fmt::format("{}_{}_{}", SymbolOf(function), constants[i].variable, suffix());
      now.dtype = from.dtype();
      now.placement = from.placement();
      if (keeps_place()) {
        now.replaces = i;
      } else {
        update.dropped.push_back(i);
      }
      if (!Make(constants[i], *bytes, now, diagnostics)) return std::nullopt;
      update.constants.push_back(std::move(now));
    }
    return update;
  }

 protected:
  /// The result, for diagnostics: `packed`.
  virtual std::string_view participle() const = 0;
  /// The suffix of the new constant's name.
  virtual std::string_view suffix() const = 0;
  /// True if pointers to the old constant refer to the new one; otherwise the old one is dropped.
  virtual bool keeps_place() const = 0;
  virtual bool IsFor(const Constant& constant) const = 0;
  /// Sets shape and bytes of `now`. False after an error, which is in `diagnostics`.
  virtual bool Make(const FunctionConstant& from, std::span<const uint8_t> bytes,
                    UpdatedConstant& now, Diagnostics& diagnostics) const = 0;
};

class TransposeUpdater : public BytesUpdater {
 public:
  std::string_view name() const override { return "transpose"; }

 protected:
  std::string_view participle() const override { return "transposed"; }
  std::string_view suffix() const override { return "transposed"; }
  bool keeps_place() const override { return true; }
  bool IsFor(const Constant& constant) const override { return constant.shape().size() >= 2; }

  bool Make(const FunctionConstant& of, std::span<const uint8_t> bytes, UpdatedConstant& now,
            Diagnostics&) const override {
    const Constant& from = *of.constant;
    now.shape.assign(from.shape().rbegin(), from.shape().rend());
    now.SetBytes(Transposed(from.shape(), static_cast<size_t>(from.dtype().bytes()), bytes));
    return true;
  }

 private:
  static std::vector<uint8_t> Transposed(const std::vector<int64_t>& shape, size_t element,
                                         std::span<const uint8_t> from) {
    std::vector<uint8_t> to(from.size());
    if (element == 0) return to;
    // The index of the next element of the result, whose last axis is the original's first.
    std::vector<int64_t> index(shape.size(), 0);
    std::vector<size_t> stride(shape.size(), element);
    for (size_t axis = shape.size() - 1; axis-- > 0;)
      stride[axis] = stride[axis + 1] * static_cast<size_t>(shape[axis + 1]);
    size_t at = 0;
    for (size_t done = 0; done < from.size(); done += element) {
      std::copy_n(from.begin() + static_cast<ptrdiff_t>(at), element,
                  to.begin() + static_cast<ptrdiff_t>(done));
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        at += stride[axis];
        if (++index[axis] < shape[axis]) break;
        at -= stride[axis] * static_cast<size_t>(shape[axis]);
        index[axis] = 0;
      }
    }
    return to;
  }
};

class PackInt4Updater : public BytesUpdater {
 public:
  std::string_view name() const override { return "pack-int4"; }

 protected:
  std::string_view participle() const override { return "packed"; }
  std::string_view suffix() const override { return "int4"; }
  bool keeps_place() const override { return false; }
  bool IsFor(const Constant& constant) const override {
    return constant.dtype() == DataType::Int(8);
  }

  bool Make(const FunctionConstant& of, std::span<const uint8_t> bytes, UpdatedConstant& now,
            Diagnostics& diagnostics) const override {
    std::vector<uint8_t> packed((bytes.size() + 1) / 2);
    for (size_t at = 0; at < bytes.size(); ++at) {
      const auto value = static_cast<int8_t>(bytes[at]);
      if (value < -8 || value > 7) {
        diagnostics.Error(DiagnosticKind::kPass, of.range,
                          fmt::format("`{}` cannot be packed: element {} is {}, expected -8 to 7",
                                      of.variable, at, value));
        return false;
      }
      packed[at / 2] = static_cast<uint8_t>(packed[at / 2] | (value & 15) << (at % 2 * 4));
    }
    now.shape = {static_cast<int64_t>(packed.size())};
    now.SetBytes(std::move(packed));
    return true;
  }
};

}  // namespace

void UpdatedConstant::SetBytes(std::vector<uint8_t> bytes) {
  auto owner = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
  source = {};
  source.bytes = *owner;
  source.owner = std::move(owner);
}

ConstantUpdaters ConstantUpdaters::BuiltIn() {
  ConstantUpdaters updaters;
  updaters.Add(std::make_unique<NameUpdater>());
  updaters.Add(std::make_unique<TransposeUpdater>());
  updaters.Add(std::make_unique<PackInt4Updater>());
  return updaters;
}

bool ConstantUpdaters::Add(std::unique_ptr<const ConstantUpdater> updater) {
  if (Find(updater->name()) != nullptr) return false;
  updaters_.push_back(std::move(updater));
  return true;
}

const ConstantUpdater* ConstantUpdaters::Find(std::string_view name) const {
  for (const auto& updater : updaters_) {
    if (updater->name() == name) return updater.get();
  }
  return nullptr;
}

std::vector<std::string_view> ConstantUpdaters::Names() const {
  std::vector<std::string_view> names;
  for (const auto& updater : updaters_) names.push_back(updater->name());
  return names;
}

}  // namespace tenon
