#include "ir/weight_facts.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon {

int64_t WeightFacts::Choose(std::string_view where, std::string_view what, int64_t fresh,
                            int64_t found, const std::function<bool(int64_t number)>& holds) {
  const auto is_this = [&](const WeightFact& fact) {
    return fact.where == where && fact.what == what;
  };
  // Readers may lower an operator several times, for several layouts.
  if (const auto known = std::find_if(used_.begin(), used_.end(), is_this); known != used_.end())
    return known->value;
  int64_t value = fresh;
  const auto old = std::find_if(earlier_.begin(), earlier_.end(), is_this);
  if (old != earlier_.end()) {
    if (holds(old->value)) {
      value = old->value;
    } else {
      broken_.push_back(fmt::format("`{}`: {} {} in the code, but {} with the new constants", where,
                                    what, old->value, found));
    }
  }
  used_.push_back({std::string(where), std::string(what), value});
  return value;
}

}  // namespace tenon
