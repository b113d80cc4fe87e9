#ifndef TENON_PASSES_PIPELINE_PIPELINE_H_
#define TENON_PASSES_PIPELINE_PIPELINE_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/pass.h"
#include "passes/pipeline/form.h"
#include "support/source.h"

namespace tenon {

class PassSet;    // passes/pipeline/pass_set.h
struct PassInfo;  // A row of a list of passes: passes/pipeline/pass_set.h.

/// Names and values of options, as text.
using OptionValues = std::vector<std::pair<std::string, std::string>>;

/// A pass with its options bound, ready to run.
struct BoundPass {
  const PassInfo* info = nullptr;
  /// The name of the pass in its list.
  std::string_view name;
  /// The options that differ from their defaults, in the order in which the pass lists them.
  OptionValues options;
  /// The forms that the module must have before the pass, and the forms that it has afterwards.
  FormSet needs;
  FormSet gives;
  /// The place of the pass in the text of a pipeline. Empty for a pass that a program added.
  SourceRange range;
  std::function<absl::StatusOr<IRModule>(const IRModule&, PassContext&)> run;
};

/// The options type of the pass `Function`.
template <class Options>
Options OptionsOfFunction(absl::StatusOr<IRModule> (*)(const IRModule&, const Options&,
                                                       PassContext&));
template <auto Function>
using PassOptionsOf = decltype(OptionsOfFunction(Function));

/// The pass `Function` with these options. A function that is not in a list of passes gives a
/// linker error.
template <auto Function>
BoundPass BindPass(const PassOptionsOf<Function>& options);

/// An item of a pipeline: a pass, or `fix(...)`, which repeats its items until none changes the
/// module.
struct PipelineItem {
  BoundPass pass;
  std::vector<PipelineItem> fix;
  bool is_fix = false;
};

/// Passes in execution order. A program builds a pipeline from typed options:
///
///   Pipeline pipeline;
///   pipeline.Add<&PlanMemory>({.algorithm = "hill_climb"}).Add<&LowerBlocks>();
///
/// ParsePipeline reads the same from text, and PipelineText writes it as text.
class Pipeline {
 public:
  /// Adds the pass `Function`.
  template <auto Function>
  Pipeline& Add(const PassOptionsOf<Function>& options = {}) {
    return Add({BindPass<Function>(options), {}, false});
  }
  Pipeline& Add(PipelineItem item);
  /// Adds all items of another pipeline.
  Pipeline& Append(Pipeline other);
  /// Adds `fix(body)`, or nothing for an empty body.
  Pipeline& Fix(Pipeline body);

  const std::vector<PipelineItem>& items() const { return items_; }
  bool empty() const { return items_.empty(); }
  size_t size() const { return items_.size(); }
  const PipelineItem& operator[](size_t index) const { return items_[index]; }

 private:
  std::vector<PipelineItem> items_;
};

/// Parses `a,b{opt=1 other=x,y},fix(c,d)`. Options are separated by blanks or commas. A value with
/// blanks, braces, or commas other than in a list of words must be in double quotes. Within quotes,
/// `\"` is a quote and `\\` a backslash. Reports every error in the text, located in a source named
/// "<pipeline>", and offers near matches for unknown names.
std::optional<Pipeline> ParsePipeline(Context& context, std::string_view text,
                                      const PassSet& passes, Diagnostics& diagnostics);
/// The same with only the passes of passes/.
std::optional<Pipeline> ParsePipeline(Context& context, std::string_view text,
                                      Diagnostics& diagnostics);

/// The pipeline as text for ParsePipeline. Options with default values are left out.
std::string PipelineText(const Pipeline& pipeline);

/// The text of --list-passes: each pass with its group, its line of help, the forms that it needs
/// and gives, and its options with their defaults. scripts/pass_reference.py reads it.
std::string ListPasses(const PassSet& passes);
/// The passes to run before this one on a module without any form, in order.
std::vector<std::string_view> PassesBefore(const PassSet& passes, std::string_view pass);

}  // namespace tenon

#endif  // TENON_PASSES_PIPELINE_PIPELINE_H_
