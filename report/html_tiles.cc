#include "report/html_page.h"

namespace tenon {

const std::string_view kHtmlTileScript = R"js(
// Constants as tiles with areas as their bytes, in rows as square as they come (Bruls, Huizing and
// van Wijk, "Squarified Treemaps", 2000).
class Tiles extends Picture {
  constructor(name) {
    super("Sizes of the constants in the pool " + name);
    this.rows = buffers.filter((b) => b.pool === name && b.size_bytes > 0)
      .sort((a, b) => b.size_bytes - a.size_bytes);
    this.name = name;
    this.canvas.addEventListener("click", () => { if (over) showRow(over); });
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
    const [g, width] = fit(this.canvas, 200);
    this.layout(width, 200);
    const shades = allShades(), biggest = this.rows.length ? this.rows[0].size_bytes : 1;
    for (const [x, y, w, h, b] of this.boxes) this.tile(g, x, y, w, h, b, shadeOf(b, biggest, shades));
  }

  mark(g) {
    for (const [x, y, w, h, b] of this.boxes) if (b === over) this.tile(g, x, y, w, h, b, kHover);
  }

  tile(g, x, y, w, h, b, shade) {
    g.fillStyle = shade;
    g.fillRect(x, y, Math.max(0.5, w - 1), Math.max(0.5, h - 1));
    if (h < 18 || w < 40) return;
    g.fillStyle = inkOn(shade);
    g.save();
    g.beginPath(); g.rect(x, y, w - 6, h); g.clip();
    g.fillText(b.name.replace(/_let$/, ""), x + 6, y + 15);
    if (h > 36) g.fillText(short(b.size_bytes), x + 6, y + 31);
    g.restore();
  }
}
)js";

}  // namespace tenon
