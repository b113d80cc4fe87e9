#ifndef TENON_TOOLS_VERIFY_MODEL_H_
#define TENON_TOOLS_VERIFY_MODEL_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/lower_graph.h"
#include "support/file_kind.h"
#include "support/npy.h"
#include "tools/verify_command.h"

// The comparison of a model with its framework, for `tenon verify` and the Python module.

namespace tenon {

/// A file that both sides run.
struct VerifiedFile {
  std::string path;
  FileKind kind = FileKind::kOnnx;
  /// The tensors of VerifyCommand::tensors, which the module has as outputs.
  std::vector<graph::DumpedTensor> dumped = {};
};

/// The result of all comparisons of a tensor, over all runs.
struct VerifiedTensor {
  /// With the name in the file.
  EntryTensor tensor;
  /// An output of the model; else a tensor that an operator computes.
  bool is_output = false;
  /// The framework has the tensor.
  bool is_compared = false;
  /// All elements are equal.
  bool is_equal = true;
  /// The largest difference of an element; NaN where one of the two values is NaN.
  double largest = 0;
  /// The first element that differs by more than the tolerance, with its run; empty if all agree.
  std::string difference;
  /// Both values in the first run that differs, or else in the last; only with
  /// VerifyCommand::keep_values.
  std::string got;
  std::string expected;

  bool agrees() const { return difference.empty(); }
  /// `equal`, `differs: ...`, `not there`.
  std::string Text() const;
};

/// Values for all runs, by the names of inputs.
using GivenInputs = std::map<std::string, NpyArray>;

/// Reads the files of --input, each `NAME=FILE.npy`.
absl::StatusOr<GivenInputs> ReadInputs(const std::vector<std::string>& texts);

/// `onnxruntime` or `LiteRT`.
std::string_view FrameworkName(FileKind kind);

/// The kind of a model's file. InvalidArgument: a file that no framework reads.
absl::StatusOr<FileKind> VerifiedKind(const std::string& path);

/// The first output or tensor that differs, as text: "output `y`"; empty if all agree.
std::string FirstDifference(const std::vector<VerifiedTensor>& tensors);

/// Runs the file in its framework and `module` in the engine, on the same inputs. Returns the
/// tensors of --tensors in the order in which they are computed, then the outputs. An error without
/// a message is in `diagnostics`.
absl::StatusOr<std::vector<VerifiedTensor>> VerifyModel(
    const VerifyCommand& command, const Engine& engine, const VerifiedFile& file,
    const IRModule& module, const GivenInputs& given, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_TOOLS_VERIFY_MODEL_H_
