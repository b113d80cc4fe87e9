#ifndef TENON_PASSES_PIPELINE_PIPELINE_H_
#define TENON_PASSES_PIPELINE_PIPELINE_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "passes/pass.h"

namespace tenon {

/// A pass with its options bound, ready to run.
struct BoundPass {
  std::string name;
  std::function<absl::StatusOr<IRModule>(const IRModule&, PassContext&)> run;
};

/// One item of a pipeline: a pass, or `fix(...)`: its items over and over until none changes the
/// module.
struct PipelineItem {
  BoundPass pass;
  std::vector<PipelineItem> fix;
  bool is_fix = false;
};
using Pipeline = std::vector<PipelineItem>;

/// Parses `a,b{opt=1 other=x,y},fix(c,d)`. Options are separated by blanks or commas; a value with
/// blanks, braces, or commas other than in a list of words is written in double quotes. Everything
/// wrong with the text is reported, located in a source named
/// "<pipeline>"; near matches are offered for unknown names.
std::optional<Pipeline> ParsePipeline(Context& context, std::string_view text,
                                      Diagnostics& diagnostics);

/// What --list-passes shows: each pass with its line of help and its options with their defaults.
std::string ListPasses();
/// Every pass's name, in order.
std::vector<std::string_view> PassNames();

}  // namespace tenon

#endif  // TENON_PASSES_PIPELINE_PIPELINE_H_
