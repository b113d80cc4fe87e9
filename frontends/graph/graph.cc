#include "frontends/graph/graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <utility>

#include "support/ascii.h"
#include "support/half.h"
#include "support/little_endian.h"

namespace tenon::graph {

int64_t Tensor::elements() const {
  int64_t product = 1;
  for (const int64_t extent : shape) product *= extent;
  return product;
}

TensorData DataOf(std::string bytes) {
  auto owner = std::make_shared<std::string>(std::move(bytes));
  return {{reinterpret_cast<const uint8_t*>(owner->data()), owner->size()}, owner, false};
}

TensorData DataOf(std::span<const int64_t> integers, DataType dtype) {
  std::string bytes;
  for (const int64_t integer : integers) {
    std::string element;
    AppendLittleEndian(integer, &element);
    bytes.append(element, 0, static_cast<size_t>(dtype.element_bytes()));
  }
  return DataOf(std::move(bytes));
}

float Tensor::FloatAt(int64_t index) const {
  const auto size = static_cast<size_t>(dtype.element_bytes());
  const std::string_view element(
      reinterpret_cast<const char*>(data->bytes.data()) + static_cast<size_t>(index) * size, size);
  if (size == sizeof(uint16_t)) return FloatFromFloat16(LoadLittleEndian<uint16_t>(element));
  return std::bit_cast<float>(LoadLittleEndian<uint32_t>(element));
}

int64_t Tensor::IntegerAt(int64_t index) const {
  const auto size = static_cast<size_t>(dtype.element_bytes());
  const std::string_view element(
      reinterpret_cast<const char*>(data->bytes.data()) + static_cast<size_t>(index) * size, size);
  const bool is_signed = dtype.is_int();
  switch (size) {
    case 8:
      return LoadLittleEndian<int64_t>(element);
    case 4:
      if (is_signed) return LoadLittleEndian<int32_t>(element);
      return LoadLittleEndian<uint32_t>(element);
    case 2:
      return is_signed ? LoadLittleEndian<int16_t>(element) : LoadLittleEndian<uint16_t>(element);
    default:
      return is_signed ? LoadLittleEndian<int8_t>(element) : LoadLittleEndian<uint8_t>(element);
  }
}

std::optional<std::vector<int64_t>> Tensor::Integers() const {
  if (!HasIntegers()) return std::nullopt;
  std::vector<int64_t> values;
  for (int64_t i = 0; i < elements(); ++i) values.push_back(IntegerAt(i));
  return values;
}

std::string Tensor::TypeText() const {
  return fmt::format("{}[{}]", dtype.ToString(), fmt::join(shape, ", "));
}

std::string IdentifierOf(std::string_view name, std::string_view otherwise) {
  std::string text = ascii::AsWord(name);
  if (text.find_first_not_of('_') == std::string::npos) return std::string(otherwise);
  return text;
}

std::string IdentifierOf(const Tensor& tensor, std::string_view otherwise) {
  const std::string_view name = tensor.name;
  return IdentifierOf(name.substr(0, name.find(';')), otherwise);
}

void Attributes::Set(std::string_view name, Value value) {
  values_.insert_or_assign(std::string(name), std::move(value));
}

const Attributes::Value* Attributes::Find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

int64_t Attributes::Int(std::string_view name, int64_t otherwise) const {
  const Value* value = Find(name);
  const auto* integer = value == nullptr ? nullptr : std::get_if<int64_t>(value);
  return integer == nullptr ? otherwise : *integer;
}

double Attributes::Real(std::string_view name, double otherwise) const {
  const Value* value = Find(name);
  const auto* real = value == nullptr ? nullptr : std::get_if<double>(value);
  return real == nullptr ? otherwise : *real;
}

std::string_view Attributes::Text(std::string_view name, std::string_view otherwise) const {
  const Value* value = Find(name);
  const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return text == nullptr ? otherwise : std::string_view(*text);
}

std::string Attributes::Key() const {
  std::string key;
  for (const auto& [name, value] : values_) {
    key += fmt::format("{} {} ", name, value.index());
    if (const auto* integer = std::get_if<int64_t>(&value)) {
      key += fmt::format("{}\n", *integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
      key += fmt::format("{}\n", std::bit_cast<uint64_t>(*real));
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      key += fmt::format("{} {}\n", text->size(), *text);
    } else if (const auto* integers = std::get_if<std::vector<int64_t>>(&value)) {
      key += fmt::format("{}\n", fmt::join(*integers, " "));
    } else {
      for (const double number : std::get<std::vector<double>>(value))
        key += fmt::format("{} ", std::bit_cast<uint64_t>(number));
      key += "\n";
    }
  }
  return key;
}

std::vector<double> Attributes::Reals(std::string_view name) const {
  const Value* value = Find(name);
  const auto* list = value == nullptr ? nullptr : std::get_if<std::vector<double>>(value);
  return list == nullptr ? std::vector<double>() : *list;
}

std::vector<int64_t> Attributes::Ints(std::string_view name) const {
  const Value* value = Find(name);
  const auto* list = value == nullptr ? nullptr : std::get_if<std::vector<int64_t>>(value);
  return list == nullptr ? std::vector<int64_t>() : *list;
}

}  // namespace tenon::graph
