// A context that writes SVG: what the maps use of CanvasRenderingContext2D. Clips are rectangles.
class SvgContext {
  constructor(width, height, ruler) {
    Object.assign(this, {width, height, ruler, parts: [], saved: [], clips: 0, data: "", isSvg: true,
                         fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, globalAlpha: 1, textAlign: "left",
                         lineJoin: "miter", dash: [], moves: "", clipped: ""});
  }
  get state() {
    const {fillStyle, strokeStyle, lineWidth, globalAlpha, textAlign, lineJoin, dash, moves, clipped} = this;
    return {fillStyle, strokeStyle, lineWidth, globalAlpha, textAlign, lineJoin, dash, moves, clipped};
  }
  save() { this.saved.push(this.state); }
  restore() { Object.assign(this, this.saved.pop()); }
  translate(x, y) { this.moves += `translate(${round(x)} ${round(y)})`; }
  rotate(angle) { this.moves += `rotate(${round(angle * 180 / Math.PI)})`; }
  setLineDash(dash) { this.dash = dash; }
  measureText(text) { return this.ruler.measureText(text); }
  beginPath() { this.data = ""; }
  moveTo(x, y) { this.data += `M${round(x)} ${round(y)}`; }
  lineTo(x, y) { this.data += `L${round(x)} ${round(y)}`; }
  rect(x, y, w, h) { this.data += `M${round(x)} ${round(y)}h${round(w)}v${round(h)}h${round(-w)}z`; }
  clip() {
    const name = "c" + ++this.clips;
    this.parts.push(`<clipPath id="${name}"${this.clipped}><path d="${this.data}"/></clipPath>`);
    this.clipped = ` clip-path="url(#${name})"`;
  }
  add(tag, attributes, content = "") {
    const moved = this.moves && ` transform="${this.moves}"`;
    const alpha = this.globalAlpha < 1 ? ` opacity="${round(this.globalAlpha)}"` : "";
    const part = `<${tag} ${attributes}${moved}${alpha}` + (content ? `>${content}</${tag}>` : "/>");
    // A clip holds in the coordinates around a movement.
    this.parts.push(this.clipped ? `<g${this.clipped}>${part}</g>` : part);
  }
  get pen() {
    return `fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"` +
      (this.lineJoin === "round" ? ' stroke-linejoin="round"' : "") +
      (this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "");
  }
  stroke(path) { this.add("path", `d="${path ? path.data : this.data}" ${this.pen}`); }
  fill() { this.add("path", `d="${this.data}" fill="${this.fillStyle}"`); }
  fillRect(x, y, w, h) {
    this.add("rect", `x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" fill="${this.fillStyle}"`);
  }
  strokeRect(x, y, w, h) {
    this.add("rect", `x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" ${this.pen}`);
  }
  fillText(text, x, y) {
    const anchor = {right: "end", center: "middle"}[this.textAlign];
    this.add("text", `x="${round(x)}" y="${round(y)}" fill="${this.fillStyle}"` +
             (anchor ? ` text-anchor="${anchor}"` : ""), escaped(text));
  }
  text(title) {
    const {width, height} = this;
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
      `viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">\n` +
      `<title>${escaped(title)}</title>\n<rect width="100%" height="100%" fill="${colour("--card")}"/>\n` +
      this.parts.join("\n") + "\n</svg>\n";
  }
}
const round = (x) => Number(x.toFixed(2));
// Control characters are not allowed in XML, not even escaped.
const escaped = (text) => String(text).replace(/[\u0000-\u0008\u000b-\u001f]/g, "\ufffd").replace(
  /[&<>"]/g, (c) => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"})[c]);

// A table with a line for its heads, as RFC 4180 has it. Numbers have no separators.
function csvOf(columns, rows) {
  const value = (c, row) => {
    const v = (c.raw || c.value)(row);
    return v === -1 && !c.signed ? "" : String(v);
  };
  const cell = (text) => /[",\r\n]/.test(text) ? "\"" + text.replaceAll("\"", "\"\"") + "\"" : text;
  return [columns.map((c) => c.title), ...rows.map((row) => columns.map((c) => value(c, row)))]
    .map((line) => line.map(cell).join(",") + "\r\n").join("");
}

// Gives the text to the browser as a file.
function saveFile(name, type, text) {
  const link = make("a", {download: name.replace(/[^\w.-]+/g, "_"), href: URL.createObjectURL(new Blob([text], {type}))});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
const saveButton = (what, title, act) => make("button", {title, "aria-label": title, onclick: act}, what);
