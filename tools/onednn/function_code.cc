#include "tools/onednn/function_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string_view>

#include "tools/onednn/scratch_plan.h"

namespace tenon {

namespace {

using Kind = RequestArgument::Kind;

/// A float as a constant in C.
std::string FloatText(float number) {
  if (std::isinf(number)) return number < 0 ? "-INFINITY" : "INFINITY";
  std::string text = fmt::format("{:.9g}", static_cast<double>(number));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

std::string Numbers(const int64_t* numbers, int count) {
  std::vector<int64_t> list(numbers, numbers + count);
  if (list.empty()) list.push_back(0);
  return fmt::format("{{{}}}", fmt::join(list, ", "));
}

std::string TensorText(const tenon_onednn_tensor& tensor) {
  return fmt::format("{{{}, {}, {}}}", tensor.count, Numbers(tensor.dims, tensor.count),
                     Numbers(tensor.strides, tensor.count));
}

/// The table of an operator.
std::string OpText(const LibraryOp& made) {
  const tenon_onednn_op& op = made.op;
  std::string posts;
  for (int i = 0; i < op.post_count; ++i) {
    const tenon_onednn_post& post = op.posts[i];
    posts += fmt::format("{}\n        {{{}, {}, {}, {}, {}}}", i == 0 ? "" : ",", post.kind,
                         post.algorithm, FloatText(post.alpha), FloatText(post.beta),
                         TensorText(post.other));
  }
  if (op.post_count == 0) posts = "{0, 0, 0.0f, 0.0f, {0, {0}, {0}}}";
  const int space = op.space;
  return fmt::format(
      "    {{ /* {} */\n"
      "      {}, {}, {}, {}, {}, {},\n"
      "      {}, {}, {}, {}, {},\n"
      "      {},\n      {},\n      {},\n      {},\n"
      "      {}, {}, {}, {{{}}},\n"
      "      UINT64_C({}), INT64_C({}), INT64_C({})}}",
      made.implementation, op.kind, op.algorithm, FloatText(op.alpha), FloatText(op.beta), op.axis,
      op.space, Numbers(op.kernel, space), Numbers(op.stride, space), Numbers(op.dilation, space),
      Numbers(op.pad_before, space), Numbers(op.pad_after, space), TensorText(op.source),
      TensorText(op.weights), TensorText(op.bias), TensorText(op.result), op.packed, op.threads,
      op.post_count, posts, op.layout, op.packed_bytes, op.scratch_bytes);
}

class Writer {
 public:
  Writer(const RequestFunction& function, const GeneratorRequest& request,
         const LibraryOptions& options)
      : function_(function), request_(request), options_(options) {}

  absl::StatusOr<FunctionCode> Run() {
    for (const RequestOperator& op : function_.operators) {
      absl::StatusOr<LibraryOp> made = Match(op);
      if (!made.ok()) {
        return absl::Status(made.status().code(),
                            fmt::format("there is no code for `{}`: {}", op.name,
                                        std::string(made.status().message())));
      }
      ops_.push_back(*std::move(made));
    }
    absl::StatusOr<ScratchPlan> plan = PlanScratch(function_, ops_);
    if (!plan.ok()) return plan.status();
    plan_ = *std::move(plan);
    FunctionCode code;
    code.symbol = function_.symbol;
    code.init_symbol = function_.symbol + "_init";
    code.workspace_bytes = plan_.bytes;
    code.state_bytes = TENON_ONEDNN_STATE_BYTES(ops_.size());
    code.in_place = plan_.in_place;
    absl::Status status = Write(code.text);
    if (!status.ok()) return status;
    return code;
  }

 private:
  absl::StatusOr<LibraryOp> Match(const RequestOperator& op) const {
    const OpInfo& claim = op.claim;
    absl::StatusOr<LibraryOp> plain =
        MatchOperator(claim, request_.may_reassociate, false, options_.threads);
    if (claim.weights < 0) return plain;
    const int operand = claim.computation.accesses[static_cast<size_t>(claim.weights)].operand;
    const RequestArgument& weights = ArgumentOf(op, {operand, 0});
    const bool is_packed =
        weights.kind == Kind::kParameter && function_.parameters[weights.index].dtype == "uint8";
    if (!is_packed) return plain;
    absl::StatusOr<LibraryOp> packed =
        MatchOperator(claim, request_.may_reassociate, true, options_.threads);
    if (packed.ok() && PackedBytes(*packed) != function_.parameters[weights.index].bytes) {
      return absl::FailedPreconditionError(
          "its weights were packed by another version of the library, or for another processor");
    }
    return packed;
  }

  absl::Status Write(std::string& text) const {
    const std::string& symbol = function_.symbol;
    text += fmt::format("static const tenon_onednn_op {}_ops[] = {{\n", symbol);
    for (size_t i = 0; i < ops_.size(); ++i)
      text += OpText(ops_[i]) + (i + 1 < ops_.size() ? ",\n" : "\n");
    text += fmt::format(
        "}};\n\n"
        "int32_t {0}_init(void* state, int64_t bytes);\n"
        "int32_t {0}_init(void* state, int64_t bytes) {{\n"
        "  return tenon_onednn_init({0}_ops, {1}, state, bytes);\n}}\n\n",
        symbol, ops_.size());
    std::vector<std::string> params;
    for (size_t i = 0; i < function_.parameters.size(); ++i) {
      const bool writes = function_.parameters[i].effects.find('w') != std::string::npos;
      params.push_back(fmt::format("{}void* p{}", writes ? "" : "const ", i));
    }
    if (plan_.bytes > 0) params.emplace_back("void* scratch");
    params.emplace_back("void* state");
    const std::string head = fmt::format("int32_t {}({})", symbol, fmt::join(params, ", "));
    text +=
        fmt::format("{0};\n{0} {{\n  int32_t status = 0;\n  tenon_onednn_begin(state);\n", head);
    for (size_t i = 0; i < ops_.size(); ++i) {
      if (absl::Status status = WriteCall(i, text); !status.ok()) return status;
    }
    text += "  tenon_onednn_end(state);\n  return status;\n}\n\n";
    return absl::OkStatus();
  }

  absl::Status WriteCall(size_t index, std::string& text) const {
    const LibraryOp& op = ops_[index];
    std::vector<std::string> args;
    bool is_known = true;
    const auto add = [&](const OperandPlace& place) {
      args.push_back(place.operand < 0 ? "0" : Pointer(index, place, is_known));
    };
    add(op.source);
    if (op.copies_weights) {
      args.push_back(InScratch(plan_.copies[index]));
    } else {
      add(op.weights);
    }
    add(op.bias);
    add(op.result);
    args.push_back(plan_.scratch[index] < 0 ? "0" : InScratch(plan_.scratch[index]));
    for (int i = 0; i < op.op.post_count; ++i) add(op.posts[static_cast<size_t>(i)]);
    std::string copy;
    if (op.copies_weights) copy = CopyText(index, is_known);
    if (!is_known) {
      return absl::InvalidArgumentError(fmt::format("an argument of `{}` has no constant place",
                                                    function_.operators[index].name));
    }
    text += fmt::format(
        "  if (status == 0) {{ /* {} */\n{}"
        "    const void* const args[TENON_ONEDNN_ARGS] = {{{}}};\n"
        "    status = tenon_onednn_run(state, {}, args);\n  }}\n",
        function_.operators[index].name, copy, fmt::join(args, ",\n        "), index);
    return absl::OkStatus();
  }

  static std::string InScratch(int64_t offset) {
    return fmt::format("(char*)scratch + {}", offset);
  }

  std::string Pointer(size_t index, const OperandPlace& place, bool& is_known) const {
    const RequestArgument& arg = ArgumentOf(function_.operators[index], place);
    int64_t offset = arg.offset + place.base * int64_t{sizeof(float)};
    size_t parameter = arg.index;
    if (arg.kind == Kind::kIntermediate) {
      const IntermediatePlace& where = plan_.intermediates[arg.index];
      if (!where.parameter) return InScratch(where.offset + offset);
      parameter = *where.parameter;
    } else if (arg.kind != Kind::kParameter) {
      is_known = false;
      return "0";
    }
    if (offset == 0) return fmt::format("p{}", parameter);
    return fmt::format("(const char*)p{} + {}", parameter, offset);
  }

  /// Loops that copy weights to rows.
  std::string CopyText(size_t index, bool& is_known) const {
    const LibraryOp& op = ops_[index];
    std::string loops;
    std::string from;
    std::string to;
    for (size_t i = 0; i < op.weight_loops.size(); ++i) {
      const CopyLoop& loop = op.weight_loops[i];
      loops += fmt::format("    for (i{0} = 0; i{0} < {1}; ++i{0})\n", i, loop.extent);
      from += fmt::format("{}i{} * {}", i == 0 ? "" : " + ", i, loop.from);
      to += fmt::format("{}i{} * {}", i == 0 ? "" : " + ", i, loop.to);
    }
    std::vector<std::string> counters;
    for (size_t i = 0; i < op.weight_loops.size(); ++i) counters.push_back(fmt::format("i{}", i));
    if (counters.empty()) {
      counters.emplace_back("i0");
      loops = "    i0 = 0;\n";
      from = to = "i0";
    }
    // Declarations precede statements: this is part of a block.
    return fmt::format(
        "    const float* const from = (const float*)(const void*)({});\n"
        "    float* const to = (float*)(void*)({});\n"
        "    int64_t {};\n{}      to[{}] = from[{}];\n",
        Pointer(index, op.weights, is_known), InScratch(plan_.copies[index]),
        fmt::join(counters, ", "), loops, to, from);
  }

  const RequestFunction& function_;
  const GeneratorRequest& request_;
  const LibraryOptions& options_;
  std::vector<LibraryOp> ops_;
  ScratchPlan plan_;
};

}  // namespace

absl::StatusOr<FunctionCode> MakeFunctionCode(const RequestFunction& function,
                                              const GeneratorRequest& request,
                                              const LibraryOptions& options) {
  return Writer(function, request, options).Run();
}

int64_t PackedBytes(const LibraryOp& op) { return op.op.packed_bytes + TENON_ONEDNN_TRAILER; }

}  // namespace tenon
