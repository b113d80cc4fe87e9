// By address; a constant inside another one comes after it.
const constantsIn = (pool) => buffers.filter((b) => b.pool === pool && b.size_bytes > 0)
  .sort((a, b) => a.offset - b.offset || b.size_bytes - a.size_bytes);
const nameOf = (b) => b.data ? b.data.name : b.name.replace(/_let$/, "");
// The possible names of a constant on a picture: its name, or the operator that reads it.
const namesOf = (b) => [nameOf(b), ...stepsOf(b, "read").slice(0, 1).map((step) => label(step.label))];

// The constants of a pool, and those of no pool, with bytes of several constants once.
function distinctIn(pool) {
  let reached = 0;
  return constantsIn(pool).filter((b) => {
    const is_new = b.offset + b.size_bytes > reached;
    reached = Math.max(reached, b.offset + b.size_bytes);
    return is_new;
  });
}
const distinctOutside = () => [...new Map(buffers.filter((b) => b.kind === "constant" && b.pool === null && b.size_bytes > 0 &&
  !(b.data && b.data.base)).map((b) => [b.data || b, b])).values()];

// Constants as tiles with areas as their bytes, in rows as square as they come (Bruls, Huizing and
// van Wijk, "Squarified Treemaps", 2000).
class Tiles extends Picture {
  constructor(name, where, rows) {
    super("Sizes of the constants in " + where + "; the table below has the same data");
    this.rows = rows.sort((a, b) => b.size_bytes - a.size_bytes);
    this.name = name;
  }

  layout(width, height) {
    const total = this.rows.reduce((sum, b) => sum + b.size_bytes, 0) || 1;
    const scale = width * height / total;
    let x = 0, y = 0, w = width, h = height, at = 0;
    while (at < this.rows.length && w > 0.5 && h > 0.5) {
      const side = Math.min(w, h);
      let sum = 0, count = 0, worst = Infinity;
      while (at + count < this.rows.length) {
        const area = this.rows[at + count].size_bytes * scale, next = sum + area;
        const largest = this.rows[at].size_bytes * scale, thick = next / side;
        const ratio = Math.max(largest / thick / thick, thick * thick / area);
        if (ratio > worst) break;
        worst = ratio; sum = next; ++count;
      }
      const thick = sum / side;
      let along = 0;
      for (let i = 0; i < count; ++i) {
        const long = this.rows[at + i].size_bytes * scale / thick;
        this.boxes.push(w >= h ? [x, y + along, thick, long, this.rows[at + i]]
                               : [x + along, y, long, thick, this.rows[at + i]]);
        along += long;
      }
      if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
      at += count;
    }
  }

  render() {
    const [g, width] = this.fit(200);
    this.layout(width, 200);
    const fills = allFills();
    for (const [x, y, w, h, b] of this.boxes) this.tile(g, x, y, w, h, b, fillOf(b, fills));
  }

  mark(g) {
    for (const [x, y, w, h, b] of this.boxes) if (marked.has(b)) this.tile(g, x, y, w, h, b, markFill());
  }

  // With the name in several lines, and the size, as far as they fit.
  tile(g, x, y, w, h, b, fill) {
    g.fillStyle = fill;
    g.fillRect(x, y, Math.max(0.5, w - 1), Math.max(0.5, h - 1));
    if (h < 18 || w < 40) return;
    const size = short(b.size_bytes), names = namesOf(b).map(
      (name, i) => i === 0 ? brokenName(g, name, w - 12) : g.measureText(name).width <= w - 12 ? [name] : null);
    const name = names.find((lines) => lines && 15 * lines.length + 4 <= h);
    const lines = name || (g.measureText(size).width <= w - 12 ? [size] : []);
    if (name && 15 * name.length + 19 <= h && g.measureText(size).width <= w - 12) lines.push(size);
    g.fillStyle = inkOn(fill);
    lines.forEach((line, i) => g.fillText(line, x + 6, y + 15 + 15 * i));
  }
}

// A constant pool from its first byte to its last, one line below the other. Bytes with several
// uses are hatched; bytes without a colour are padding.
const kLineHeight = 26, kLineGap = 4, kAxis = 70;
class ConstantMap extends Picture {
  constructor(name, pool) {
    super("Addresses of the constants in the pool " + name + ": " + bytes(pool.size_bytes) + " bytes for " +
          bytes(pool.buffers) + " constants; the table below has the same data");
    this.name = name;
    this.size = Math.max(1, pool.size_bytes);
    this.rows = constantsIn(name);
    // Lines begin at round addresses.
    const wanted = Math.max(1, Math.min(10, Math.ceil(this.rows.length / 8)));
    this.line = wanted === 1 ? this.size : Math.ceil(kUnit.bytes * roundStep(this.size / kUnit.bytes, wanted));
    this.lines = Math.ceil(this.size / this.line);
  }

  // The parts of a buffer on the lines: x, line, width.
  parts(b, width) {
    const {line} = this, end = b.offset + b.size_bytes, all = [];
    for (let i = Math.floor(b.offset / line); i < this.lines && i * line < end; ++i) {
      const from = Math.max(b.offset, i * line), to = Math.min(end, (i + 1) * line);
      if (to > from) all.push([(from - i * line) / line * width, i, (to - from) / line * width]);
    }
    return all;
  }

  render() {
    const [g, full] = this.fit(this.lines * (kLineHeight + kLineGap)), width = full - kAxis;
    const fills = allFills();
    const shared = [], all = [];
    let reached = 0;
    for (const b of this.rows) {
      const within = b.offset < reached, hatched = isShared(b) || within;
      // Uses of the same bytes are one box.
      const again = all.length > 0 && all[all.length - 1].offset === b.offset &&
                    all[all.length - 1].size_bytes === b.size_bytes;
      reached = Math.max(reached, b.offset + b.size_bytes);
      if (again) continue;
      all.push(b);
      for (const [x, line, w] of this.parts(b, width)) {
        const inset = within ? 7 : 0;
        const box = [kAxis + x, line * (kLineHeight + kLineGap) + inset, Math.max(0.5, w > 3 ? w - 1 : w),
                     kLineHeight - inset, b, fillOf(b, fills)];
        this.boxes.push(box);
        if (hatched) shared.push(box);
      }
    }
    g.fillStyle = colour("--line");
    for (let i = 0; i < this.lines; ++i) {
      const part = Math.min(1, this.size / this.line - i);
      g.fillRect(kAxis, i * (kLineHeight + kLineGap), part * width, kLineHeight);
    }
    this.fillSmall(g, this.boxes);
    for (const box of shared.slice(0, 4000)) this.hatch(g, box);
    for (const box of this.boxes) if (box[2] > 44) this.label(g, box);
    g.fillStyle = colour("--muted");
    for (let i = 0; i < this.lines; ++i) {
      g.fillText(short(i * this.line).replace(/\.0+ /, " "), 0, i * (kLineHeight + kLineGap) + 17);
    }
  }

  hatch(g, [x, y, w, h]) {
    g.save();
    g.beginPath(); g.rect(x, y, w, h); g.clip();
    g.strokeStyle = colour("--card");
    g.lineWidth = 1.5;
    g.beginPath();
    for (let at = x - h; at < x + w; at += 7) { g.moveTo(at, y + h); g.lineTo(at + h, y); }
    g.stroke();
    g.restore();
  }

  label(g, [x, y, w, h, b, fill]) {
    const text = namesOf(b).find((name) => g.measureText(name).width <= w - 14);
    if (text === undefined) return;
    g.fillStyle = fill;
    g.fillRect(x + 3, y + 3, g.measureText(text).width + 6, h - 6);
    g.fillStyle = inkOn(fill);
    g.fillText(text, x + 6, y + h / 2 + 4);
  }

  mark(g) {
    g.fillStyle = markFill();
    const width = this.canvas.clientWidth - kAxis;
    for (const b of this.rows) {
      if (!marked.has(b)) continue;
      for (const [x, line, w] of this.parts(b, width)) {
        g.fillRect(kAxis + x, line * (kLineHeight + kLineGap), Math.max(2, w), kLineHeight);
      }
    }
  }
}
