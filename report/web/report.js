"use strict";
// Buffers come as columns: a list with an entry for each buffer, or one value for all.
function decode(columns) {
  const {count, texts, shapes, more} = columns, found = new Array(count);
  const [name, constant, of, dtype, shape, size, pool, unplaced, offset, first, ticks, line, data] = ["name",
    "constant", "function", "dtype", "shape", "size", "pool", "unplaced", "offset", "first", "ticks",
    "line", "data"].map((key) => Array.isArray(columns[key]) ? columns[key] : new Array(count).fill(columns[key]));
  for (let i = 0; i < count; ++i) {
    const live = first[i] < 0 ? [] : [[first[i], first[i] + ticks[i]]];
    found[i] = {name: name[i], kind: constant[i] ? "constant" : "workspace", function: texts[of[i]],
                dtype: texts[dtype[i]], shape: shapes[shape[i]], size_bytes: size[i],
                pool: texts[pool[i]] || null, unplaced: texts[unplaced[i]], offset: offset[i], live,
                line: line[i], data: data[i] < 0 ? null : report.constants[data[i]]};
  }
  for (const [i, rest] of Object.entries(more)) found[i].live.push(...rest);
  return found;
}

const report = JSON.parse(document.getElementById("report").textContent);
const buffers = decode(report.columns);
const tip = document.getElementById("tip");
const bytes = (n) => n.toLocaleString("en");

function make(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

// The ends of names often tell them apart.
const cut = (name, most) => name.length <= most ? name
  : name.slice(0, Math.ceil(0.6 * most)) + "\u2026" + name.slice(-Math.floor(0.4 * most));
// The short form of an operator's name. Different names have different forms.
const label = (name) => Object.hasOwn(report.labels, name) ? report.labels[name] : name;

function lifetime(b) {
  if (b.live.length === 0) return b.kind === "constant" ? "always" : "";
  const text = b.live.slice(0, 3).map((r) => bytes(r[0]) + "\u2013" + bytes(r[1])).join(", ");
  return b.live.length > 3 ? text + " and " + (b.live.length - 3) + " more" : text;
}

function stepAt(tick) {
  return report.steps.find((s) => s.live[0] <= tick && tick < s.live[1]);
}
