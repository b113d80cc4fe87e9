#include "report/html_page.h"

namespace tenon {

const std::string_view kHtmlPoolScript = R"js(
function peakPanel(pool) {
  const peak = pool.peak;
  const bar = make("div", {class: "bar"});
  const shades = makeShades();
  const biggest = peak.live.length ? buffers[peak.live[0]].size_bytes : 1;
  for (const index of peak.live.slice(0, 400)) {
    const b = buffers[index];
    const part = make("span", {});
    part.style.flex = b.size_bytes + " 1 0";
    part.style.background = shadeOf(b.size_bytes, biggest, shades);
    part.addEventListener("mousemove", (e) => showTip(e, b));
    part.addEventListener("mouseleave", () => showTip(null, null));
    bar.append(part);
  }
  const step = stepAt(peak.tick);
  const where = "Peak at tick " + bytes(peak.tick) + (step ? ", in " + label(step.label) : "") +
    (peak.line ? ", line " + peak.line : "") + ": " + bytes(peak.live.length) + " buffers with " +
    bytes(peak.live_bytes) + " bytes are live";
  return make("div", {class: "peak"}, make("div", {}, where), bar,
              peak.statement ? make("code", {}, peak.statement) : "");
}

function poolCard(name, pool, maps) {
  const facts = [bytes(pool.size_bytes) + " bytes", bytes(pool.buffers) + " buffers",
                 "alignment " + pool.alignment];
  if (pool.lower_bound_bytes > 0) facts.push("lower bound " + bytes(pool.lower_bound_bytes));
  const head = make("div", {class: "head"}, make("h2", {}, name),
    make("span", {class: "facts"}, pool.kind + " \u00b7 " + facts.join(" \u00b7 ") + " ",
         pool.proven_optimal ? make("span", {class: "good"}, "\u2713 optimal") : ""));
  const card = make("section", {class: "card"}, head);
  if (pool.kind === "constant") {
    const tiles = new Tiles(name);
    maps.push(tiles);
    card.append(tiles.canvas);
    return card;
  }
  const map = new AddressMap(name, pool);
  if (map.rows.length === 0) {
    card.append(make("div", {class: "facts"}, "No lifetimes are known for this pool."));
    return card;
  }
  maps.push(map);
  if (map.steps.length > 1) {
    const choice = make("select", {"aria-label": "time axis", onchange: () => {
      map.byStep = choice.value === "steps";
      map.reset();
      map.draw();
    }}, make("option", {value: "steps"}, "time by operator"),
        make("option", {value: "ticks"}, "time by statement"));
    head.append(make("span", {class: "tools"}, choice));
  }
  const mark = (name, style, text) => {
    const line = make("i", {});
    line.style.borderTopStyle = style;
    line.style.borderTopColor = "var(" + name + ")";
    return make("span", {}, line, text);
  };
  card.append(map.canvas, make("div", {class: "legend"},
    make("span", {}, "small", make("span", {class: "ramp"}), "large"),
    mark("--text", "solid", "size of the pool"), mark("--good", "dashed", "lower bound"),
    mark("--curve", "solid", "live bytes"), mark("--curve", "dotted", "peak"),
    make("span", {}, "shift + wheel zooms, drag pans, double click resets")));
  if (pool.peak) card.append(peakPanel(pool));
  return card;
}

(() => {
  const maps = [], to = document.getElementById("pools");
  const pools = Object.entries(report.pools)
    .sort((a, b) => (a[1].kind === "constant") - (b[1].kind === "constant"));
  for (const [name, pool] of pools) to.append(poolCard(name, pool, maps));
  const drawAll = () => maps.forEach((m) => m.draw());
  drawAll();
  addEventListener("resize", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
})();
)js";

}  // namespace tenon
