#ifndef TENON_TESTS_FUZZ_TARGET_H_
#define TENON_TESTS_FUZZ_TARGET_H_

#include <string_view>

#include "support/diagnostics.h"
#include "support/source.h"

namespace tenon::fuzz {

/// Passes `input` to the reader under test. True if the reader accepts the input, false if it
/// refuses it with an error. Each target defines this function once.
bool TakeInput(std::string_view input);

/// Prints `complaint` and ends the process with SIGABRT unless `holds`.
void Require(bool holds, std::string_view complaint);

/// For readers that report to `diagnostics`: requires an error exactly if the input was refused,
/// and renders the errors. Returns `accepted`.
bool Judge(bool accepted, const SourceManager& sources, const Diagnostics& diagnostics);

}  // namespace tenon::fuzz

#endif  // TENON_TESTS_FUZZ_TARGET_H_
