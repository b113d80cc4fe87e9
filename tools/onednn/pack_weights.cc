#include "tools/onednn/pack_weights.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <optional>
#include <string_view>

#include "support/safetensors.h"
#include "tools/onednn/function_code.h"
#include "tools/onednn/scratch_plan.h"

namespace tenon {

namespace {

/// Copies weights from the layout of the claim to rows.
void CopyRows(const LibraryOp& op, std::string_view bytes, std::vector<float>& rows) {
  const std::vector<CopyLoop>& loops = op.weight_loops;
  std::vector<int64_t> at(loops.size(), 0);
  int64_t from = op.weights.base;
  int64_t to = 0;
  for (;;) {
    float value;
    std::memcpy(&value, bytes.data() + from * int64_t{sizeof(float)}, sizeof value);
    rows[static_cast<size_t>(to)] = value;
    size_t i = 0;
    for (; i < loops.size(); ++i) {
      from += loops[i].from;
      to += loops[i].to;
      if (++at[i] < loops[i].extent) break;
      from -= loops[i].from * loops[i].extent;
      to -= loops[i].to * loops[i].extent;
      at[i] = 0;
    }
    if (i == loops.size()) return;
  }
}

/// True if all elements that the loops read are in the constant.
bool IsInside(const LibraryOp& op, int64_t elements) {
  int64_t first = op.weights.base;
  int64_t last = first;
  for (const CopyLoop& loop : op.weight_loops)
    (loop.from < 0 ? first : last) += loop.from * (loop.extent - 1);
  return first >= 0 && last < elements;
}

absl::StatusOr<std::string> Pack(const LibraryOp& op, std::string_view bytes) {
  if (!IsInside(op, static_cast<int64_t>(bytes.size() / sizeof(float))))
    return absl::InvalidArgumentError("weights have too few elements");
  std::vector<float> rows(static_cast<size_t>(op.weight_elements()));
  CopyRows(op, bytes, rows);
  std::string packed(static_cast<size_t>(PackedBytes(op)), '\0');
  if (tenon_onednn_pack(&op.op, rows.data(), packed.data()) != 0)
    return absl::InternalError("the library cannot pack weights");
  char* const trailer = packed.data() + op.op.packed_bytes;
  std::memcpy(trailer, "tenondnn", 8);
  std::memcpy(trailer + 8, &op.op.layout, sizeof op.op.layout);
  return packed;
}

/// The operators that have a constant as weights, and whether that is its only use.
struct Wishes {
  std::vector<const LibraryOp*> ops;
  bool has_other_uses = false;
};

}  // namespace

absl::StatusOr<std::vector<PackedWeights>> PackWeights(const RequestFunction& function,
                                                       const GeneratorRequest& request,
                                                       const std::string& folder,
                                                       const LibraryOptions& options) {
  using Kind = RequestArgument::Kind;
  std::vector<PackedWeights> packed;
  if (!options.packs || request.constants.empty()) return packed;
  const absl::StatusOr<SafetensorsFile> file =
      ReadSafetensors(fmt::format("{}/{}", folder, request.constants));
  if (!file.ok()) return file.status();
  std::vector<std::optional<LibraryOp>> ops;
  std::map<size_t, Wishes> wishes;
  for (const RequestOperator& op : function.operators) {
    absl::StatusOr<LibraryOp> made =
        MatchOperator(op.claim, request.may_reassociate, true, options.threads);
    const bool has_weights = made.ok() && HasWeights(*made);
    ops.push_back(has_weights ? std::optional(*std::move(made)) : std::nullopt);
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    const RequestOperator& op = function.operators[i];
    const RequestArgument* weights = ops[i] ? &ArgumentOf(op, ops[i]->weights) : nullptr;
    for (const RequestArgument& arg : op.args) {
      if (arg.kind != Kind::kConstant) continue;
      if (&arg == weights && arg.offset == 0) {
        wishes[arg.index].ops.push_back(&*ops[i]);
      } else {
        wishes[arg.index].has_other_uses = true;
      }
    }
  }
  for (const auto& [index, wish] : wishes) {
    if (wish.has_other_uses || wish.ops.empty()) continue;
    const SafetensorsEntry* entry = file->Find(function.constants[index].name);
    if (entry == nullptr || entry->dtype != "float32") continue;
    std::optional<std::string> first;
    bool is_one = true;
    for (const LibraryOp* op : wish.ops) {
      absl::StatusOr<std::string> bytes = Pack(*op, file->BytesOf(*entry));
      if (!bytes.ok()) return bytes.status();
      if (!first)
        first = *std::move(bytes);
      else
        is_one &= *first == *bytes;
    }
    if (is_one && first) packed.push_back({index, *std::move(first)});
  }
  return packed;
}

}  // namespace tenon
