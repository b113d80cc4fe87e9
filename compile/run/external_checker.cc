#include "compile/run/external_checker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>

#include "compile/run/tensors.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The checker of the program that runs on this thread.
thread_local ExternalChecker* current = nullptr;

/// A message repeats the names of this many operators.
constexpr size_t kMostShown = 8;

/// The growth of the relative rounding error of a float32 sum with each term.
constexpr double kErrorOfTerm = 1.0 / (1 << 23);

EntryTensor EntryTensorOf(const ExternalCheck::Tensor& tensor) {
  EntryTensor entry;
  entry.name = tensor.name;
  entry.dtype = tensor.dtype;
  entry.shape = tensor.shape;
  entry.size_bytes = tensor.size_bytes;
  return entry;
}

/// The written byte outside of a result that is nearest to the result, counted from its start.
/// Nullopt if the guards are as they were.
std::optional<int64_t> WrittenOutside(const char* result, int64_t size) {
  const auto is_written = [&](int64_t at) {
    return static_cast<uint8_t>(result[at]) != kGuardByte;
  };
  for (int64_t i = 0; i < kGuardBytes; ++i) {
    if (is_written(size + i)) return size + i;
    if (is_written(-1 - i)) return -1 - i;
  }
  return std::nullopt;
}

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
  } else if (bits == 16) {
    // The sign is the first bit of float16 and of bfloat16.
    for (int64_t i = 0; i < elements; ++i)
      static_cast<uint16_t*>(to)[i] = static_cast<const uint16_t*>(from)[i] & 0x7fff;
  } else {
    Magnitudes<float>(to, from, elements);
  }
  return 0;
}

/// A sum in another order, rounded to 16 bits, may be a neighbour of the expected number.
Tolerance ToleranceOf(const ExternalCheck& check, DataType dtype) {
  Tolerance tolerance;
  if (!check.reorders) return tolerance;
  if (dtype == DataType::Float(16)) tolerance.relative = 0x1p-10;
  if (dtype.is_bfloat16()) tolerance.relative = 0x1p-7;
  return tolerance;
}

int32_t Guard(void* memory, int64_t bytes) {
  std::memset(memory, kGuardByte, static_cast<size_t>(bytes));
  return 0;
}

int32_t Enter(int64_t check) {
  if (current != nullptr) current->Enter(static_cast<size_t>(check));
  return 0;
}

int32_t Save(int64_t check, int64_t input, const void* data) {
  if (current != nullptr)
    current->Save(static_cast<size_t>(check), static_cast<size_t>(input), data);
  return 0;
}

int32_t Leave(int64_t check) {
  if (current != nullptr) current->Leave(static_cast<size_t>(check));
  return 0;
}

int32_t Fallback(int64_t check) {
  if (current != nullptr) current->Fallback(static_cast<size_t>(check));
  return 0;
}

int32_t Unchanged(int64_t check, int64_t input, const void* data) {
  if (current != nullptr)
    current->Unchanged(static_cast<size_t>(check), static_cast<size_t>(input), data);
  return 0;
}

int32_t Compare(int64_t check, int64_t result, const void* got, const void* expected,
                const void* bound) {
  if (current != nullptr)
    current->Compare(static_cast<size_t>(check), static_cast<size_t>(result), got, expected, bound);
  return 0;
}

/// A function that code calls: its name, the parameters in C, and where it is.
struct Helper {
  std::string_view name;
  std::string_view types;
  std::string_view params;
  std::string_view args;
  void* address;
};

std::vector<Helper> Helpers() {
  return {{kCopyFunction, "void*, const void*, int64_t", "void* a, const void* b, int64_t c",
           "a, b, c", reinterpret_cast<void*>(&Copy)},
          {kMagnitudeFunction, "void*, const void*, int64_t, int64_t",
           "void* a, const void* b, int64_t c, int64_t d", "a, b, c, d",
           reinterpret_cast<void*>(&Magnitude)},
          {kGuardFunction, "void*, int64_t", "void* a, int64_t b", "a, b",
           reinterpret_cast<void*>(&Guard)},
          {kEnterFunction, "int64_t", "int64_t a", "a", reinterpret_cast<void*>(&Enter)},
          {kSaveFunction, "int64_t, int64_t, const void*", "int64_t a, int64_t b, const void* c",
           "a, b, c", reinterpret_cast<void*>(&Save)},
          {kLeaveFunction, "int64_t", "int64_t a", "a", reinterpret_cast<void*>(&Leave)},
          {kFallbackFunction, "int64_t", "int64_t a", "a", reinterpret_cast<void*>(&Fallback)},
          {kUnchangedFunction, "int64_t, int64_t, const void*",
           "int64_t a, int64_t b, const void* c", "a, b, c", reinterpret_cast<void*>(&Unchanged)},
          {kCompareFunction, "int64_t, int64_t, const void*, const void*, const void*",
           "int64_t a, int64_t b, const void* c, const void* d, const void* e", "a, b, c, d, e",
           reinterpret_cast<void*>(&Compare)}};
}

/// The line that a crash writes; empty if no code with checks runs. A signal may come at any
/// time and on any thread, so the text lies in memory that stays.
constexpr size_t kMostCrashLine = 400;
char crash_line[kMostCrashLine];
std::atomic<size_t> crash_line_size = 0;

void SetCrashLine(std::string_view when, const ExternalCheck* check) {
  crash_line_size = 0;
  if (check == nullptr) return;
  const std::string line =
      fmt::format("tenon: error: the program crashed {} the code of `{}` for `{}`", when,
                  check->symbol, check->target);
  const size_t size = std::min(line.size(), kMostCrashLine);
  std::memcpy(crash_line, line.data(), size);
  crash_line_size = size;
}

/// A signal of a crash, and what it did before.
struct CrashSignal {
  int number = 0;
  struct sigaction outer = {};
};
CrashSignal crash_signals[] = {{SIGSEGV}, {SIGBUS}, {SIGFPE}, {SIGILL}, {SIGABRT}};

void RestoreSignals() {
  for (const CrashSignal& of : crash_signals) sigaction(of.number, &of.outer, nullptr);
}

/// Writes the line, and lets the signal do what it did before.
void OnCrash(int signal, siginfo_t* info, void*) {
  const auto write_all = [](std::string_view text) {
    // Nothing can be done where stderr is closed.
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  };
  const size_t size = crash_line_size;
  if (size > 0) {
    write_all({crash_line, size});
    write_all("\n");
  }
  RestoreSignals();
  // A fault comes again when its instruction runs again.
  if (info->si_code <= 0) raise(signal);
}

/// Code that has used up its stack still gets the line.
class SignalStack {
 public:
  SignalStack() {
    stack_t now = {};
    if (sigaltstack(nullptr, &outer_) != 0 || (outer_.ss_flags & SS_DISABLE) == 0) return;
    now.ss_sp = memory_;
    now.ss_size = sizeof(memory_);
    is_set_ = sigaltstack(&now, nullptr) == 0;
  }
  ~SignalStack() {
    if (is_set_) sigaltstack(&outer_, nullptr);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  stack_t outer_ = {};
  bool is_set_ = false;
  alignas(16) char memory_[65536];
};

/// The signal stack of the outermost scope with checks.
std::optional<SignalStack> signal_stack;

}  // namespace

std::vector<std::pair<std::string_view, void*>> ExternalChecker::Functions() {
  std::vector<std::pair<std::string_view, void*>> functions;
  for (const Helper& helper : Helpers()) functions.emplace_back(helper.name, helper.address);
  return functions;
}

std::string ExternalChecker::Source() {
  std::string pointers;
  std::string assignments;
  std::string definitions;
  size_t index = 0;
  for (const Helper& helper : Helpers()) {
    pointers += fmt::format("static int32_t (*call_{})({});\n", index, helper.types);
    assignments += fmt::format("  call_{0} = (int32_t (*)({1}))(uintptr_t)functions[{0}];\n", index,
                               helper.types);
    definitions += fmt::format("int32_t {0}({1});\nint32_t {0}({1}) {{ return call_{2}({3}); }}\n",
                               helper.name, helper.params, index, helper.args);
    ++index;
  }
  return fmt::format(R"(#include <stdint.h>
{}#ifdef __cplusplus
extern "C" {{
#endif
void tenon_engine_set_checks(void* const* functions);
void tenon_engine_set_checks(void* const* functions) {{
{}}}
{}#ifdef __cplusplus
}}
#endif
)",
                     pointers, assignments, definitions);
}

ExternalChecker::Scope::Scope(ExternalChecker& checker)
    : outer_(std::exchange(current, &checker)),
      has_crash_line_(!checker.empty() && !signal_stack.has_value()) {
  if (!has_crash_line_) return;
  signal_stack.emplace();
  struct sigaction action = {};
  action.sa_sigaction = &OnCrash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (CrashSignal& of : crash_signals) sigaction(of.number, &action, &of.outer);
}

ExternalChecker::Scope::~Scope() {
  current = outer_;
  if (!has_crash_line_) return;
  SetCrashLine({}, nullptr);
  RestoreSignals();
  signal_stack.reset();
}

void ExternalChecker::Enter(size_t check) {
  TENON_CHECK(check < checks_.size());
  SetCrashLine("in", &checks_[check]);
  ++calls_[check];
  entered_ = std::chrono::steady_clock::now();
}

void ExternalChecker::Leave(size_t check) {
  const std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - entered_;
  external_milliseconds_ += took.count();
  TENON_CHECK(check < checks_.size());
  SetCrashLine("after", &checks_[check]);
}

void ExternalChecker::Fallback(size_t check) {
  TENON_CHECK(check < checks_.size());
  ++fallbacks_[check];
}

void ExternalChecker::Save(size_t check, size_t input, const void* data) {
  TENON_CHECK(check < checks_.size() && input < checks_[check].inputs.size());
  saved_.resize(std::max(saved_.size(), checks_[check].inputs.size()));
  saved_[input].assign(static_cast<const char*>(data),
                       static_cast<size_t>(checks_[check].inputs[input].size_bytes));
}

void ExternalChecker::Unchanged(size_t check, size_t input, const void* data) {
  TENON_CHECK(check < checks_.size() && input < checks_[check].inputs.size());
  const ExternalCheck::Tensor& tensor = checks_[check].inputs[input];
  const std::string& before = saved_[input];
  const std::string_view now(static_cast<const char*>(data), before.size());
  if (now == before) return;
  const auto [changed, was] = std::mismatch(now.begin(), now.end(), before.begin());
  const std::optional<TensorDifference> difference =
      CompareTensors(EntryTensorOf(tensor), now, before, nullptr);
  Differ(check, fmt::format("changes its input `{}`: {}", tensor.name,
                            difference ? fmt::format("{} as before the call", difference->text)
                                       : fmt::format("byte {}", changed - now.begin())));
}

void ExternalChecker::Compare(size_t check, size_t result, const void* got, const void* expected,
                              const void* bound) {
  TENON_CHECK(check < checks_.size() && result < checks_[check].results.size());
  if (difference_) return;
  const ExternalCheck& of = checks_[check];
  const ExternalCheck::Tensor& tensor = of.results[result];
  const auto* bytes = static_cast<const char*>(got);
  if (const std::optional<int64_t> outside = WrittenOutside(bytes, tensor.size_bytes)) {
    return Differ(check, fmt::format("writes outside of `{}`: it has {} bytes, and byte {} was "
                                     "written",
                                     tensor.name, tensor.size_bytes, *outside));
  }
  const auto size = static_cast<size_t>(tensor.size_bytes);
  const Tolerance tolerance = ToleranceOf(of, tensor.dtype);
  const bool is_rounded = tolerance.relative > Tolerance().relative;
  const TensorBound sums = {{static_cast<const char*>(bound), size},
                            static_cast<double>(of.terms) * kErrorOfTerm,
                            is_rounded ? tolerance.relative : 0};
  const std::optional<TensorDifference> difference = CompareTensors(
      EntryTensorOf(tensor), {bytes, size}, {static_cast<const char*>(expected), size},
      bound != expected ? &sums : nullptr, tolerance);
  if (!difference) return;
  Differ(
      check,
      fmt::format(
          "and its body differ in `{}`: {} as its body gives; {} of {} elements "
          "differ{}",
          tensor.name, difference->text, difference->count,
          tensor.dtype.element_bytes() == 0 ? 0 : tensor.size_bytes / tensor.dtype.element_bytes(),
          std::isnan(difference->largest) ? std::string()
                                          : fmt::format(", by {:g} at most", difference->largest)));
}

void ExternalChecker::Differ(size_t check, std::string_view what) {
  if (difference_) return;
  const ExternalCheck& of = checks_[check];
  difference_ = fmt::format("the code of `{}` for `{}` {}", of.symbol, of.target, what);
  if (of.operators.size() > 1) {
    const size_t shown = std::min(of.operators.size(), kMostShown);
    *difference_ += fmt::format(
        "; it computes {}`{}`{}: the attribute `\"tenon.offload\": \"host\"` excludes an operator "
        "from it",
        of.operators.size() > kMostShown ? fmt::format("{} operators, ", of.operators.size()) : "",
        fmt::join(of.operators.begin(), of.operators.begin() + static_cast<ptrdiff_t>(shown),
                  "`, `"),
        of.operators.size() > kMostShown ? ", ..." : "");
  }
  if (!of.prototypes.empty())
    *difference_ += fmt::format("; it calls `{}`", fmt::join(of.prototypes, "`, `"));
}

std::string ExternalChecker::Summary() const {
  if (notes_fallback_) {
    const auto bodies = std::count_if(fallbacks_.begin(), fallbacks_.end(),
                                      [](int64_t count) { return count > 0; });
    return bodies == 0 ? "this machine can run the code"
                       : fmt::format(
                             "this machine cannot run the code, so the bodies of {} "
                             "function{} ran",
                             bodies, bodies == 1 ? "" : "s");
  }
  int64_t functions = 0;
  int64_t calls = 0;
  std::vector<std::string_view> unchecked;
  for (size_t i = 0; i < checks_.size(); ++i) {
    functions += calls_[i] > 0 ? 1 : 0;
    calls += calls_[i];
    if (checks_[i].results.empty()) unchecked.push_back(checks_[i].symbol);
  }
  std::string text = "nothing was compared: no external function was called";
  if (calls > 0) {
    text = fmt::format("{} function{} called {} time{}, all equal to their bodies", functions,
                       functions == 1 ? "" : "s", calls, calls == 1 ? "" : "s");
  }
  if (!unchecked.empty()) {
    text += fmt::format(
        "; not compared, as they have results without a constant shape or with strides: {}",
        fmt::join(unchecked, ", "));
  }
  return text;
}

bool ExternalChecker::Report(Diagnostics& diagnostics,
                             const std::function<void(const std::string&)>& on_compared) const {
  if (difference_) {
    diagnostics.Error(DiagnosticKind::kRun, {}, *difference_);
    return false;
  }
  if (on_compared) on_compared(Summary());
  return true;
}

std::function<void(const std::string&)> OnCompared(const EngineOptions& options) {
  const ExternalsUse use = options.compile.externals.use;
  if (use != ExternalsUse::kBoth && use != ExternalsUse::kFallback) return nullptr;
  return options.on_compared;
}

}  // namespace tenon
