#include "report/read_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "support/json_reader.h"

namespace tenon {

namespace {

constexpr size_t kMostValues = 3'000'000;
constexpr size_t kMostPools = 1000;
constexpr int kMostDepth = 16;
/// Larger than any memory or clock; sums of a few such values do not overflow.
constexpr int64_t kMost = (int64_t{1} << 60) - 1;
/// The longest excerpt of the input in a message.
constexpr size_t kMostShown = 40;

std::string Article(std::string_view noun) {
  return fmt::format("{} {}", std::string_view("aeio").find(noun[0]) < 4 ? "an" : "a", noun);
}

class ReportReader {
 public:
  ReportReader(const SourceFile& file, Diagnostics& diagnostics)
      : file_(file), diagnostics_(diagnostics) {}

  std::optional<MemoryReport> Read() {
    const size_t errors = diagnostics_.error_count();
    JsonLimits limits;
    limits.max_bytes = kMostReportBytes;
    limits.max_values = kMostValues;
    limits.max_depth = kMostDepth;
    JsonError error;
    const absl::StatusOr<JsonValue> root = ParseJson(file_.text(), limits, &error);
    if (!root.ok()) {
      Error(DiagnosticKind::kSyntax, error.offset, error.message);
      return std::nullopt;
    }
    if (CheckVersion(*root)) ReadRoot(*root);
    if (diagnostics_.error_count() != errors) return std::nullopt;
    for (ReportPool& pool : report_.pools) {
      std::optional<ReportPeak> written = std::exchange(pool.peak, std::nullopt);
      if (!pool.is_constant) FindPeak(report_, pool);
      if (!pool.peak || !written || written->tick != pool.peak->tick) continue;
      pool.peak->statement = std::move(written->statement);
      pool.peak->line = written->line;
    }
    return std::move(report_);
  }

 private:
  void Error(DiagnosticKind kind, size_t offset, std::string message) {
    const std::string_view text = file_.text();
    const size_t begin = std::min(offset, text.size());
    const size_t end = std::max(EndOfJsonToken(text, begin), begin + 1);
    const SourceRange range{file_.base() + static_cast<uint32_t>(begin),
                            file_.base() + static_cast<uint32_t>(end)};
    diagnostics_.Error(kind, range, std::move(message));
  }

  bool CheckVersion(const JsonValue& root) {
    if (root.as_object() == nullptr) {
      WrongKind(root, "the text", "object");
      return false;
    }
    const JsonValue* version = root.Find("version");
    if (version == nullptr) {
      Error(DiagnosticKind::kArguments, root.offset(),
            "the object has no `version`, so it is not what `tenon report --json` writes");
      return false;
    }
    if (version->as_int64() == kReportVersion) return true;
    Error(DiagnosticKind::kUnsupported, version->offset(),
          fmt::format("a report of another version, expected {}", kReportVersion));
    return false;
  }

  void WrongKind(const JsonValue& value, std::string_view what, std::string_view expected) {
    Error(DiagnosticKind::kType, value.offset(),
          fmt::format("{} is {}, expected {}", what,
                      value.is_null() ? "null" : Article(value.kind_name()), Article(expected)));
  }

  // A required member of a kind; null after an error.
  const JsonValue* Member(const JsonValue& object, std::string_view key) {
    const JsonValue* value = object.Find(key);
    if (value == nullptr) {
      Error(DiagnosticKind::kArguments, object.offset(), fmt::format("no member `{}`", key));
    }
    return value;
  }
  const JsonValue::Array* Items(const JsonValue& object, std::string_view key) {
    const JsonValue* value = Member(object, key);
    if (value == nullptr) return nullptr;
    const JsonValue::Array* items = value->as_array();
    if (items == nullptr) WrongKind(*value, fmt::format("`{}`", key), "array");
    return items;
  }
  void Text(const JsonValue& object, std::string_view key, std::string& to) {
    const JsonValue* value = Member(object, key);
    if (value == nullptr) return;
    if (const std::string* text = value->as_string()) {
      to = *text;
    } else {
      WrongKind(*value, fmt::format("`{}`", key), "string");
    }
  }
  void Bool(const JsonValue& object, std::string_view key, bool& to) {
    const JsonValue* value = Member(object, key);
    if (value == nullptr) return;
    if (const bool* flag = value->as_bool()) {
      to = *flag;
    } else {
      WrongKind(*value, fmt::format("`{}`", key), "boolean");
    }
  }
  bool NumberOf(const JsonValue& value, std::string_view what, int64_t& to, int64_t least = 0,
                int64_t most = kMost) {
    if (value.kind_name() != "integer") {
      WrongKind(value, what, "integer");
      return false;
    }
    const std::optional<int64_t> number = value.as_int64();
    if (!number || *number < least || *number > most) {
      Error(DiagnosticKind::kLimit, value.offset(),
            fmt::format("{} is not within {} to {}", what, least, most));
      return false;
    }
    to = *number;
    return true;
  }
  void Number(const JsonValue& object, std::string_view key, int64_t& to) {
    const JsonValue* value = Member(object, key);
    if (value != nullptr) NumberOf(*value, fmt::format("`{}`", key), to);
  }
  void OptionalLine(const JsonValue& object, int64_t& to) {
    const JsonValue* value = object.Find("line");
    if (value != nullptr) NumberOf(*value, "`line`", to);
  }
  /// A count that is not part of a sum and that older reports do not have.
  void OptionalCount(const JsonValue& object, std::string_view key, int64_t& to) {
    const JsonValue* value = object.Find(key);
    if (value != nullptr) NumberOf(*value, fmt::format("`{}`", key), to, 0, INT64_MAX);
  }
  /// True if `value` is an object.
  bool IsObject(const JsonValue& value, std::string_view what) {
    if (value.as_object() != nullptr) return true;
    WrongKind(value, what, "object");
    return false;
  }

  /// Sets `to` to whether the member is the second of the two names.
  void Kind(const JsonValue& object, std::string_view no, std::string_view yes, bool& to) {
    const JsonValue* value = Member(object, "kind");
    if (value == nullptr) return;
    const std::string* text = value->as_string();
    if (text == nullptr) return WrongKind(*value, "`kind`", "string");
    to = *text == yes;
    if (to || *text == no) return;
    Error(
        DiagnosticKind::kArguments, value->offset(),
        fmt::format("`kind` is `{}`, expected `{}` or `{}`", text->substr(0, kMostShown), no, yes));
  }

  void Shape(const JsonValue& object, std::vector<int64_t>& shape) {
    const JsonValue::Array* items = Items(object, "shape");
    if (items == nullptr) return;
    for (const JsonValue& item : *items) {
      // -1 is an extent that is not constant.
      if (!NumberOf(item, "an extent", shape.emplace_back(), -1)) return;
    }
  }

  bool Range(const JsonValue& value, ReportRange& range) {
    const JsonValue::Array* ends = value.as_array();
    if (ends == nullptr || ends->size() != 2) {
      Error(DiagnosticKind::kType, value.offset(), "a stretch of time is not `[first, end]`");
      return false;
    }
    if (!NumberOf((*ends)[0], "a tick", range.lower) ||
        !NumberOf((*ends)[1], "a tick", range.upper)) {
      return false;
    }
    if (range.lower < range.upper) return true;
    Error(DiagnosticKind::kArguments, value.offset(), "a stretch of time ends before it begins");
    return false;
  }

  void ReadRoot(const JsonValue& root) {
    Text(root, "source", report_.source);
    Text(root, "entry", report_.entry);
    Text(root, "algorithm", report_.algorithm);
    Number(root, "ticks", report_.ticks);
    ReadWaysToCount(root);
    if (const JsonValue* pools = Member(root, "pools")) ReadPools(*pools);
    if (const JsonValue::Array* tensors = Items(root, "tensors")) {
      for (const JsonValue& tensor : *tensors) ReadTensor(tensor);
    }
    if (const JsonValue::Array* steps = Items(root, "steps")) {
      for (const JsonValue& step : *steps) ReadStep(step);
    }
    // Older reports do not have this member.
    if (root.Find("constants") != nullptr) {
      if (const JsonValue::Array* constants = Items(root, "constants")) {
        for (const JsonValue& constant : *constants) ReadConstant(constant);
      }
    }
    // Only reports with targets have this member.
    if (root.Find("operators") != nullptr) {
      if (const JsonValue::Array* operators = Items(root, "operators")) {
        for (const JsonValue& op : *operators) ReadOperator(op);
      }
    }
    if (const JsonValue::Array* buffers = Items(root, "buffers")) {
      for (const JsonValue& buffer : *buffers) ReadBuffer(buffer);
    }
    // Older reports do not have this member.
    if (root.Find("overlaps") != nullptr) {
      if (const JsonValue::Array* overlaps = Items(root, "overlaps")) {
        for (const JsonValue& overlap : *overlaps) ReadOverlap(overlap);
      }
    }
  }

  /// Adds to a sum and reports an overflow.
  void Count(const JsonValue& where, int64_t bytes) {
    sum_ += bytes;
    if (sum_ <= kMost) return;
    Error(DiagnosticKind::kLimit, where.offset(), fmt::format("more than {} bytes in all", kMost));
    sum_ = 0;
  }

  void ReadPools(const JsonValue& pools) {
    if (!IsObject(pools, "`pools`")) return;
    const JsonValue::Object& members = *pools.as_object();
    if (members.size() > kMostPools) {
      Error(DiagnosticKind::kLimit, members[kMostPools].key_offset,
            fmt::format("more than {} pools", kMostPools));
      return;
    }
    for (const JsonMember& member : members) {
      pool_of_[member.key] = report_.pools.size();
      ReportPool& pool = report_.pools.emplace_back();
      pool.name = member.key;
      if (!IsObject(member.value, "a pool")) continue;
      const JsonValue& value = member.value;
      Number(value, "size_bytes", pool.size_bytes);
      Count(value, pool.size_bytes);
      Kind(value, "workspace", "constant", pool.is_constant);
      OptionalCount(value, "capacity_bytes", pool.capacity_bytes);
      Number(value, "alignment", pool.alignment);
      Number(value, "lower_bound_bytes", pool.lower_bound_bytes);
      Bool(value, "proven_optimal", pool.proven_optimal);
      Bool(value, "internal", pool.is_internal);
      OptionalText(value, "header", pool.header);
      const JsonValue* peak = value.Find("peak");
      if (peak == nullptr || !IsObject(*peak, "`peak`")) continue;
      ReportPeak& written = pool.peak.emplace();
      Number(*peak, "tick", written.tick);
      OptionalLine(*peak, written.line);
      if (peak->Find("statement") != nullptr) Text(*peak, "statement", written.statement);
    }
  }

  void ReadTensor(const JsonValue& value) {
    if (!IsObject(value, "a tensor")) return;
    ReportTensor& tensor = report_.tensors.emplace_back();
    Text(value, "name", tensor.name);
    Kind(value, "input", "output", tensor.is_output);
    Text(value, "dtype", tensor.dtype);
    Shape(value, tensor.shape);
    Number(value, "size_bytes", tensor.size_bytes);
    Count(value, tensor.size_bytes);
    if (value.Find("pool") == nullptr) return;
    Text(value, "pool", tensor.pool);
    Number(value, "offset", tensor.offset);
  }

  void ReadOperator(const JsonValue& value) {
    if (!IsObject(value, "an operator")) return;
    ReportOperator& op = report_.operators.emplace_back();
    Text(value, "name", op.name);
    Text(value, "kind", op.kind);
    Number(value, "macs", op.macs);
    Number(value, "elements", op.elements);
    Text(value, "target", op.target);
    Text(value, "why_not", op.why_not);
  }

  void ReadStep(const JsonValue& value) {
    if (!IsObject(value, "a step")) return;
    ReportStep step;
    Text(value, "label", step.label);
    OptionalLine(value, step.line);
    const JsonValue* live = Member(value, "live");
    if (live == nullptr || !Range(*live, step.range)) return;
    if (!report_.steps.empty() && step.range.lower < report_.steps.back().range.upper) {
      Error(DiagnosticKind::kArguments, live->offset(), "a step begins before the last one ends");
      return;
    }
    report_.steps.push_back(std::move(step));
  }

  /// Adds the texts of a required list.
  void Texts(const JsonValue& object, std::string_view key, std::string_view what,
             std::vector<std::string>& to) {
    const JsonValue::Array* items = Items(object, key);
    if (items == nullptr) return;
    for (const JsonValue& item : *items) {
      const std::string* text = item.as_string();
      if (text == nullptr) return WrongKind(item, what, "string");
      to.push_back(*text);
    }
  }

  void ReadAccounting(const JsonValue& object, std::string_view key,
                      std::optional<ReportAccounting>& to) {
    const JsonValue* value = object.Find(key);
    if (value == nullptr || !IsObject(*value, fmt::format("`{}`", key))) return;
    ReportAccounting& accounting = to.emplace();
    Bool(*value, "fits", accounting.fits);
    if (!accounting.fits) return;
    Number(*value, "workspace_bytes", accounting.workspace_bytes);
    Number(*value, "lower_bound_bytes", accounting.lower_bound_bytes);
    Bool(*value, "proven_optimal", accounting.proven_optimal);
    const JsonValue* pools = Member(*value, "pools");
    if (pools == nullptr || !IsObject(*pools, "`pools`")) return;
    for (const JsonMember& member : *pools->as_object()) {
      ReportModelPool& pool = accounting.pools.emplace_back();
      pool.name = member.key;
      if (!IsObject(member.value, "a pool")) continue;
      Number(member.value, "size_bytes", pool.size_bytes);
      Number(member.value, "lower_bound_bytes", pool.lower_bound_bytes);
      Bool(member.value, "proven_optimal", pool.proven_optimal);
    }
  }

  void ReadStack(const JsonValue& value) {
    if (!IsObject(value, "`stack`")) return;
    ReportStack& stack = report_.stack.emplace();
    Number(value, "local_array_bytes", stack.local_array_bytes);
    if (value.Find("deepest_bytes") == nullptr) return;
    Number(value, "deepest_bytes", stack.deepest_bytes);
    Texts(value, "deepest_path", "a function", stack.deepest_path);
    Texts(value, "unknown", "a function", stack.unknown);
    const JsonValue::Array* frames = Items(value, "frames");
    if (frames == nullptr) return;
    for (const JsonValue& frame : *frames) {
      if (!IsObject(frame, "a frame")) return;
      ReportFrame& to = stack.frames.emplace_back();
      Text(frame, "function", to.function);
      Number(frame, "bytes", to.bytes);
    }
  }

  /// Reads the members that older reports do not have, except those of buffers.
  void ReadWaysToCount(const JsonValue& root) {
    const JsonValue* both = root.Find("accountings");
    if (both != nullptr && IsObject(*both, "`accountings`")) {
      ReadAccounting(*both, "io_outside", report_.accountings.io_outside);
      ReadAccounting(*both, "io_counted", report_.accountings.io_counted);
    }
    if (const JsonValue* stack = root.Find("stack")) ReadStack(*stack);
  }

  void BufferIndex(const JsonValue& object, std::string_view key, size_t& to) {
    const JsonValue* value = Member(object, key);
    int64_t index = 0;
    if (value == nullptr || !NumberOf(*value, fmt::format("`{}`", key), index)) return;
    if (static_cast<size_t>(index) < report_.buffers.size()) {
      to = static_cast<size_t>(index);
    } else {
      Error(DiagnosticKind::kUndefinedName, value->offset(),
            fmt::format("`{}` is {}, of {} buffers", key, index, report_.buffers.size()));
    }
  }

  /// One end of the allowed distances; null means unbounded.
  void DistanceEnd(const JsonValue& value, std::optional<int64_t>& to) {
    if (value.is_null()) return;
    int64_t distance = 0;
    if (NumberOf(value, "a distance", distance, -kMost, kMost)) to = distance;
  }

  void ReadOverlap(const JsonValue& value) {
    if (!IsObject(value, "an overlap")) return;
    if (report_.buffers.empty())
      return Error(DiagnosticKind::kArguments, value.offset(), "an overlap without buffers");
    ReportOverlap& overlap = report_.overlaps.emplace_back();
    Text(value, "function", overlap.function);
    BufferIndex(value, "dying", overlap.dying);
    BufferIndex(value, "begun", overlap.begun);
    OptionalText(value, "bound", overlap.bound);
    if (const JsonValue::Array* ranges = Items(value, "allowed")) {
      for (const JsonValue& range : *ranges) {
        const JsonValue::Array* ends = range.as_array();
        if (ends == nullptr || ends->size() != 2) return WrongKind(range, "a range", "array of 2");
        DistanceEnd((*ends)[0], overlap.allowed.emplace_back().first);
        DistanceEnd((*ends)[1], overlap.allowed.back().last);
      }
    }
    if (!FindShared(report_, overlap)) report_.overlaps.pop_back();
  }

  void OptionalText(const JsonValue& object, std::string_view key, std::string& to) {
    if (object.Find(key) != nullptr) Text(object, key, to);
  }

  void ReadConstant(const JsonValue& value) {
    if (!IsObject(value, "a constant")) return;
    ReportConstant& constant = report_.constants.emplace_back();
    Text(value, "name", constant.name);
    Text(value, "dtype", constant.dtype);
    Shape(value, constant.shape);
    Number(value, "size_bytes", constant.size_bytes);
    OptionalText(value, "hash", constant.hash);
    Texts(value, "users", "a user", constant.users);
    Number(value, "uses", constant.uses);
    Text(value, "source", constant.source);
    OptionalText(value, "file", constant.file);
    OptionalCount(value, "alignment", constant.alignment);
    OptionalText(value, "section", constant.section);
    if (value.Find("address_significant") != nullptr)
      Bool(value, "address_significant", constant.address_significant);
    OptionalText(value, "load", constant.load);
    OptionalText(value, "codec", constant.codec);
    OptionalCount(value, "stored_bytes", constant.stored_bytes);
    OptionalText(value, "stored_pool", constant.stored_pool);
    if (!constant.stored_pool.empty()) Number(value, "stored_offset", constant.stored_offset);
    OptionalText(value, "base", constant.base);
    if (!constant.base.empty()) Number(value, "base_offset", constant.base_offset);
    OptionalCount(value, "compressed_bytes", constant.compressed_bytes);
    OptionalCount(value, "bytes_read", constant.bytes_read);
    OptionalText(value, "storage", constant.storage);
  }

  /// Reads the index of a buffer's constant.
  void ReadConstantOf(const JsonValue& value, ReportBuffer& buffer) {
    const JsonValue* constant = value.Find("constant");
    if (constant == nullptr) return;
    const auto count = static_cast<int64_t>(report_.constants.size());
    int64_t index = 0;
    if (!NumberOf(*constant, "`constant`", index)) return;
    if (index < count) {
      buffer.constant = index;
    } else {
      Error(DiagnosticKind::kUndefinedName, constant->offset(),
            fmt::format("`constant` is {}, of {} constants", index, count));
    }
  }

  void ReadBuffer(const JsonValue& value) {
    if (!IsObject(value, "a buffer")) return;
    ReportBuffer& buffer = report_.buffers.emplace_back();
    Text(value, "name", buffer.name);
    Kind(value, "workspace", "constant", buffer.is_constant);
    Text(value, "function", buffer.function);
    Text(value, "dtype", buffer.dtype);
    Shape(value, buffer.shape);
    Number(value, "size_bytes", buffer.size_bytes);
    OptionalCount(value, "bytes_read", buffer.bytes_read);
    OptionalCount(value, "bytes_written", buffer.bytes_written);
    OptionalLine(value, buffer.line);
    ReadConstantOf(value, buffer);
    if (const JsonValue::Array* stretches = Items(value, "live")) {
      for (const JsonValue& stretch : *stretches) ReadLife(stretch, buffer);
    }
    const JsonValue* pool = Member(value, "pool");
    if (pool == nullptr) return;
    if (pool->is_null()) return Text(value, "unplaced", buffer.unplaced);
    Text(value, "pool", buffer.pool);
    Number(value, "offset", buffer.offset);
    const auto found = pool_of_.find(buffer.pool);
    if (found != pool_of_.end()) {
      ++report_.pools[found->second].buffers;
    } else if (pool->as_string() != nullptr) {
      Error(DiagnosticKind::kUndefinedName, pool->offset(),
            fmt::format("no pool is called `{}`", buffer.pool.substr(0, kMostShown)));
    }
  }

  void ReadLife(const JsonValue& value, ReportBuffer& buffer) {
    ReportRange range;
    if (!Range(value, range)) return;
    Count(value, buffer.size_bytes);
    if (!buffer.ranges.empty() && range.lower < buffer.ranges.back().upper) {
      Error(DiagnosticKind::kArguments, value.offset(),
            "a stretch of time begins before the last one ends");
      return;
    }
    buffer.ranges.push_back(range);
  }

  const SourceFile& file_;
  Diagnostics& diagnostics_;
  MemoryReport report_;
  absl::flat_hash_map<std::string, size_t> pool_of_;
  int64_t sum_ = 0;
};

}  // namespace

std::optional<MemoryReport> ReadReportJson(SourceManager& sources, std::string_view name,
                                           std::string_view text, std::shared_ptr<const void> owner,
                                           Diagnostics& diagnostics) {
  // A text over the limit is not read: its line table alone may fill the memory.
  const bool too_large = text.size() > kMostReportBytes;
  const size_t size = text.size();
  if (too_large) text = text.substr(0, 100);
  const absl::StatusOr<const SourceFile*> file = sources.Add(name, text, std::move(owner));
  if (!file.ok()) {
    diagnostics.Error(DiagnosticKind::kLimit, {}, std::string(file.status().message()));
    return std::nullopt;
  }
  if (too_large) {
    diagnostics.Error(
        DiagnosticKind::kLimit, {(*file)->base(), (*file)->base() + 1},
        fmt::format("{} bytes, more than the {} that a report may have", size, kMostReportBytes));
    return std::nullopt;
  }
  return ReportReader(**file, diagnostics).Read();
}

}  // namespace tenon
