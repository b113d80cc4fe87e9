// The first look: three cards with a bar each, and one line with everything else.

// A bar with parts side by side, and a line below for each: [name, bytes, colour, note].
function stacked(parts, whole) {
  const shown = parts.filter(([, size]) => size > 0);
  const bar = make("div", {class: "stack", role: "img", "aria-label":
    shown.map(([name, size]) => name + " " + bytes(size) + " bytes").join(", ")});
  for (const [name, size, ink] of shown) {
    const part = make("span", {title: name + ": " + bytes(size) + " bytes", class: ink === "" ? "free" : ""});
    part.style.flex = size / Math.max(1, whole) + " 1 0";
    if (ink) part.style.background = "var(" + ink + ")";
    bar.append(part);
  }
  const rows = parts.map(([name, size, ink, note]) => {
    const mark = make("i", {class: ink === "" ? "free" : ""});
    if (ink) mark.style.background = "var(" + ink + ")";
    return fact([mark, name], size === null ? "" : sized(size), note);
  });
  return [bar, make("dl", {}, ...rows)];
}

// A line of a card. `name` is a list of texts and elements.
const fact = (name, value, note = "") => make("div", {}, make("dt", {}, ...name), make("dd", {}, value,
  ...(note ? [make("span", {class: "grey"}, " " + note)] : [])));

function card(name, value, note, ...rest) {
  return make("section", {class: "tile"}, make("h2", {class: "name"}, name),
              make("div", {class: "value"}, value, ...(note ? [make("span", {class: "note"}, note)] : [])), ...rest);
}

const isOptimal = (work) => work.length > 0 && work.every((p) => p.proven_optimal);
const sumOf = (pools, key) => pools.reduce((sum, p) => sum + p[key], 0);
const counted = (n, one) => bytes(n) + " " + one + (n === 1 ? "" : "s");

// The memory of a device, and the rest of its declared pools.
function ramCard(work) {
  const {stack, ram_bytes: ram} = report, known = stack && stack.deepest_bytes !== undefined;
  const limited = work.filter((p) => p.capacity_bytes !== undefined);
  const parts = [[report.entry ? "workspace" : "buffers", report.workspace_bytes, "--tensor-a"]];
  if (report.entry) {
    const inside = report.io_bytes === 0;
    parts.push(["inputs and outputs", inside ? null : report.io_bytes, "--tensor-b", inside ? "in the workspace" : ""]);
    parts.push([known ? "stack, about" : "arrays on the stack",
                stack ? (known ? stack.deepest_bytes : stack.local_array_bytes) : 0, "--scratch-a"]);
  }
  let note = "";
  if (limited.length > 0) {
    const free = sumOf(limited, "free_bytes"), all = sumOf(limited, "capacity_bytes");
    parts.push(["free", free, "", "of " + short(all)]);
    note = percent(free, all) + " of the declared pools is free";
  }
  const whole = parts.reduce((sum, [, size]) => sum + size, 0);
  return card(report.entry ? "RAM" : "Memory", sized(ram), note, ...stacked(parts, whole));
}

function flashCard(constants) {
  const code = report.code_bytes || 0, stored = Object.values(report.pools).filter((p) => p.kind === "constant");
  const limited = stored.filter((p) => p.capacity_bytes !== undefined);
  const parts = [["constants", report.constant_bytes, "--constant-a", "in " + counted(constants, "tensor")]];
  if (code > 0) parts.push(["code", code, "--constant-b"]);
  else parts.push(["code", null, "--constant-b", "known after tenon compile --emit=obj"]);
  if (limited.length > 0) parts.push(["free", sumOf(limited, "free_bytes"), "", "of " + short(sumOf(limited, "capacity_bytes"))]);
  const whole = parts.reduce((sum, [, size]) => sum + size, 0);
  return card("Flash", sized(report.constant_bytes + code), code > 0 ? "" : "without code", ...stacked(parts, whole));
}

// How good the plan is, and how that is known.
function proofCard(work) {
  const bound = sumOf(work, "lower_bound_bytes"), size = report.workspace_bytes, over = size - bound;
  if (bound <= 0) return card("Proof", "\u2013", "no lower bound is known");
  const optimal = isOptimal(work), gap = (100 * over / bound).toFixed(over > 0 ? 2 : 0) + " %";
  const value = optimal ? make("span", {class: "good"}, "\u2713 optimal") : gap;
  const note = !optimal ? "above the lower bound" : report.spill ? "for this choice of pools" : "no plan is smaller";
  return card("Proof", value, note,
    ...stacked([["lower bound", bound, "--good"], ["gap", over, "--curve", over > 0 ? gap : ""]], size),
    make("dl", {}, ...methodFacts()));
}

// The method, and for plans how long it took.
function methodFacts() {
  const search = report.search || {}, facts = [];
  const method = search.found_by && search.found_by !== report.algorithm ? report.algorithm + ", plan by " + search.found_by
                                                                         : report.algorithm;
  if (method) facts.push(fact(["method"], method));
  if (search.seconds !== undefined) {
    facts.push(fact(["time"], search.seconds < 0.01 ? "< 0.01 s" : search.seconds.toFixed(2) + " s"));
  }
  if (search.nodes > 0) facts.push(fact(["placements tried"], bytes(search.nodes)));
  return facts;
}

// The problem of a plan: what it places, and into what.
function problemCard(pools) {
  const limited = pools.filter(([, p]) => p.capacity_bytes !== undefined);
  const sizes = buffers.map((b) => b.size_bytes), all = sizes.reduce((sum, size) => sum + size, 0);
  const capacity = pools.length > 1 ? pools.slice(0, 6).map(([name, p]) => fact([name], sized(p.size_bytes),
      p.capacity_bytes === undefined ? "" : "of " + short(p.capacity_bytes)))
    : [fact(["capacity"], limited.length > 0 ? sized(limited[0][1].capacity_bytes) : "no limit")];
  return card("Problem", bytes(buffers.length), buffers.length === 1 ? "buffer" : "buffers", make("dl", {},
    ...capacity, fact(["all buffers"], sized(all), "without sharing"),
    fact(["largest buffer"], sized(sizes.reduce((most, size) => Math.max(most, size), 0))),
    fact(["times"], bytes(report.ticks))));
}

// The rest of the figures.
function otherFacts() {
  const facts = [], io = report.accountings && report.accountings.io_counted, stack = report.stack;
  const macs = report.steps.reduce((sum, s) => sum + (s.macs || 0), 0);
  const shape = (t) => t.kind + " " + t.name + " " + t.dtype + " [" + t.shape.join(", ") + "]";
  if (report.steps.length > 0) facts.push(counted(report.steps.length, "operator"));
  if (macs > 0) facts.push(bytes(macs) + " multiplications (MACs)");
  facts.push(...report.tensors.map(shape));
  if (io) facts.push("with inputs and outputs inside, the workspace " + (io.fits
    ? "takes " + short(io.workspace_bytes) + (io.proven_optimal ? ", optimal" : "") : "exceeds its pools"));
  if (report.spill) {
    const {bytes: spilled, bound_bytes: bound, buffers: count} = report.spill;
    facts.push(counted(count, "buffer") + " of " + short(spilled) + " outside their best pools, " +
               (spilled === bound ? "the least possible" : "bound " + short(bound)));
  }
  if (stack && stack.deepest_bytes !== undefined) {
    facts.push("deepest stack: " + stack.deepest_path.map(label).join(" \u2192 ") +
      (stack.library_calls && stack.library_calls.length > 0
        ? ", with " + stack.library_calls.map((f) => f.function + " " + short(f.bytes)).join(", ") : "") +
      (stack.unknown.length > 0 ? ", without " + stack.unknown.join(", ") : ""));
  }
  if (report.entry && !Object.values(report.pools).some((p) => p.capacity_bytes !== undefined)) {
    facts.push("free memory is unknown: --workspace-pools=ram:64K gives the size of the RAM");
  }
  return facts;
}

function fillSummary() {
  const pools = Object.entries(report.pools);
  const work = pools.filter(([, p]) => p.kind === "workspace").map(([, p]) => p);
  // The name of the file says more than `main` does.
  const file = report.source.split("/").pop();
  const named = file && file !== "-" && file !== "<stdin>";
  const models = Object.keys(report.models || {}).length > 1 ? report.models.map((m) => m.name).join(", ") : "";
  const title = (report.entry ? "Memory of " : "Plan of ") + (models || (named ? file : report.entry || report.source));
  document.title = title;
  document.getElementById("title").textContent = title;
  document.getElementById("subtitle").textContent = report.source === file ? "" : report.source;
  const constants = buffers.filter((b) => b.kind === "constant").length;
  const cards = [ramCard(work)];
  if (report.entry) cards.push(flashCard(constants), proofCard(work));
  else cards.push(proofCard(work), problemCard(pools));
  document.getElementById("tiles").append(...cards);
  const facts = otherFacts();
  document.getElementById("facts").append(...facts.map((text) => make("span", {}, text)));
}
