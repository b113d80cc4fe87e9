// The texts of a picture: none is cut, none covers another one, and each has a ground of one colour.
class Labels {
  constructor(g, width, height) {
    Object.assign(this, {g, width, height, taken: []});
  }

  isFree([x, y, w, h]) {
    return x >= 0 && y >= 0 && x + w <= this.width && y + h <= this.height &&
      this.taken.every(([ox, oy, ow, oh]) => x >= ox + ow || ox >= x + w || y >= oy + oh || oy >= y + h);
  }

  // Lines of text with the left upper corner at x, y on a ground.
  draw(lines, [x, y, w, h], ground, ink) {
    const {g} = this;
    g.textAlign = "left";
    g.fillStyle = ground;
    g.fillRect(x, y, w, h);
    g.fillStyle = ink;
    lines.forEach((line, i) => g.fillText(line, x + 4, y + 13 + 15 * i));
  }

  boxOf(lines, x, y) {
    return [x, y, Math.max(...lines.map((line) => this.g.measureText(line).width)) + 8, 15 * lines.length + 3];
  }

  // A remark, at the first free of several heights, and as near to x as it fits. At x is the left end or the right end.
  note(text, x, heights, ink, isRight = false) {
    const long = this.boxOf([text], 0, 0)[2];
    const left = Math.max(0, Math.min(this.width - long, isRight ? x - long : x));
    for (const y of heights) {
      const box = this.boxOf([text], left, y);
      if (!this.isFree(box)) continue;
      this.draw([text], box, colour("--card"), ink);
      this.taken.push(box);
      return;
    }
  }

  // The label of a box of one colour: a name and a size, or one of them; level, or upright in boxes that are too narrow. None
  // in less than 40 points. `avoid(box)` are places that another one is better than.
  within(box, [name, size], fill, avoid = () => false) {
    const ways = [() => this.level(box, [name, size], fill, avoid), () => this.level(box, [name], fill, avoid),
                  () => this.upright(box, name + " \u00b7 " + size, fill, avoid), () => this.upright(box, name, fill, avoid),
                  () => this.level(box, [size], fill, avoid), () => this.upright(box, size, fill, avoid)];
    ways.find((way) => way());
  }

  // The first free one of some places, if there is any.
  best(places, avoid) {
    const free = places.filter((box) => this.isFree(box)), box = free.find((place) => !avoid(place)) || free[0];
    if (box) this.taken.push(box);
    return box;
  }

  level([x, y, w, h], lines, fill, avoid) {
    const [, , long, high] = this.boxOf(lines, 0, 0);
    if (long + 4 > w || high + 2 > h || w < 40) return false;
    const heights = [3, (h - high) / 2, h - high - 3], sides = [x + 3, x + w - long - 3];
    const box = this.best(sides.flatMap((left) => heights.map((dy) => [left, y + Math.max(1, dy), long, high])), avoid);
    if (box) this.draw(lines, box, fill, inkOn(fill));
    return Boolean(box);
  }

  upright([x, y, w, h], text, fill, avoid) {
    const {g} = this, long = g.measureText(text).width + 8;
    if (w < 20 || long + 6 > h || long < 40) return false;
    const box = this.best([y + h - long - 3, y + (h - long) / 2, y + 3].map((top) => [x + w / 2 - 9, top, 18, long]), avoid);
    if (!box) return false;
    g.fillStyle = fill;
    g.fillRect(...box);
    g.save();
    g.translate(box[0] + 13, box[1] + long - 4);
    g.rotate(-Math.PI / 2);
    g.textAlign = "left";
    g.fillStyle = inkOn(fill);
    g.fillText(text, 0, 0);
    g.restore();
    return true;
  }
}

// A name in lines of at most `width` points, cut after `_`, `/`, `.` and `-`; null if a part is wider.
function brokenName(g, name, width) {
  const lines = [];
  for (const part of name.match(/[^_/.-]*[_/.-]*/g)) {
    if (part === "") continue;
    if (g.measureText(part).width > width) return null;
    const last = lines.length - 1;
    if (last >= 0 && g.measureText(lines[last] + part).width <= width) lines[last] += part;
    else lines.push(part);
  }
  return lines;
}
