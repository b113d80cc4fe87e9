// A constant's data: its uses, its compressed size, its section and its storage.
function aboutData(d) {
  const rows = [];
  if (d.base) rows.push("bytes of " + d.base + " from " + bytes(d.base_offset) + " on");
  if (d.uses > 1) rows.push("stored once for " + bytes(d.uses) + " uses");
  if (d.compressed_bytes !== undefined && d.size_bytes > 0) {
    rows.push("LZ4 makes it about " + compresses(d) + " of its size");
  }
  if (d.bytes_read > 0) rows.push(bytes(d.bytes_read) + " bytes read a run");
  const where = [d.section, storageOf(d)].filter(Boolean).join(", ");
  if (where) rows.push(where);
  if (d.hash) rows.push(d.hash);
  return rows;
}
const storageOf = (d) => [d.storage, d.codec,
  d.codec && d.stored_bytes !== undefined && bytes(d.stored_bytes) + " bytes", d.load && "loaded into " + d.load].filter(Boolean).join(", ");
const compresses = (d) => (100 * d.compressed_bytes / d.size_bytes).toFixed(0) + " %";
const isShared = (b) => b.data !== null && (b.data.uses > 1 || Boolean(b.data.base));

// Two buffers that share bytes: the one that is read for the last time, and the one that is written.
const overlaps = (report.overlaps || []).map(
  (o) => ({...o, buffers: [buffers[o.dying], buffers[o.begun]]}));
const overlapsIn = (pool) => overlaps.filter((o) => o.buffers[1].pool === pool);
const signed = (n) => n < 0 ? "\u2212" + bytes(-n) : bytes(n);

function distances(o) {
  return o.allowed.map(([first, last]) => first === null ? signed(last) + " or less"
    : last === null ? signed(first) + " or more"
    : first === last ? signed(first) : signed(first) + " to " + signed(last)).join(", ");
}

// The accesses that limit the distance. Without source lines, their texts say nothing.
const hasLines = report.steps.some((s) => s.line > 0);
const boundOf = (o) => hasLines && o.bound || "";

function showOverlapTip(event, o) {
  const [dying, begun] = o.buffers;
  placeTip(event, dying.name + " and " + begun.name + " share " + bytes(o.shared_bytes) + " bytes", [
    label(o.function) + " reads " + dying.name + " for the last time and writes " + begun.name,
    "distance " + signed(o.distance) + "; safe: " + distances(o),
    ...(boundOf(o) ? ["bound by: " + boundOf(o)] : []),
  ]);
}

// Where a buffer outside of all pools is. The reason says more than that unless it had no pool to go to.
const kNoPool = "has no candidate pool";
const whereOf = (b) => b.pool !== null ? b.pool
  : b.kind === "constant" ? "flash (" + (b.data && b.data.section || ".rodata") + ")" : "stack";

// Lines about a buffer, or about an input or output outside of pools.
function aboutValue(b) {
  const rows = [bytes(b.size_bytes) + " bytes" + (b.dtype ? ", " + b.dtype + " [" + b.shape.join(", ") + "]" : "")];
  if (b.live === undefined) return [...rows, b.kind + " that the caller owns"];
  rows.push(b.pool === null ? whereOf(b) + (b.unplaced === kNoPool ? "" : ": " + b.unplaced) : b.pool + ", offset " + bytes(b.offset) + " to " + bytes(b.offset + b.size_bytes));
  if (b.live.length > 0) {
    let text = "live in ticks " + lifetime(b);
    const first = stepAt(b.live[0][0]), last = stepAt(b.live[b.live.length - 1][1] - 1);
    if (first && last) {
      text += first === last ? ": " + label(first.label)
                             : ": " + label(first.label) + " \u2192 " + label(last.label);
    }
    rows.push(text);
  }
  if (b.data) rows.push(...aboutData(b.data));
  for (const o of overlaps) {
    if (!o.buffers.includes(b)) continue;
    const other = o.buffers[o.buffers[0] === b ? 1 : 0];
    rows.push("shares " + bytes(o.shared_bytes) + " bytes with " + other.name + " in " + label(o.function));
  }
  if (b.function) rows.push("in " + b.function + (b.line ? ", line " + b.line : ""));
  return rows;
}

function showTip(event, b) {
  if (!b) { tip.hidden = true; return; }
  placeTip(event, b.name, aboutValue(b));
}

function placeTip(event, title, rows) {
  tip.replaceChildren(make("b", {}, title), ...rows.map((r) => make("div", {class: "grey"}, r)));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const right = event.clientX + 16 + box.width > innerWidth;
  tip.style.left = Math.max(4, right ? event.clientX - box.width - 12 : event.clientX + 16) + "px";
  tip.style.top = Math.max(4, Math.min(event.clientY + 16, innerHeight - box.height - 8)) + "px";
}
