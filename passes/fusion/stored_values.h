#ifndef TENON_PASSES_FUSION_STORED_VALUES_H_
#define TENON_PASSES_FUSION_STORED_VALUES_H_

#include <functional>
#include <vector>

#include "arith/analyzer.h"
#include "passes/fusion/storage_groups.h"

namespace tenon {

/// For each group an interval with all integers that its elements can have, once they are written:
/// the union over all stores, and the elements of constants. All of the type for fixed groups, and
/// for floats. An element that nothing wrote may hold anything, whatever the interval says.
///
/// The intervals are the least solution that starts from nothing stored: a store adds the possible
/// numbers of its value, for which loads give the numbers stored so far. An interval that keeps
/// growing, as that of a sum does, is widened to the next integer type. Intervals that were widened
/// too far become narrower at the end.
///
/// With `replaceable`, constants may get other bytes, and so have all numbers of their type.
std::vector<Interval> StoredValues(const IRModule& module, const StorageGroups& groups,
                                   bool replaceable = false);

/// Calls `f` for each store of a function, in the order of the text. The analyzer knows the loops
/// around the store, and that loads of a group give numbers in its interval. `between`, if given,
/// is called between the outermost statements, where no scope of the analyzer is open.
void ForEachStore(const IRModule& module, size_t function, const StorageGroups& groups,
                  const std::vector<Interval>& values,
                  const std::function<void(const BufferStore&, Analyzer&)>& f,
                  const std::function<void(Analyzer&)>& between = nullptr);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_STORED_VALUES_H_
