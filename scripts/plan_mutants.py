"""Rules of memory planning, each switched off by one change: (file, text, text without the rule).

`scripts/mutate.py plans` makes each change alone. verify-plan or a run at the planned places must then
fail (tests/random/judged_test.cc). Every text occurs once in its file.
"""

CLOCK = "ir/analysis/liveness.cc"
USES = "ir/analysis/liveness_uses.cc"
SLOTS = "ir/analysis/live_slots.cc"
FLOW = "ir/analysis/live_flow.cc"
HEAD = "ir/analysis/liveness_clock.h"
STORES = "ir/analysis/full_store.cc"
FORMS = "ir/analysis/digits.cc"
PAIRS = "passes/memory/dying_pairs.cc"
IN_PLACE = "passes/memory/in_place_relations.cc"
DIFFERENCES = "passes/memory/overlap_relations.cc"
OVERLAPS = "passes/memory/plan_overlaps.cc"
DISTANCES = "analysis/safe_distances.cc"
CONTRACT = "passes/memory/create_io_allocates.cc"
PLAN = "passes/memory/plan_memory.cc"

LIFETIMES = [
    # Statements and scopes.
    (CLOCK, "if (is_input) TouchSlot(slot, {});", ""),
    (CLOCK, "if (slots_.at(slot).goes_out || slots_.at(slot).escaped) ++now_;", ""),
    (CLOCK, "if (slots_.at(slot).goes_out) TouchSlot(slot, kAllBytes);", ""),
    (CLOCK, "if (!is_input) Tick(allocate);", "Tick(allocate);"),
    (CLOCK, "entry.unplanned = Unplanned::kParallelLoop;", "(void)0;"),
    # Loops.
    (CLOCK, "slots_.EnterRegion(runs ? RegionKind::kLoop : RegionKind::kMaybeLoop, start);",
     "slots_.EnterRegion(RegionKind::kBody, start);"),
    (CLOCK, "slots_.EnterRegion(runs ? RegionKind::kLoop : RegionKind::kMaybeLoop, start);",
     "slots_.EnterRegion(RegionKind::kLoop, start);"),
    (CLOCK, "const bool runs = extent != nullptr && *extent > 0;", "const bool runs = true;"),
    (CLOCK, "if (IsParallel(loop->for_kind)) {", "if (false) {"),
    (CLOCK, "slots_.EnterRegion(RegionKind::kWhile, now_ + 1);",
     "slots_.EnterRegion(RegionKind::kBody, now_ + 1);"),
    (CLOCK, "slots_.EnterRegion(RegionKind::kBody, now_ + 1);\n  Visit(loop->body);",
     "slots_.EnterRegion(RegionKind::kCondition, now_ + 1);\n  Visit(loop->body);"),
    (CLOCK, "index_ranges_[loop->loop_var] = {*min, last};",
     "index_ranges_[loop->loop_var] = {*min, *min};"),
    # Branches.
    (CLOCK, "slots_.EnterRegion(RegionKind::kBranch, now_ + 1);",
     "slots_.EnterRegion(RegionKind::kBody, now_ + 1);"),
    (CLOCK, "Evaluate([&] { Visit(branch->condition); });", ""),
    (CLOCK, "for (const Stmt* arm : {branch->then_case, branch->else_case}) {",
     "for (const Stmt* arm : {branch->then_case}) {"),
    # Accesses.
    (CLOCK, "AddOverwrite(slot, *bytes);", "AddOverwrite(slot, kAllBytes);"),
    (CLOCK, "      TouchSlot(slot, {});\n    }\n  });", "    }\n  });"),
    (CLOCK, "TouchSlot(slot, bytes ? Moved(*bytes, *offset) : kAllBytes);", "TouchSlot(slot, {});"),
    (CLOCK, "TouchSlot(slot, bytes ? Moved(*bytes, *offset) : kAllBytes);",
     "TouchSlot(slot, bytes ? *bytes : kAllBytes);"),
    (CLOCK, "TouchSlot(slot, bytes ? Moved(*bytes, *offset) : kAllBytes);",
     "TouchSlot(slot, bytes ? Moved(*bytes, *offset) : ByteRange{0, 1});"),
    (CLOCK, "      VisitEscaping(store->value);", "      (void)0;"),
    (CLOCK, "  for (const Expr* index : load->indices) Visit(index);\n", ""),
    (CLOCK, "    Visit(store->predicate);\n    const int32_t slot", "    const int32_t slot"),
    # Calls.
    (CLOCK, "if (!certain) overwrite_floor_ = frame.slots;", ""),
    (USES, "    VisitIndices(arg);\n    if (i >= callee.params.size()) {",
     "    if (i >= callee.params.size()) {"),
    (USES, "if (!certain && statement_ != nullptr) statement_->push_back(slot);", ""),
    (USES, "      frame.slot_of[var] = slot;\n", ""),
    (USES, "if (offset) frame.offset_of[var] = *offset;", "frame.offset_of[var] = 0;"),
    (USES, "      VisitEscaping(arg);\n      span", "      span"),
    (USES, "span.arguments[i].chosen = ChosenBy(arg);", ""),
    (USES, "liveness_.calls[number].upper = now_ + 1;", "liveness_.calls[number].upper = now_ + 2;"),
    (USES, "span.arguments[i] = {slots_.at(slot).index, offset == 0, {}};",
     "span.arguments[i] = {slots_.at(slot).index, true, {}};"),
    (USES, "op == OpKind::kRet || op", "op"),
    (USES, "if (call->op->kind == OpKind::kRet) EndRun(call);", ""),
    (USES, "TouchSlot(slot, effect.reads ? kAllBytes : ByteRange{});", "TouchSlot(slot, ByteRange{});"),
    (USES, "if (effect.overwrites && certain && offset && MayOverwrite(slot)) {",
     "if (effect.writes && certain && offset && MayOverwrite(slot)) {"),
    (USES, "overwritten.push_back({slot, {*offset, kAllBytes.end}});",
     "overwritten.push_back({slot, kAllBytes});"),
    # Overwrites.
    (USES, "if (!offset || !MayOverwrite(slot)) return std::nullopt;",
     "if (!offset || !slots_.at(slot).sized) return std::nullopt;"),
    (USES, "return Moved(*bytes, *offset);\n}\n\nbool Clock::MayRead",
     "return *bytes;\n}\n\nbool Clock::MayRead"),
    (USES, "if (!doubtful) slots_.Add(", "slots_.Add("),
    (USES, "slots_.Add(slot, {start, start, -1, {}, Moved(overwrite.bytes, *offset)});",
     "slots_.Add(slot, {start, start, -1, {}, overwrite.bytes});"),
    (USES, "slots_.Add(slot, {start, start, -1, {}, Moved(overwrite.bytes, *offset)});",
     "slots_.Add(slot, {start, start, -1, {}, kAllBytes});"),
    (USES, "slots_.Add(slot, {now_, now_ + 1, -1, {}, bytes});",
     "slots_.Add(slot, {now_, now_ + 1, -1, {}, kAllBytes});"),
    (HEAD, "return options_.overwrites && slot >= overwrite_floor_ && to.sized;",
     "return options_.overwrites && to.sized;"),
    # Pointers.
    (USES, "if (SlotOf(value) < 0) return VisitEscaping(value);", "if (SlotOf(value) < 0) return;"),
    (USES, "frame_->offset_of[var] = *offset;\n}", "frame_->offset_of[var] = 0;\n}"),
    (USES, "more = CheckedMul(*elements, call->args[0]->dtype.bytes());", "more = *elements;"),
    (USES, "used.escaped |= escaping_ > 0;", ""),
    (USES, "(call->op->kind == OpKind::kReinterpret && !call->dtype.is_handle());", "false;"),
    (SLOTS, "ranges.push_back({StartOfLoops(slot), now + 1});",
     "ranges.push_back({slot.accesses.front().start, now + 1});"),
    (SLOTS, "if (slot.escaped && !slot.accesses.empty()) {", "if (false) {"),
    # Parallel loops.
    (USES, "used.read_in_parallel |= !read.empty();", ""),
    (HEAD, "    for (const int32_t slot : touched) slots_.Add(slot, {start, now_ + 1, -1, {}, {}});", ""),
    # The flow of values.
    (SLOTS, "} else if (!last.read.Covers(next.read) && !last.overwritten.Covers(next.read)) {",
     "} else if (false) {"),
    (FLOW, "gen |= pass & next.gen;", "gen |= 0;"),
    (FLOW, "gen |= pass & next.gen;\n    pass &= next.pass;", "pass = 0;"),
    (FLOW, "Bits(CutsUpTo(bytes.first), CutsUpTo(bytes.end - 1) + 1)",
     "Bits(CutsUpTo(bytes.first), CutsUpTo(bytes.first) + 1)"),
    (FLOW, "bytes.first <= 0 ? 0 : CutsUpTo(bytes.first - 1) + 1", "CutsUpTo(bytes.first - 1)"),
    (FLOW, "const size_t end = bytes.end >= size_ ? cuts_.size() + 1 : CutsUpTo(bytes.end);",
     "const size_t end = cuts_.size() + 1;"),
    (FLOW, "if (!known) {", "if (false) {"),
    (FLOW, "      case RegionKind::kMaybeLoop:\n        node.transfer.pass = kAll;\n        break;\n", ""),
    (FLOW, "if (open.arms < 2) node.transfer.pass = kAll;", ""),
    (FLOW, "parent.inner.pass |= node.transfer.pass;", "parent.inner.pass &= node.transfer.pass;"),
    (FLOW, "parent.inner.gen |= node.transfer.gen;", "parent.inner.gen &= node.transfer.gen;"),
    (FLOW, "return node.out | node.inner.gen;", "return node.out;"),
    (FLOW, "open.condition.gen | (open.condition.pass & open.inner.gen)", "open.condition.gen"),
    (FLOW, "if (KindOf(parent.region) == RegionKind::kBranch) live = parent.out;", ""),
    (FLOW, "if (!arms) place.state |= child.touched;", ""),
    (FLOW, "      touched |= node.touched;\n    }", "    }"),
    (FLOW, "Live(access.start, access.end, kAll);", ""),
    (FLOW, "Live(place.cursor, until, live & place.state);", ""),
    (FLOW, "Live(done.cursor, region.end, TailOf(node) & done.state);", ""),
    # Nests that overwrite.
    (STORES, "unknown_ |= call->dtype.is_handle() || call->op->effect == OpEffect::kControl ||\n"
     "                AsCallSite(module_, call).callee != nullptr;", ""),
    (STORES, "if (!seen && store->predicate == nullptr)", "if (!seen)"),
    (STORES, "if (!known) Other(buffer->data);", ""),
    (STORES, "if (outer.terms != PartOf(target.form, kOuterLoop).terms) return false;", ""),
    (STORES, "  if (store->predicate != nullptr) return std::nullopt;\n", ""),
    (FORMS, "if (FloorOf(bounds->max, divisor) == whole) {", "if (true) {"),
]

RELATIONS = [
    (PAIRS, "if (lower < call.lower || upper > call.upper) return false;", ""),
    (PAIRS, "HoldsAcross(liveness.ranges[dying], call.upper) ||\n", ""),
    (PAIRS, "            HoldsAcross(liveness.ranges[begun], call.lower) ||\n", ""),
    (PAIRS, "if (index < 0 || !call.arguments[argument].is_start) return nullptr;",
     "if (index < 0) return nullptr;"),
    (PAIRS, "if (i != argument && other == index) return nullptr;", ""),
    (DIFFERENCES, "first = first <= -none ? INT64_MIN : -RoundDown(-first, alignment);",
     "first = first <= -none ? INT64_MIN : RoundDown(first, alignment);"),
    (DIFFERENCES, "last = last >= none ? INT64_MAX : RoundDown(last, alignment);",
     "last = last >= none ? INT64_MAX : -RoundDown(-last, alignment);"),
    (DIFFERENCES, "if (distances.Contains(0)) add(0, 0);", "add(0, 0);"),
    (OVERLAPS, "if (!ShareBytes(made.problem, plan, neighbour.argument, neighbour.other)) return;",
     "return;"),
    (OVERLAPS, "own.pairs.emplace(neighbour.param, *neighbour.other_param);", ""),
    (OVERLAPS, "own.pools.emplace(neighbour.param, made.problem.pools[planner::Index(pool)].name);",
     "(void)pool;"),
    (DISTANCES, "    if (store->buffer->data == dying_) Add(accesses, access);\n", ""),
    (DISTANCES, "if (store->buffer->data == begun_) Add(stores, access);", ""),
    (PLAN, "placement.offset + place.offset", "placement.offset"),
    (PLAN, "buffer.lifetimes.push_back({range.lower, range.upper});",
     "buffer.lifetimes.push_back({range.lower, range.upper - 1});"),
    (PLAN, "buffer.lifetimes.push_back({range.lower, range.upper});",
     "buffer.lifetimes.push_back({range.lower + 1, range.upper});"),
    (PLAN, "buffer.size = allocation.size_bytes;", "buffer.size = allocation.size_bytes - 1;"),
]

THE_CONTRACT = [
    (CONTRACT, "is_output || options.keep_inputs", "is_output"),
    (CONTRACT, "is_output || options.keep_inputs", "options.keep_inputs"),
    (CONTRACT, "tensor.comes_in = ranges.empty() || ranges[0].upper > 1;", "tensor.comes_in = false;"),
    (CONTRACT, "if (tensor.comes_in) notes = builder().With(notes, attr_key::kInputTensor, name);", ""),
    (CONTRACT, "if (tensor.goes_out) notes = builder().With(notes, attr_key::kOutputTensor, name);", ""),
    (CONTRACT, "if (!tensor.is_output) continue;", ""),
]

RULES = LIFETIMES + RELATIONS + THE_CONTRACT
