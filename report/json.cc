#include "report/constants.h"
#include "report/extras.h"
#include "report/json_tree.h"
#include "report/merge.h"

namespace tenon {

namespace {

using Json = nlohmann::ordered_json;

Json Peak(const ReportPeak& peak) {
  Json out{{"tick", peak.tick}, {"live_bytes", peak.live_bytes}, {"live", peak.live}};
  if (!peak.statement.empty()) out["statement"] = peak.statement;
  if (peak.line > 0) out["line"] = peak.line;
  return out;
}

/// What is gained by storing constants once, and could be by compressing them.
void AddConstantBytes(const ConstantBytes& bytes, Json& out) {
  out["constants"] = bytes.constants;
  out["used_bytes"] = bytes.used_bytes;
  out["stored_bytes"] = bytes.stored_bytes;
  out["saved_bytes"] = bytes.saved_bytes();
  if (bytes.compressed_bytes >= 0) out["compressed_bytes"] = bytes.compressed_bytes;
}

Json Pool(const ReportPool& pool, const MemoryReport& report) {
  Json out{{"size_bytes", pool.size_bytes},
           {"kind", pool.is_constant ? "constant" : "workspace"},
           {"alignment", pool.alignment},
           {"lower_bound_bytes", pool.lower_bound_bytes},
           {"proven_optimal", pool.proven_optimal},
           {"internal", pool.is_internal},
           {"buffers", pool.buffers}};
  if (!pool.header.empty()) out["header"] = pool.header;
  if (pool.peak) out["peak"] = Peak(*pool.peak);
  if (pool.is_constant) AddConstantBytes(ConstantBytesOf(report, pool.name), out);
  return out;
}

Json BufferOf(const ReportBuffer& buffer) {
  Json out{{"name", buffer.name},         {"kind", buffer.is_constant ? "constant" : "workspace"},
           {"function", buffer.function}, {"dtype", buffer.dtype},
           {"shape", buffer.shape},       {"size_bytes", buffer.size_bytes}};
  if (buffer.pool.empty()) {
    out["pool"] = nullptr;
    out["unplaced"] = buffer.unplaced;
  } else {
    out["pool"] = buffer.pool;
    out["offset"] = buffer.offset;
  }
  Json ranges = Json::array();
  for (const ReportRange& range : buffer.ranges) ranges.push_back({range.lower, range.upper});
  out["live"] = std::move(ranges);
  out["bytes_read"] = buffer.bytes_read;
  out["bytes_written"] = buffer.bytes_written;
  if (buffer.line > 0) out["line"] = buffer.line;
  if (buffer.constant >= 0) out["constant"] = buffer.constant;
  return out;
}

Json ConstantOf(const ReportConstant& constant) {
  Json out{{"name", constant.name},
           {"dtype", constant.dtype},
           {"shape", constant.shape},
           {"size_bytes", constant.size_bytes}};
  if (!constant.hash.empty()) out["hash"] = constant.hash;
  out["users"] = constant.users;
  out["uses"] = constant.uses;
  out["source"] = constant.source;
  if (!constant.file.empty()) out["file"] = constant.file;
  if (constant.alignment > 0) out["alignment"] = constant.alignment;
  if (!constant.section.empty()) out["section"] = constant.section;
  if (constant.address_significant) out["address_significant"] = true;
  if (!constant.load.empty()) out["load"] = constant.load;
  if (!constant.codec.empty()) out["codec"] = constant.codec;
  if (constant.stored_bytes >= 0) out["stored_bytes"] = constant.stored_bytes;
  if (!constant.stored_pool.empty()) {
    out["stored_pool"] = constant.stored_pool;
    out["stored_offset"] = constant.stored_offset;
  }
  if (!constant.base.empty()) {
    out["base"] = constant.base;
    out["base_offset"] = constant.base_offset;
  }
  if (constant.compressed_bytes >= 0) out["compressed_bytes"] = constant.compressed_bytes;
  out["bytes_read"] = constant.bytes_read;
  if (!constant.storage.empty()) out["storage"] = constant.storage;
  return out;
}

Json Moment(const ReportMoment& moment) {
  Json out{{"tick", moment.tick}};
  if (moment.line > 0) out["line"] = moment.line;
  if (moment.step != ReportMoment::kNoStep) out["step"] = moment.step;
  return out;
}

Json Change(const PeakChange& change) {
  Json out{{"change", ChangeName(change.kind)}, {"buffers", change.buffers}};
  if (change.kind == ChangeKind::kNoScratch) out["steps"] = change.steps;
  if (change.kind == ChangeKind::kNotKept || change.kind == ChangeKind::kEarly) {
    out["from"] = Moment(change.from);
    out["to"] = Moment(change.to);
  }
  out["bound_bytes"] = change.bound_bytes;
  out["saved_bytes"] = change.saved_bytes;
  out["peak"] = Moment(change.peak);
  return out;
}

Json Why(const MemoryReport& report, const PeakWhy& why) {
  Json live = Json::array();
  for (const LiveThen& then : why.live) {
    const auto bytes = static_cast<double>(report.buffers[then.buffer].size_bytes);
    live.push_back({{"buffer", then.buffer},
                    {"percent", 100 * bytes / static_cast<double>(why.live_bytes)},
                    {"written", Moment(then.written)},
                    {"last_used", Moment(then.last_used)}});
  }
  Json changes = Json::array();
  for (const PeakChange& change : why.changes) changes.push_back(Change(change));
  Json steps = Json::array();
  for (const StepPeak& step : why.steps)
    steps.push_back({{"at", Moment(step.at)}, {"live_bytes", step.live_bytes}});
  return {{"at", Moment(why.at)},
          {"live", std::move(live)},
          {"changes", std::move(changes)},
          {"steps", std::move(steps)}};
}

Json Both(const ReportDiff& diff, const MemoryReport& report, const PoolChange& change,
          int64_t ReportPool::*member) {
  Json out = Json::array({nullptr, nullptr});
  if (change.before) out[0] = diff.before.pools[*change.before].*member;
  if (change.after) out[1] = report.pools[*change.after].*member;
  return out;
}

Json Diff(const MemoryReport& report, const ReportDiff& diff) {
  const MemoryReport& before = diff.before;
  Json pools = Json::object();
  for (const PoolChange& change : diff.pools) {
    Json& pool = pools[change.name];
    pool["size_bytes"] = Both(diff, report, change, &ReportPool::size_bytes);
    pool["lower_bound_bytes"] = Both(diff, report, change, &ReportPool::lower_bound_bytes);
    Json peaks = Json::array({nullptr, nullptr});
    if (change.before && before.pools[*change.before].peak)
      peaks[0] = Peak(*before.pools[*change.before].peak);
    if (change.after && report.pools[*change.after].peak)
      peaks[1] = Peak(*report.pools[*change.after].peak);
    // What is live is an index into a report: that of the old one is not here.
    if (!peaks[0].is_null()) peaks[0].erase("live");
    pool["peak"] = std::move(peaks);
  }
  Json buffers = Json::array();
  for (const BufferChange& change : diff.buffers) {
    Json& to = buffers.emplace_back();
    to["changes"] = change.what;
    if (change.before && change.after) to["matched_by"] = MatchName(change.matched_by);
    to["before"] = change.before ? BufferOf(before.buffers[*change.before]) : Json(nullptr);
    to["after"] = change.after ? Json(*change.after) : Json(nullptr);
  }
  return {{"before", diff.before_name},
          {"algorithm", {before.algorithm, report.algorithm}},
          {"constant_bytes", {before.constant_bytes(), report.constant_bytes()}},
          {"workspace_bytes", {before.workspace_bytes(), report.workspace_bytes()}},
          {"io_bytes", {before.io_bytes(), report.io_bytes()}},
          {"pools", std::move(pools)},
          {"same", diff.same},
          {"buffers", std::move(buffers)}};
}

Json Models(const MemoryReport& report) {
  Json models = Json::array();
  for (const ReportModel& model : report.models) {
    Json pools = Json::object();
    for (const ReportModelPool& pool : model.pools) {
      pools[pool.name] = {{"size_bytes", pool.size_bytes},
                          {"lower_bound_bytes", pool.lower_bound_bytes},
                          {"proven_optimal", pool.proven_optimal}};
    }
    models.push_back({{"name", model.name},
                      {"source", model.source},
                      {"entry", model.entry},
                      {"live", {model.range.lower, model.range.upper}},
                      {"constant_bytes", model.constant_bytes},
                      {"workspace_bytes", model.workspace_bytes},
                      {"io_bytes", model.io_bytes},
                      {"pools", std::move(pools)}});
  }
  return models;
}

}  // namespace

Json ReportTree(const MemoryReport& report, const ReportExtras& extras) {
  Json pools = Json::object();
  for (const ReportPool& pool : report.pools) pools[pool.name] = Pool(pool, report);
  for (const PeakWhy& why : extras.why) pools[why.pool]["why"] = Why(report, why);
  Json tensors = Json::array();
  for (const ReportTensor& tensor : report.tensors) {
    tensors.push_back({{"name", tensor.name},
                       {"kind", tensor.is_output ? "output" : "input"},
                       {"dtype", tensor.dtype},
                       {"shape", tensor.shape},
                       {"size_bytes", tensor.size_bytes}});
    if (tensor.pool.empty()) continue;
    tensors.back()["pool"] = tensor.pool;
    tensors.back()["offset"] = tensor.offset;
  }
  Json steps = Json::array();
  for (const ReportStep& step : report.steps) {
    steps.push_back({{"label", step.label},
                     {"live", {step.range.lower, step.range.upper}},
                     {"line", step.line}});
  }
  Json out{{"version", kReportVersion},
           {"source", report.source},
           {"entry", report.entry},
           {"algorithm", report.algorithm},
           {"constant_bytes", report.constant_bytes()},
           {"workspace_bytes", report.workspace_bytes()},
           {"io_bytes", report.io_bytes()},
           {"pools", std::move(pools)},
           {"tensors", std::move(tensors)},
           {"ticks", report.ticks},
           {"steps", std::move(steps)}};
  Json constants = Json::array();
  for (const ReportConstant& constant : report.constants) constants.push_back(ConstantOf(constant));
  out["constants"] = std::move(constants);
  const ConstantBytes in_place = ConstantBytesOf(report, "");
  if (in_place.uses > 0) AddConstantBytes(in_place, out["in_place"]);
  if (!report.models.empty()) {
    out["models"] = Models(report);
    const SharedBytes bytes = SharedBytesOf(report);
    out["sharing"] = {{"separate_bytes", bytes.separate},
                      {"shared_bytes", bytes.shared},
                      {"saved_bytes", bytes.separate - bytes.shared}};
  }
  if (extras.diff != nullptr) out["diff"] = Diff(report, *extras.diff);
  return out;
}

std::string ReportJson(const MemoryReport& report) { return ReportJson(report, {}); }

std::string ReportJson(const MemoryReport& report, const ReportExtras& extras) {
  Json tree = ReportTree(report, extras);
  Json buffers = Json::array();
  for (const ReportBuffer& buffer : report.buffers) buffers.push_back(BufferOf(buffer));
  tree["buffers"] = std::move(buffers);
  // Names come from the user's text and need not be UTF-8.
  return tree.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tenon
