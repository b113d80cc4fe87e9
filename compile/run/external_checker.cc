#include "compile/run/external_checker.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "compile/run/tensors.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The checker of the program that runs on this thread.
thread_local ExternalChecker* current = nullptr;

/// The growth of the relative rounding error of a float32 sum with each term.
constexpr double kErrorOfTerm = 1.0 / (1 << 23);

int32_t Copy(void* to, const void* from, int64_t bytes) {
  std::memcpy(to, from, static_cast<size_t>(bytes));
  return 0;
}

template <class T>
void Magnitudes(void* to, const void* from, int64_t elements) {
  for (int64_t i = 0; i < elements; ++i)
    static_cast<T*>(to)[i] = std::fabs(static_cast<const T*>(from)[i]);
}

int32_t Magnitude(void* to, const void* from, int64_t elements, int64_t bits) {
  if (bits == 64) {
    Magnitudes<double>(to, from, elements);
  } else {
    Magnitudes<float>(to, from, elements);
  }
  return 0;
}

int32_t Compare(int64_t check, int64_t result, const void* got, const void* expected,
                const void* bound) {
  if (current != nullptr)
    current->Compare(static_cast<size_t>(check), static_cast<size_t>(result), got, expected, bound);
  return 0;
}

}  // namespace

std::vector<std::pair<std::string_view, void*>> ExternalChecker::Functions() {
  return {{kCopyFunction, reinterpret_cast<void*>(&Copy)},
          {kMagnitudeFunction, reinterpret_cast<void*>(&Magnitude)},
          {kCompareFunction, reinterpret_cast<void*>(&tenon::Compare)}};
}

std::string ExternalChecker::Source() {
  return fmt::format(R"(#include <stdint.h>
typedef int32_t (*copy_function)(void*, const void*, int64_t);
typedef int32_t (*magnitude_function)(void*, const void*, int64_t, int64_t);
typedef int32_t (*compare_function)(int64_t, int64_t, const void*, const void*, const void*);
static copy_function copy;
static magnitude_function magnitude;
static compare_function compare;
#ifdef __cplusplus
extern "C" {{
#endif
void tenon_engine_set_checks(void* const* functions);
void tenon_engine_set_checks(void* const* functions) {{
  copy = (copy_function)(uintptr_t)functions[0];
  magnitude = (magnitude_function)(uintptr_t)functions[1];
  compare = (compare_function)(uintptr_t)functions[2];
}}
int32_t {0}(void* to, const void* from, int64_t bytes);
int32_t {0}(void* to, const void* from, int64_t bytes) {{ return copy(to, from, bytes); }}
int32_t {1}(void* to, const void* from, int64_t elements, int64_t bits);
int32_t {1}(void* to, const void* from, int64_t elements, int64_t bits) {{
  return magnitude(to, from, elements, bits);
}}
int32_t {2}(int64_t check, int64_t result, const void* got, const void* expected,
            const void* bound);
int32_t {2}(int64_t check, int64_t result, const void* got, const void* expected,
            const void* bound) {{
  return compare(check, result, got, expected, bound);
}}
#ifdef __cplusplus
}}
#endif
)",
                     kCopyFunction, kMagnitudeFunction, kCompareFunction);
}

ExternalChecker::Scope::Scope(ExternalChecker& checker)
    : outer_(std::exchange(current, &checker)) {}
ExternalChecker::Scope::~Scope() { current = outer_; }

void ExternalChecker::Compare(size_t check, size_t result, const void* got, const void* expected,
                              const void* bound) {
  TENON_CHECK(check < checks_.size() && result < checks_[check].results.size());
  if (difference_) return;
  const ExternalCheck& of = checks_[check];
  const ExternalCheck::Result& tensor = of.results[result];
  const auto size = static_cast<size_t>(tensor.size_bytes);
  EntryTensor entry;
  entry.name = tensor.name;
  entry.dtype = tensor.dtype;
  entry.shape = tensor.shape;
  entry.size_bytes = tensor.size_bytes;
  const TensorBound sums = {{static_cast<const char*>(bound), size},
                            static_cast<double>(of.terms) * kErrorOfTerm};
  const bool has_bound = bound != expected && of.terms > 0;
  const std::optional<TensorDifference> difference =
      CompareTensors(entry, {static_cast<const char*>(got), size},
                     {static_cast<const char*>(expected), size}, has_bound ? &sums : nullptr);
  if (!difference) return;
  difference_ = fmt::format(
      "the code of `{}` for `{}` and its body differ in `{}`: {} as its body gives; {} of {} "
      "elements differ, by {:g} at most",
      of.symbol, of.target, tensor.name, difference->text, difference->count,
      tensor.dtype.element_bytes() == 0 ? 0 : tensor.size_bytes / tensor.dtype.element_bytes(),
      difference->largest);
}

bool ExternalChecker::Report(Diagnostics& diagnostics) const {
  if (!difference_) return true;
  diagnostics.Error(DiagnosticKind::kRun, {}, *difference_);
  return false;
}

}  // namespace tenon
