#ifndef TENON_ANALYSIS_STREAM_CUTS_H_
#define TENON_ANALYSIS_STREAM_CUTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ir/stream_record.h"

// Judges a choice of groups by its record. It walks forward over the calls that cuts can reach, and
// shares no code with the search in passes/streaming.

namespace tenon {

/// Why the recorded cut is not a cut into candidates, or why its peak is neither the least nor good
/// enough; empty if it is right. The bytes of the candidates are taken as given.
std::string WhyNotLeastCut(const StreamRecord& record);

/// The largest bytes of the cut.
int64_t PeakOf(const StreamRecord& record);

/// The number of cuts into candidates; INT64_MAX if there are more.
int64_t CountCuts(const StreamRecord& record);

/// The least peak of a cut without this candidate; nullopt if there is no such cut.
std::optional<int64_t> LeastPeakWithout(const StreamRecord& record, const StreamSegment& segment);

}  // namespace tenon

#endif  // TENON_ANALYSIS_STREAM_CUTS_H_
