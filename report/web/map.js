// The number of live bytes: [tick, bytes] at each change. Bytes of two buffers count once.
function liveCurve(rows, shared) {
  const ticks = new Float64Array([...rows, ...shared].reduce((count, b) => count + 2 * b.live.length, 0));
  let count = 0;
  for (const list of [rows, shared])
    for (const b of list) for (const range of b.live) for (const tick of range) ticks[count++] = tick;
  ticks.sort();
  const curve = [];
  let last = -1;
  for (const tick of ticks) if (tick !== last) curve.push([last = tick, 0]);
  const at = new Map(curve.map((point) => [point[0], point]));
  for (const b of rows) for (const [lower, upper] of b.live) {
    at.get(lower)[1] += b.size_bytes;
    at.get(upper)[1] -= b.size_bytes;
  }
  for (const o of shared) for (const [lower, upper] of o.live) {
    at.get(lower)[1] -= o.shared_bytes;
    at.get(upper)[1] += o.shared_bytes;
  }
  let live = 0;
  for (const point of curve) point[1] = live += point[1];
  return curve;
}

// Names of operators lean by this angle where they are too long to lie side by side.
const kSlant = Math.PI / 4.2;

class AddressMap extends Picture {
  constructor(name, pool) {
    super("Addresses over time of the pool " + name + ": " + bytes(pool.size_bytes) + " bytes for " +
          bytes(pool.buffers) + " buffers" +
          (pool.peak ? ", at most " + bytes(pool.peak.live_bytes) + " of them live" : "") +
          (pool.lower_bound_bytes > 0 ? ", lower bound " + bytes(pool.lower_bound_bytes) : "") +
          (pool.free_bytes !== undefined ? ", " + bytes(pool.free_bytes) + " bytes of the capacity free" : "") +
          "; the table below has the same data");
    this.hasTime = true;
    this.pool = pool;
    this.rows = buffers.filter((b) => b.pool === name && b.live.length > 0);
    this.overlaps = overlapsIn(name);
    this.curve = liveCurve(this.rows, this.overlaps);
    this.steps = report.steps.length > 1 ? report.steps : [];
    this.byStep = this.steps.length > 1;
    this.name = name;
    this.reset();
    this.canvas.addEventListener("wheel", (e) => this.zoom(e), {passive: false});
    // The places of pressed pointers: a mouse, or fingers.
    this.pointers = new Map();
    this.canvas.addEventListener("pointerdown", (e) => this.press(e));
    this.canvas.addEventListener("pointermove", (e) => this.pull(e));
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, (e) => this.release(e));
    this.canvas.setAttribute("tabindex", "0");
    this.canvas.addEventListener("keydown", (e) => this.pressKey(e));
    this.canvas.addEventListener("dblclick", () => { this.reset(); this.draw(); });
  }

  reset() { this.from = 0; this.to = 1; }

  // Ticks to [0, 1]: as they are, or with the same width for every operator.
  place(tick) {
    if (!this.byStep) return tick / report.ticks;
    const steps = this.steps, count = steps.length;
    if (tick < steps[0].live[0]) return 0;
    let low = 0, high = count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (steps[middle].live[0] <= tick) low = middle; else high = middle - 1;
    }
    const [begin, end] = steps[low].live;
    return (low + Math.min(1, (tick - begin) / Math.max(1, end - begin))) / count;
  }
  x(tick) {
    return this.left + (this.place(tick) - this.from) / (this.to - this.from) * this.width;
  }
  y(address) { return this.top + this.height * (1 - address / this.most); }

  // The edges of the map for a picture of this width: room for the marks on the left and the operators below. Operators
  // have their names if all of them fit, otherwise numbers.
  layOut(width) {
    const ruler = this.ruler(), long = (text) => ruler.measureText(text).width;
    const height = "print" in document.documentElement.dataset ? 290 : width < 520 ? 320 : 420;
    this.levels = sizeMarks(this.most, height / 48);
    this.left = Math.ceil(Math.max(...this.levels.map(([, text]) => long(text))) + 36);
    this.top = 40; this.height = height; this.right = 12; this.bottom = 46; this.slant = null;
    if (!this.byStep) return;
    const names = this.steps.map((s) => label(s.label)), most = Math.max(...names.map(long));
    const each = () => (width - this.left - this.right) / this.steps.length / (this.to - this.from);
    if (each() >= most + 10) {
      this.slant = 0;
      return;
    }
    // The text of an operator ends below its middle.
    const begin = this.left, first = Math.floor(this.from * names.length);
    if (most > 220) return;
    for (let turn = 0; turn < 3; ++turn) {
      names.slice(first).forEach((name, i) => {
        if (i < 12) this.left = Math.max(this.left, Math.ceil(Math.cos(kSlant) * long(name) + 8 - (i + 0.5) * each()));
      });
    }
    if (each() >= 19 && this.left <= Math.max(begin, 0.16 * width)) {
      this.slant = kSlant;
      this.bottom = Math.sin(kSlant) * most + 28;
    } else {
      this.left = begin;
    }
  }

  render() {
    // A capacity is shown unless the plan would be small below it.
    const {size_bytes: size, capacity_bytes: capacity} = this.pool;
    this.limit = capacity <= 1.6 * size ? capacity : 0;
    this.most = Math.max(1, size, this.limit) * 1.02;
    this.layOut(this.recorded ? this.recorded.width : this.canvas.clientWidth);
    const [g, width] = this.fit(this.top + this.height + this.bottom);
    this.width = width - this.left - this.right;
    this.fills = allFills();
    this.axes(g);
    g.save();
    g.beginPath();
    g.rect(this.left, this.top - 4, this.width, this.height + 5);
    g.clip();
    this.fillBoxes(g);
    this.findBands();
    for (const band of this.bands) this.hatch(g, band);
    this.trace();
    this.lines(g);
    g.restore();
    this.labels = new Labels(g, width, this.top + this.height + this.bottom);
    this.notes(this.labels);
    this.names(this.labels, this.boxes);
  }

  fillBoxes(g) {
    g.strokeStyle = colour("--card");
    const small = [];
    for (const b of this.rows) {
      const fill = fillOf(b, this.fills);
      for (const [lower, upper] of b.live) {
        const x = this.x(lower), w = Math.max(1, this.x(upper) - x);
        const y = this.y(b.offset + b.size_bytes), h = Math.max(1, this.y(b.offset) - y);
        if (x + w < this.left || x > this.left + this.width) continue;
        const box = [x, y, w, h, b, fill];
        this.boxes.push(box);
        if (w <= 3 || h <= 3) { small.push(box); continue; }
        g.fillStyle = fill;
        g.fillRect(x, y, w, h);
        g.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
      }
    }
    this.fillSmall(g, small);
  }

  // Filled boxes are written, outlined ones read, and dashed outlines are scratch memory. For an operator, all
  // others are paler.
  mark(g) {
    const step = shownStep(), ink = markFill();
    const boxes = this.boxes.filter((box) => marked.has(box[4]));
    const shown = boxes.map((box) => [...box.slice(0, 5), isFilled(box[4]) ? ink : box[5]]);
    g.save();
    g.beginPath();
    g.rect(this.left, this.top - 4, this.width, this.height + 5);
    g.clip();
    if (step) {
      g.fillStyle = colour("--card");
      g.globalAlpha = 0.6;
      g.fillRect(this.left, this.top - 4, this.width, this.height + 5);
      g.globalAlpha = 0.14;
      g.fillStyle = ink;
      const from = this.x(step.live[0]);
      g.fillRect(from, this.top, Math.max(2, this.x(step.live[1]) - from), this.height);
      g.globalAlpha = 1;
    }
    for (const [x, y, w, h, , fill] of shown) {
      g.fillStyle = fill;
      g.fillRect(x, y, Math.max(w, 2), Math.max(h, 2));
    }
    for (const band of this.bands) if (band[4].buffers.some((b) => marked.has(b))) this.hatch(g, band);
    if (!this.ridge) this.lines(g);
    g.strokeStyle = ink;
    g.lineWidth = 3;
    for (const [x, y, w, h, b] of shown) {
      if (isFilled(b)) continue;
      g.setLineDash(marked.get(b) === "own" ? [5, 3] : []);
      g.strokeRect(x + 1.5, y + 1.5, Math.max(1, w - 3), Math.max(1, h - 3));
    }
    g.setLineDash([]);
    g.restore();
    const labels = new Labels(g, this.canvas.clientWidth, this.top + this.height + this.bottom);
    this.notes(labels);
    this.names(labels, shown);
    const here = step || (boxes.length > 0 && stepAt(boxes[0][4].live[0][0]));
    if (here && this.slant !== null) this.stepLabel(g, here, colour("--text"));
  }

  // The places where two buffers share bytes: x, y, width, height, overlap. Also the points from
  // which others cover a buffer, and the buffers with stripes.
  findBands() {
    this.bands = [];
    this.covered = new Map();
    this.hatched = new Set(this.overlaps.flatMap((o) => o.buffers));
    for (const o of this.overlaps) {
      const [a, b] = o.buffers;
      const lower = Math.max(a.offset, b.offset);
      const upper = Math.min(a.offset + a.size_bytes, b.offset + b.size_bytes);
      for (const [from, to] of o.live) {
        const x = this.x(from), y = this.y(upper);
        const w = Math.max(1, this.x(to) - x), h = Math.max(1, this.y(lower) - y);
        if (x + w < this.left || x > this.left + this.width) continue;
        this.bands.push([x, y, w, h, o]);
        this.covered.set(a, Math.min(x, this.covered.get(a) ?? x));
      }
    }
  }

  // Faint stripes in the colour of the buffer below, and a dashed line along its edges.
  hatch(g, [x, y, w, h, o]) {
    const [dying, begun] = o.buffers;
    const ink = (b) => isFilled(b) ? markFill() : fillOf(b, this.fills);
    g.save();
    g.beginPath();
    g.rect(x, y, w, h);
    g.clip();
    g.fillStyle = ink(begun);
    g.fillRect(x, y, w, h);
    g.strokeStyle = ink(dying);
    g.globalAlpha = 0.3;
    g.lineWidth = 4;
    g.beginPath();
    // The stripes of all places continue each other.
    const gap = 11.5, first = (x + y) - (x + y) % gap;
    for (let sum = first; sum < x + y + w + h + gap; sum += gap) {
      g.moveTo(sum - y + 4, y - 4);
      g.lineTo(sum - y - h - 4, y + h + 4);
    }
    g.stroke();
    g.restore();
    g.save();
    g.beginPath();
    g.rect(x, this.top, w, this.height);
    g.clip();
    const lines = (b, dash) => {
      g.setLineDash(dash);
      g.beginPath();
      for (const at of [b.offset, b.offset + b.size_bytes]) { g.moveTo(x, this.y(at)); g.lineTo(x + w, this.y(at)); }
      g.stroke();
    };
    g.strokeStyle = colour("--card");
    g.lineWidth = 1.5;
    lines(begun, []);
    lines(dying, [5, 4]);
    g.setLineDash([]);
    g.restore();
  }

  bandAt(x, y) {
    return this.bands.findLast(([bx, by, w, h]) => x >= bx && x < bx + w && y >= by && y < by + h);
  }

  // The names and sizes of boxes that are large enough for them, where nothing covers the box.
  names(labels, boxes) {
    const crossed = this.wide ? (box) => this.isCrossed(box) : undefined;
    for (const [x, y, w, h, b, fill] of boxes) {
      if (h < 18 || w < 20) continue;
      const begin = Math.max(x, this.left);
      const end = Math.min(x + w, this.left + this.width, this.covered.get(b) ?? Infinity);
      labels.within([begin, y, end - begin, h], [mapName(b), short(b.size_bytes)], fill, crossed);
    }
  }

  // Whether a line goes through a rectangle: the bound, the peak, or the curve of live bytes.
  isCrossed([x, y, w, h]) {
    const {lower_bound_bytes: bound, peak} = this.pool;
    const middle = peak ? (this.x(peak.tick) + this.x(peak.tick + 1)) / 2 : -1;
    if (middle > x && middle < x + w || bound > 0 && this.y(bound) > y && this.y(bound) < y + h) return true;
    // The curve is vertical at its changes, and level between them.
    let live = 0;
    for (const [tick, next] of this.curve) {
      const at = this.x(tick);
      if (at > x && this.y(live) > y && this.y(live) < y + h) return true;
      if (at >= x + w) return false;
      const top = this.y(Math.max(live, next)), end = this.y(Math.min(live, next));
      if (at > x && top < y + h && end > y) return true;
      live = next;
    }
    return this.y(live) > y && this.y(live) < y + h;
  }

  axes(g) {
    const muted = colour("--muted"), line = colour("--line"), bottom = this.top + this.height;
    g.lineWidth = 1;
    g.textAlign = "right";
    for (const [at, text] of this.levels) {
      const y = Math.round(this.y(at)) + 0.5;
      g.strokeStyle = line;
      g.beginPath(); g.moveTo(this.left, y); g.lineTo(this.left + this.width, y); g.stroke();
      g.fillStyle = muted;
      g.fillText(text, this.left - 8, y + 4);
    }
    g.fillStyle = muted;
    g.save();
    g.translate(14, this.top + this.height / 2);
    g.rotate(-Math.PI / 2);
    g.textAlign = "center";
    g.fillText("address in the pool", 0, 0);
    g.restore();
    if (this.slant !== null) this.stepLabels(g, bottom, muted, line);
    else this.timeMarks(g, bottom, muted);
    g.textAlign = "left";
  }

  // Round numbers below the map, as many as there is room for.
  timeMarks(g, bottom, ink) {
    const total = this.byStep ? this.steps.length : report.ticks, shown = total * (this.to - this.from);
    const room = g.measureText(bytes(Math.ceil(total * this.to))).width + 18;
    const step = roundStep(shown, Math.max(1, Math.floor(this.width / room)), 1);
    const from = Math.ceil(total * this.from / step) * step, end = this.left + this.width;
    g.fillStyle = ink;
    for (let at = from; at <= total * this.to + 1e-6; at += step) {
      // Operators count from 1, and each has a width.
      if (this.byStep && at === 0) continue;
      const part = ((this.byStep ? at - 0.5 : at) / total - this.from) / (this.to - this.from);
      const text = bytes(Math.round(at)), half = g.measureText(text).width / 2, x = this.left + this.width * part;
      if (x < this.left || x > end) continue;
      g.textAlign = "left";
      g.fillText(text, Math.min(end + this.right, x + half) - 2 * half, bottom + 18);
      g.fillRect(Math.round(x), bottom, 1, 5);
    }
    g.textAlign = "center";
    g.fillText(this.byStep ? "operators in order" : report.entry ? "ticks: statements in order" : "ticks of the problem",
               this.left + this.width / 2, bottom + 38);
  }

  stepLabels(g, bottom, muted, line) {
    for (const s of this.steps) {
      const x = Math.round(this.x(s.live[0])) + 0.5;
      if (x >= this.left && x <= this.left + this.width) {
        g.strokeStyle = line;
        g.beginPath(); g.moveTo(x, this.top); g.lineTo(x, bottom); g.stroke();
      }
      this.stepLabel(g, s, muted);
    }
  }

  stepLabel(g, s, ink) {
    const middle = (this.x(s.live[0]) + this.x(s.live[1])) / 2, text = label(s.label);
    if (middle < this.left - 1 || middle > this.left + this.width + 1) return;
    const long = Math.cos(this.slant) * g.measureText(text).width;
    if (this.slant > 0 ? middle < long : middle < long / 2) return;
    g.save();
    g.translate(middle + (this.slant > 0 ? 3 : 0), this.top + this.height + (this.slant > 0 ? 12 : 16));
    g.rotate(-this.slant);
    g.textAlign = this.slant > 0 ? "right" : "center";
    g.fillStyle = ink;
    g.fillText(text, 0, 4);
    g.restore();
  }

  // Remarks at the lines.
  notes(labels) {
    const {size_bytes: size, lower_bound_bytes: bound, peak} = this.pool, {g} = labels;
    const right = this.left + this.width, met = bound > 0 && bound === size;
    if (peak) {
      const x = (this.x(peak.tick) + this.x(peak.tick + 1)) / 2;
      if (x >= this.left && x <= right) {
        labels.note("peak: " + short(peak.live_bytes) + " live", x + 8, [0], colour("--curve"), x > right - 160);
        g.fillStyle = colour("--curve");
        g.beginPath();
        g.moveTo(x - 5, 18); g.lineTo(x + 5, 18); g.lineTo(x, 27);
        g.fill();
      }
    }
    labels.note((met ? "pool size = lower bound: " : "pool size: ") + short(size), right,
                [this.y(size) - 20, this.y(size) + 3], colour("--text"), true);
    if (this.limit > size) {
      labels.note("capacity: " + short(this.limit) + ", " + short(this.pool.free_bytes) + " free", this.left + 2,
                  [this.y(this.limit) - 20, this.y(this.limit) + 3], colour("--muted"));
    }
    if (bound > 0 && !met) {
      const y = this.y(bound);
      labels.note("lower bound: " + short(bound), right, [y - 20, y + 3, y + 21, y + 39], colour("--good"), true);
    }
  }

  // The size, the bound, the peak, and over them the live bytes.
  lines(g) {
    const {size_bytes: size, lower_bound_bytes: bound, peak} = this.pool, right = this.left + this.width;
    g.lineWidth = 1.25;
    const level = (at, dash, ink, from = this.left) => {
      const y = Math.round(this.y(at)) + 0.5;
      g.strokeStyle = ink;
      g.setLineDash(dash);
      g.beginPath(); g.moveTo(from, y); g.lineTo(right, y); g.stroke();
    };
    if (this.limit > size) level(this.limit, [2, 3], colour("--muted"));
    // Two lines at one place are dashes in turn.
    const met = bound === size;
    level(size, met ? [6, 6] : [], colour("--text"));
    if (bound > 0) level(bound, met ? [6, 6] : [6, 4], colour("--bound"), this.left + (met ? 6 : 0));
    g.strokeStyle = colour("--curve");
    if (peak) {
      const x = (this.x(peak.tick) + this.x(peak.tick + 1)) / 2;
      g.setLineDash([3, 3]);
      g.beginPath(); g.moveTo(x, this.top - 4); g.lineTo(x, this.top + this.height);
      g.stroke();
    }
    g.setLineDash([]);
    if (this.ridge) {
      g.fillStyle = colour("--curve");
      for (const [x, top, end] of this.ridge) g.fillRect(x, top, 1, end - top);
      return;
    }
    // With a rim, so that it shows on every colour; a thin one where it would cover the content below.
    g.lineJoin = "round";
    g.strokeStyle = colour("--card");
    g.lineWidth = this.wide ? 4.5 : 3;
    g.stroke(this.path);
    g.strokeStyle = colour("--curve");
    g.lineWidth = this.wide ? 1.75 : 1.25;
    g.stroke(this.path);
  }

  // The live bytes as a path with every change. If there are more changes than points, as columns
  // from the maximum at one point to the maximum at the next.
  trace() {
    const right = this.left + this.width;
    let seen = 0;
    for (const [tick] of this.curve) {
      const x = this.x(tick);
      if (x >= this.left && x <= right) ++seen;
    }
    this.wide = seen * 5 < this.width;
    this.ridge = seen * 2 < this.width ? null : this.columns(right);
    let y = this.y(0), data = `M${this.left} ${round(y)}`;
    this.path = new Path2D();
    if (this.ridge) return;
    for (const [tick, live] of this.curve) {
      const x = this.x(tick);
      data += `H${round(x)}`;
      y = this.y(live);
      data += `V${round(y)}`;
    }
    this.path = new Path2D(data);
    this.path.data = data;
  }

  columns(right) {
    const tops = new Float64Array(Math.ceil(right - this.left) + 1).fill(-1);
    let live = 0, from = 0;
    const reach = (to) => {
      for (let i = Math.max(0, from); i <= Math.min(to, tops.length - 1); ++i) tops[i] = Math.max(tops[i], live);
      from = to;
    };
    for (const [tick, next] of this.curve) {
      reach(Math.floor(this.x(tick) - this.left));
      live = next;
      reach(from);
    }
    const found = [];
    let last = this.y(0);
    tops.forEach((top, i) => {
      if (top < 0) return;
      const y = this.y(top);
      found.push([this.left + i, Math.min(y, last), Math.max(y, last) + 1.25]);
      last = y;
    });
    return found;
  }

  hover(event) {
    if (this.pointers.size > 0) return;
    const place = this.canvas.getBoundingClientRect();
    const band = this.bandAt(event.clientX - place.left, event.clientY - place.top);
    if (!band) return super.hover(event);
    showOverlapTip(event, band[4]);
    pointAt(band[4].buffers[1]);
  }

  press(event) {
    this.pointers.set(event.pointerId, event.clientX);
    this.moved = false;
  }

  release(event) { this.pointers.delete(event.pointerId); }

  // One pointer pans. Two pointers zoom around their middle.
  pull(event) {
    const last = this.pointers.get(event.pointerId);
    if (last === undefined) return;
    const before = this.spread();
    this.pointers.set(event.pointerId, event.clientX);
    this.moved = this.moved || Math.abs(event.clientX - last) > 1;
    const after = this.spread(), places = [...this.pointers.values()];
    if (places.length === 1) this.panBy((last - event.clientX) / this.width);
    else if (before > 0 && after > 0)
      this.zoomBy(before / after, this.partAt(places.reduce((sum, x) => sum + x, 0) / places.length));
  }

  spread() {
    const places = [...this.pointers.values()];
    return Math.max(...places) - Math.min(...places);
  }

  pressKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const act = {
      ArrowLeft: () => this.panBy(-0.1), ArrowRight: () => this.panBy(0.1),
      "+": () => this.zoomBy(0.5), "=": () => this.zoomBy(0.5), "-": () => this.zoomBy(2),
      Home: () => { this.reset(); this.drawSoon(); },
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // By a part of the visible time.
  panBy(part) {
    const by = Math.max(-this.from, Math.min(1 - this.to, part * (this.to - this.from)));
    this.from += by; this.to += by;
    this.drawSoon();
  }

  // The part of the visible time at a place of the window.
  partAt(x) {
    const box = this.canvas.getBoundingClientRect();
    return Math.max(0, Math.min(1, (x - box.left - this.left) / this.width));
  }

  // Around the middle, or around the pointer.
  zoomBy(factor, part = 0.5) {
    const at = this.from + part * (this.to - this.from);
    const span = Math.min(1, Math.max(1e-4, (this.to - this.from) * factor));
    this.from = Math.max(0, Math.min(1 - span, at - part * span));
    this.to = this.from + span;
    this.drawSoon();
  }

  zoom(event) {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const turn = event.deltaY || event.deltaX;
    this.zoomBy(turn > 0 ? 1.25 : 0.8, this.partAt(event.clientX));
  }
}
