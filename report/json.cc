#include <span>

#include "report/constants.h"
#include "report/extras.h"
#include "report/merge.h"
#include "report/report_members.h"

namespace tenon {

namespace {

/// Writes the parts of a report, in the layout of `json`.
class ReportWriter {
 public:
  ReportWriter(const MemoryReport& report, JsonWriter& json) : report_(report), json_(json) {}

  void Members(const ReportExtras& extras) {
    json_.Member("version", kReportVersion);
    json_.Member("source", report_.source);
    json_.Member("entry", report_.entry);
    json_.Member("algorithm", report_.algorithm);
    json_.Member("constant_bytes", report_.constant_bytes());
    json_.Member("workspace_bytes", report_.workspace_bytes());
    json_.Member("io_bytes", report_.io_bytes());
    Pools(extras.why);
    Accountings(report_.accountings);
    if (report_.stack) Object("stack", [&] { Stack(*report_.stack); });
    if (!extras.options.empty())
      List("options", extras.options, [this](const OptionEffect& effect) { Option(effect); });
    List("overlaps", report_.overlaps, [this](const ReportOverlap& overlap) { Overlap(overlap); });
    List("tensors", report_.tensors, [this](const ReportTensor& tensor) { Tensor(tensor); });
    json_.Member("ticks", report_.ticks);
    List("steps", report_.steps, [this](const ReportStep& step) { Step(step); });
    List("constants", report_.constants,
         [this](const ReportConstant& constant) { Constant(constant); });
    if (const ConstantBytes in_place = ConstantBytesOf(report_, ""); in_place.uses > 0) {
      Object("in_place", [&] { Members(in_place); });
    }
    if (!report_.operators.empty())
      List("operators", report_.operators, [this](const ReportOperator& op) { Operator(op); });
    if (!report_.models.empty()) {
      List("models", report_.models, [this](const ReportModel& model) { Model(model); });
      Sharing();
    }
    if (extras.diff != nullptr) Object("diff", [&] { Members(*extras.diff); });
  }

  void Buffers(std::span<const ReportBuffer> buffers) {
    List("buffers", buffers, [this](const ReportBuffer& buffer) { Buffer(buffer); });
  }

 private:
  template <typename Write>
  void Object(std::string_view key, const Write& write) {
    json_.Key(key);
    json_.BeginObject();
    write();
    json_.EndObject();
  }
  /// A list of objects; `write` writes the members of one.
  template <typename Items, typename Write>
  void List(std::string_view key, const Items& items, const Write& write) {
    json_.Key(key);
    json_.List(items, [&](const auto& item) {
      json_.BeginObject();
      write(item);
      json_.EndObject();
    });
  }
  void MemberUnlessEmpty(std::string_view key, std::string_view text) {
    if (!text.empty()) json_.Member(key, text);
  }
  void Line(int64_t line) {
    if (line > 0) json_.Member("line", line);
  }
  void Range(const ReportRange& range) { json_.Value(std::vector{range.lower, range.upper}); }

  /// `has_live`: the indexes of the live buffers refer to this report.
  void Members(const ReportPeak& peak, bool has_live) {
    json_.Member("tick", peak.tick);
    json_.Member("live_bytes", peak.live_bytes);
    if (has_live) json_.Member("live", peak.live);
    MemberUnlessEmpty("statement", peak.statement);
    Line(peak.line);
  }

  /// The savings from storing constants once, and from compressing them.
  void Members(const ConstantBytes& bytes) {
    json_.Member("constants", bytes.constants);
    json_.Member("used_bytes", bytes.used_bytes);
    json_.Member("stored_bytes", bytes.stored_bytes);
    json_.Member("saved_bytes", bytes.saved_bytes());
    if (bytes.compressed_bytes >= 0) json_.Member("compressed_bytes", bytes.compressed_bytes);
  }

  void Pools(const std::vector<PeakWhy>& explanations) {
    Object("pools", [&] {
      for (const ReportPool& pool : report_.pools) {
        Object(pool.name, [&] {
          Pool(pool);
          const PeakWhy* last = nullptr;
          for (const PeakWhy& why : explanations) {
            if (why.pool == pool.name) last = &why;
          }
          if (last != nullptr) Object("why", [&] { Members(*last); });
        });
      }
    });
  }

  void Pool(const ReportPool& pool) {
    json_.Member("size_bytes", pool.size_bytes);
    json_.Member("kind", pool.is_constant ? "constant" : "workspace");
    json_.Member("alignment", pool.alignment);
    json_.Member("lower_bound_bytes", pool.lower_bound_bytes);
    json_.Member("proven_optimal", pool.proven_optimal);
    if (pool.capacity_bytes >= 0) json_.Member("capacity_bytes", pool.capacity_bytes);
    if (const std::optional<int64_t> left = pool.free_bytes()) json_.Member("free_bytes", *left);
    json_.Member("internal", pool.is_internal);
    json_.Member("buffers", pool.buffers);
    MemberUnlessEmpty("header", pool.header);
    if (pool.peak) Object("peak", [&] { Members(*pool.peak, /*has_live=*/true); });
    if (pool.is_constant) Members(ConstantBytesOf(report_, pool.name));
  }

  void ModelPools(const std::vector<ReportModelPool>& pools) {
    Object("pools", [&] {
      for (const ReportModelPool& pool : pools) {
        Object(pool.name, [&] {
          json_.Member("size_bytes", pool.size_bytes);
          json_.Member("lower_bound_bytes", pool.lower_bound_bytes);
          json_.Member("proven_optimal", pool.proven_optimal);
        });
      }
    });
  }

  void Accounting(std::string_view key, const std::optional<ReportAccounting>& accounting) {
    if (!accounting) return;
    Object(key, [&] {
      json_.Member("fits", accounting->fits);
      if (!accounting->fits) return;
      json_.Member("workspace_bytes", accounting->workspace_bytes);
      json_.Member("lower_bound_bytes", accounting->lower_bound_bytes);
      json_.Member("proven_optimal", accounting->proven_optimal);
      ModelPools(accounting->pools);
    });
  }

  void Accountings(const ReportAccountings& accountings) {
    if (!accountings.io_outside && !accountings.io_counted) return;
    Object("accountings", [&] {
      Accounting("io_outside", accountings.io_outside);
      Accounting("io_counted", accountings.io_counted);
    });
  }

  void Stack(const ReportStack& stack) {
    json_.Member("local_array_bytes", stack.local_array_bytes);
    if (stack.deepest_bytes < 0) return;
    json_.Member("deepest_bytes", stack.deepest_bytes);
    json_.Member("deepest_path", stack.deepest_path);
    json_.Member("unknown", stack.unknown);
    List("frames", stack.frames, [this](const ReportFrame& frame) {
      json_.Member("function", frame.function);
      json_.Member("bytes", frame.bytes);
    });
  }

  void Overlap(const ReportOverlap& overlap) {
    json_.Member("function", overlap.function);
    json_.Member("dying", overlap.dying);
    json_.Member("begun", overlap.begun);
    json_.Member("shared_bytes", overlap.shared_bytes);
    json_.Member("distance", overlap.distance);
    json_.Key("allowed");
    json_.List(overlap.allowed, [this](const ReportOverlap::Distances& range) {
      json_.Value(std::vector{range.first, range.last});
    });
    MemberUnlessEmpty("bound", overlap.bound);
    json_.Key("live");
    json_.List(overlap.ranges, [this](const ReportRange& range) { Range(range); });
  }

  void Option(const OptionEffect& effect) {
    json_.Member("option", effect.option);
    json_.Member("in_use", effect.in_use);
    json_.Member("fits", effect.fits);
    json_.Member("with_bytes", effect.with_bytes);
    json_.Member("without_bytes", effect.without_bytes);
    json_.Member("saved_bytes", effect.saved_bytes());
  }

  void Tensor(const ReportTensor& tensor) {
    json_.Member("name", tensor.name);
    json_.Member("kind", tensor.is_output ? "output" : "input");
    json_.Member("dtype", tensor.dtype);
    json_.Member("shape", tensor.shape);
    json_.Member("size_bytes", tensor.size_bytes);
    if (tensor.pool.empty()) return;
    json_.Member("pool", tensor.pool);
    json_.Member("offset", tensor.offset);
  }

  void Operator(const ReportOperator& op) {
    json_.Member("name", op.name);
    json_.Member("kind", op.kind);
    json_.Member("macs", op.macs);
    json_.Member("elements", op.elements);
    json_.Member("target", op.target);
    json_.Member("why_not", op.why_not);
  }

  void Step(const ReportStep& step) {
    json_.Member("label", step.label);
    json_.Key("live");
    Range(step.range);
    json_.Member("line", step.line);
  }

  void Buffer(const ReportBuffer& buffer) {
    json_.Member("name", buffer.name);
    json_.Member("kind", buffer.is_constant ? "constant" : "workspace");
    json_.Member("function", buffer.function);
    json_.Member("dtype", buffer.dtype);
    json_.Member("shape", buffer.shape);
    json_.Member("size_bytes", buffer.size_bytes);
    if (buffer.pool.empty()) {
      json_.Key("pool");
      json_.Null();
      json_.Member("unplaced", buffer.unplaced);
    } else {
      json_.Member("pool", buffer.pool);
      json_.Member("offset", buffer.offset);
    }
    json_.Key("live");
    json_.List(buffer.ranges, [this](const ReportRange& range) { Range(range); });
    json_.Member("bytes_read", buffer.bytes_read);
    json_.Member("bytes_written", buffer.bytes_written);
    Line(buffer.line);
    if (buffer.constant >= 0) json_.Member("constant", buffer.constant);
  }

  void Constant(const ReportConstant& constant) {
    json_.Member("name", constant.name);
    json_.Member("dtype", constant.dtype);
    json_.Member("shape", constant.shape);
    json_.Member("size_bytes", constant.size_bytes);
    MemberUnlessEmpty("hash", constant.hash);
    json_.Member("users", constant.users);
    json_.Member("uses", constant.uses);
    json_.Member("source", constant.source);
    MemberUnlessEmpty("file", constant.file);
    if (constant.alignment > 0) json_.Member("alignment", constant.alignment);
    MemberUnlessEmpty("section", constant.section);
    if (constant.address_significant) json_.Member("address_significant", true);
    MemberUnlessEmpty("load", constant.load);
    MemberUnlessEmpty("codec", constant.codec);
    if (constant.stored_bytes >= 0) json_.Member("stored_bytes", constant.stored_bytes);
    if (!constant.stored_pool.empty()) {
      json_.Member("stored_pool", constant.stored_pool);
      json_.Member("stored_offset", constant.stored_offset);
    }
    if (!constant.base.empty()) {
      json_.Member("base", constant.base);
      json_.Member("base_offset", constant.base_offset);
    }
    if (constant.compressed_bytes >= 0) json_.Member("compressed_bytes", constant.compressed_bytes);
    json_.Member("bytes_read", constant.bytes_read);
    MemberUnlessEmpty("storage", constant.storage);
  }

  void Moment(std::string_view key, const ReportMoment& moment) {
    Object(key, [&] {
      json_.Member("tick", moment.tick);
      Line(moment.line);
      if (moment.step != ReportMoment::kNoStep) json_.Member("step", moment.step);
    });
  }

  void Change(const PeakChange& change) {
    json_.Member("change", ChangeName(change.kind));
    json_.Member("buffers", change.buffers);
    if (change.kind == ChangeKind::kNoScratch) json_.Member("steps", change.steps);
    if (change.kind == ChangeKind::kNotKept || change.kind == ChangeKind::kEarly) {
      Moment("from", change.from);
      Moment("to", change.to);
    }
    json_.Member("bound_bytes", change.bound_bytes);
    json_.Member("saved_bytes", change.saved_bytes);
    Moment("peak", change.peak);
  }

  void Members(const PeakWhy& why) {
    Moment("at", why.at);
    List("live", why.live, [&](const LiveThen& then) {
      const auto bytes = static_cast<double>(report_.buffers[then.buffer].size_bytes);
      json_.Member("buffer", then.buffer);
      json_.Member("percent", 100 * bytes / static_cast<double>(why.live_bytes));
      Moment("written", then.written);
      Moment("last_used", then.last_used);
    });
    List("changes", why.changes, [this](const PeakChange& change) { Change(change); });
    List("steps", why.steps, [this](const StepPeak& step) {
      Moment("at", step.at);
      json_.Member("live_bytes", step.live_bytes);
    });
  }

  void Model(const ReportModel& model) {
    json_.Member("name", model.name);
    json_.Member("source", model.source);
    json_.Member("entry", model.entry);
    json_.Key("live");
    Range(model.range);
    json_.Member("constant_bytes", model.constant_bytes);
    json_.Member("workspace_bytes", model.workspace_bytes);
    json_.Member("io_bytes", model.io_bytes);
    ModelPools(model.pools);
    Accountings(model.accountings);
  }

  void Sharing() {
    const SharedBytes bytes = SharedBytesOf(report_);
    Object("sharing", [&] {
      json_.Member("separate_bytes", bytes.separate);
      json_.Member("shared_bytes", bytes.shared);
      json_.Member("saved_bytes", bytes.separate - bytes.shared);
    });
  }

  void Members(const ReportDiff& diff) {
    const MemoryReport& before = diff.before;
    json_.Member("before", diff.before_name);
    json_.Member("algorithm", std::vector{before.algorithm, report_.algorithm});
    json_.Member("constant_bytes", std::vector{before.constant_bytes(), report_.constant_bytes()});
    json_.Member("workspace_bytes",
                 std::vector{before.workspace_bytes(), report_.workspace_bytes()});
    json_.Member("io_bytes", std::vector{before.io_bytes(), report_.io_bytes()});
    Object("pools", [&] {
      for (const PoolChange& change : diff.pools) {
        Object(change.name, [&] { PoolDiff(before, change); });
      }
    });
    json_.Member("same", diff.same);
    List("buffers", diff.buffers, [&](const BufferChange& change) { BufferDiff(before, change); });
  }

  void PoolDiff(const MemoryReport& before, const PoolChange& change) {
    const ReportPool* old = change.before ? &before.pools[*change.before] : nullptr;
    const ReportPool* now = change.after ? &report_.pools[*change.after] : nullptr;
    const auto both = [&](std::string_view key, int64_t ReportPool::*member) {
      std::vector<std::optional<int64_t>> values(2);
      if (old != nullptr) values[0] = old->*member;
      if (now != nullptr) values[1] = now->*member;
      json_.Member(key, values);
    };
    both("size_bytes", &ReportPool::size_bytes);
    both("lower_bound_bytes", &ReportPool::lower_bound_bytes);
    json_.Key("peak");
    json_.List(std::vector{old, now}, [&](const ReportPool* pool) {
      if (pool == nullptr || !pool->peak) return json_.Null();
      json_.BeginObject();
      // The live buffers are indexes into a report, and this text does not contain the old one.
      Members(*pool->peak, /*has_live=*/pool == now);
      json_.EndObject();
    });
  }

  void BufferDiff(const MemoryReport& before, const BufferChange& change) {
    json_.Member("changes", change.what);
    if (change.before && change.after) json_.Member("matched_by", MatchName(change.matched_by));
    json_.Key("before");
    if (change.before) {
      json_.BeginObject();
      Buffer(before.buffers[*change.before]);
      json_.EndObject();
    } else {
      json_.Null();
    }
    json_.Member("after", change.after);
  }

  const MemoryReport& report_;
  JsonWriter& json_;
};

}  // namespace

void WriteReportMembers(const MemoryReport& report, const ReportExtras& extras, JsonWriter& json) {
  ReportWriter(report, json).Members(extras);
}

std::string ReportJson(const MemoryReport& report) { return ReportJson(report, {}); }

std::string ReportJson(const MemoryReport& report, const ReportExtras& extras) {
  std::string out;
  JsonWriter json(out, JsonLayout::kLines);
  json.BeginObject();
  ReportWriter writer(report, json);
  writer.Members(extras);
  writer.Buffers(report.buffers);
  json.EndObject();
  return out + "\n";
}

}  // namespace tenon
