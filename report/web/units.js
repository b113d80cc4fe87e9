// Sizes have one unit on the whole page, that of its largest total: bytes below 10 KiB, and MiB from 1024 KiB on.
// Tables and tips have exact bytes.
const kUnit = (() => {
  const most = Math.max(report.ram_bytes, report.constant_bytes + (report.code_bytes || 0));
  if (most < 10240) return {name: "B", bytes: 1};
  const names = ["KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(names.length, Math.floor(Math.log2(most) / 10));
  return {name: names[power - 1], bytes: 1024 ** power};
})();

// A size in the page's unit.
function short(n) {
  if (n === 0) return "0 " + kUnit.name;
  if (kUnit.bytes === 1) return bytes(Math.round(n)) + " B";
  const value = n / kUnit.bytes, digits = kUnit.name === "KiB" || Math.abs(value) >= 100 ? 1 : 2;
  const least = 1 / 10 ** digits;
  if (n > 0 && value < least / 2) return "< " + least + " " + kUnit.name;
  return value.toLocaleString("en", {minimumFractionDigits: digits, maximumFractionDigits: digits}) + " " + kUnit.name;
}

// The same as an element, with the exact bytes in its tip.
const sized = (n, text = short(n)) => make("span", {title: bytes(n) + " bytes"}, text);

// The least of 1, 2, 5, 10, 20, 50, ... that makes at most `most` steps in `range`. Not below `least`, a power of 10.
function roundStep(range, most, least = 0) {
  const wanted = Math.max(range / most, 1e-9), power = 10 ** Math.floor(Math.log10(wanted) + 1e-9);
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= wanted * (1 - 1e-9));
  return Math.max(step, least);
}

// Marks of an axis of sizes up to `most` bytes: [bytes, text].
function sizeMarks(most, count) {
  const step = roundStep(most / kUnit.bytes, count, kUnit.bytes === 1 ? 1 : 0);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), marks = [];
  for (let i = 0; i * step * kUnit.bytes <= most; ++i) {
    marks.push([i * step * kUnit.bytes, (i * step).toLocaleString("en",
      {minimumFractionDigits: i > 0 ? digits : 0, maximumFractionDigits: digits}) + " " + kUnit.name]);
  }
  return marks;
}
