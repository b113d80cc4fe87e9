// Functions run on several threads, each with diagnostics of its own. Results and diagnostics are
// joined in the order of the module, so that no text depends on threads.

#include "passes/pass.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace tenon {

void PassContext::Count(std::string_view name, int64_t amount) {
  const auto found = std::find_if(counters.begin(), counters.end(),
                                  [&](const auto& counter) { return counter.first == name; });
  if (found != counters.end()) {
    found->second += amount;
  } else {
    counters.emplace_back(std::string(name), amount);
  }
}

IRModule ForEachFunction(const IRModule& module, PassContext& context,
                         const std::function<Function(const Function&, Diagnostics&)>& rewrite) {
  const std::vector<Function>& functions = module.functions();
  std::vector<Function> now(functions.size());
  std::vector<Diagnostics> diagnostics(functions.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < functions.size(); i = next++) {
      now[i] = rewrite(functions[i], diagnostics[i]);
    }
  };
  const size_t threads =
      std::min(static_cast<size_t>(std::max(context.threads, 1)), functions.size());
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();

  IRModule result = module;
  for (size_t i = 0; i < functions.size(); ++i) {
    context.diagnostics.Append(std::move(diagnostics[i]));
    if (now[i].func != functions[i].func) result.Update(std::move(now[i]));
  }
  return result;
}

}  // namespace tenon
