// Runs ahead of a page's own scripts, and measures what the page shows: the contrast of all texts and of the graphics
// of its canvases, texts that are cut or covered, texts on top of each other, and pages wider than their window. It
// looks at pixels and at what the browser computed, and knows nothing of how the page chooses colours and places.
"use strict";
const measured = (() => {
  const kText = 4.5, kGraphics = 3, errors = [];
  addEventListener("error", (event) => errors.push(`error: ${event.message}`));
  const drawnTexts = new Map(), drawnLines = new Map();
  const listOf = (map, canvas) => map.get(canvas) || map.set(canvas, []).get(canvas);

  // Colours: [red, green, blue, alpha], from 0 to 255 and 0 to 1.
  const ruler = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const colours = new Map();
  function parse(text) {
    if (!colours.has(text)) {
      ruler.clearRect(0, 0, 1, 1);
      ruler.fillStyle = text;
      ruler.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = ruler.getImageData(0, 0, 1, 1).data;
      colours.set(text, [r, g, b, a / 255]);
    }
    return colours.get(text);
  }
  const over = ([r, g, b, a], [br, bg, bb]) => [r * a + br * (1 - a), g * a + bg * (1 - a), b * a + bb * (1 - a), 1];
  const part = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  function contrast(a, b) {
    const x = luminance(a), y = luminance(b);
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  }
  // The colour of the ground of an element: the backgrounds of its ancestors, one over the other.
  function ground(element) {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
  }

  // Canvases. Pixels are read before and after a text or a line is drawn.
  const proto = CanvasRenderingContext2D.prototype;
  const {fillText, stroke, clearRect, getImageData} = proto;
  const read = (g, [x, y, w, h]) => getImageData.call(g, x, y, Math.max(1, w), Math.max(1, h)).data;
  const isSeen = (g) => document.documentElement.contains(g.canvas);

  proto.clearRect = function (x, y, w, h) {
    drawnTexts.delete(this.canvas);
    drawnLines.delete(this.canvas);
    clearRect.call(this, x, y, w, h);
  };
  proto.fillText = function (text, x, y) {
    if (!isSeen(this)) return fillText.call(this, text, x, y);
    const m = this.measureText(text), t = this.getTransform();
    const corners = [[-m.actualBoundingBoxLeft, -m.actualBoundingBoxAscent], [m.actualBoundingBoxRight, -m.actualBoundingBoxAscent],
                     [m.actualBoundingBoxRight, m.actualBoundingBoxDescent], [-m.actualBoundingBoxLeft, m.actualBoundingBoxDescent]]
      .map(([dx, dy]) => [t.a * (x + dx) + t.c * (y + dy) + t.e, t.b * (x + dx) + t.d * (y + dy) + t.f]);
    const box = boundsOf(corners), before = read(this, box);
    fillText.call(this, text, x, y);
    // As much ink as the text has without a clip.
    const alone = new OffscreenCanvas(Math.max(1, box[2]), Math.max(1, box[3])), h = alone.getContext("2d");
    h.setTransform(t.a, t.b, t.c, t.d, t.e - box[0], t.f - box[1]);
    h.font = this.font; h.textAlign = this.textAlign; h.fillStyle = "#000";
    h.fillText(text, x, y);
    const ink = h.getImageData(0, 0, alone.width, alone.height).data;
    listOf(drawnTexts, this.canvas).push({text, corners, box, before, after: read(this, box), ink, style: this.fillStyle});
  };
  proto.stroke = function (...path) {
    const kept = isSeen(this) && this.globalAlpha === 1 && this.lineWidth > 1;
    const all = kept && [0, 0, this.canvas.width, this.canvas.height];
    const before = kept && read(this, all);
    stroke.apply(this, path);
    if (kept) listOf(drawnLines, this.canvas).push({style: this.strokeStyle, before, after: read(this, all)});
  };

  function boundsOf(corners) {
    const xs = corners.map(([x]) => x), ys = corners.map(([, y]) => y);
    const left = Math.floor(Math.min(...xs)), top = Math.floor(Math.min(...ys));
    return [left, top, Math.ceil(Math.max(...xs)) - left, Math.ceil(Math.max(...ys)) - top];
  }
  const isInside = ([x, y], corners) => corners.every(([ax, ay], i) => {
    const [bx, by] = corners[(i + 1) % corners.length];
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0;
  });

  // The least contrast of an ink and the colours that have more than a fiftieth of the ground.
  function leastContrast(ink, pixels, base, wants) {
    const counts = new Map();
    let all = 0;
    for (let i = 0; i < pixels.length; i += 4) {
      if (!wants(i / 4)) continue;
      const key = pixels[i] << 24 | pixels[i + 1] << 16 | pixels[i + 2] << 8 | pixels[i + 3];
      counts.set(key, (counts.get(key) || 0) + 1);
      ++all;
    }
    let least = Infinity;
    for (const [key, count] of counts) {
      if (count < all / 50) continue;
      least = Math.min(least, contrast(ink, over([key >>> 24, key >> 16 & 255, key >> 8 & 255, (key & 255) / 255], base)));
    }
    return least;
  }

  function canvasTexts(canvas, faults) {
    const place = canvas.getBoundingClientRect(), g = canvas.getContext("2d"), ratio = canvas.width / place.width;
    const base = ground(canvas), found = [];
    for (const {text, corners, box, before, after, ink, style} of drawnTexts.get(canvas) || []) {
      const within = (i) => isInside([box[0] + i % box[2] + 0.5, box[1] + Math.floor(i / box[2]) + 0.5], corners);
      const least = leastContrast(over(parse(style), base), before, base, within);
      if (least < kText) faults.push(`contrast ${least.toFixed(2)} of \`${text}\` on a canvas`);
      if (box[0] < 0 || box[1] < 0 || box[0] + box[2] > canvas.width + 1 || box[1] + box[3] > canvas.height + 1)
        faults.push(`cut at an edge of its canvas: \`${text}\``);
      const now = read(g, box);
      let wanted = 0, drawn = 0, changed = 0;
      for (let i = 0; i < ink.length; i += 4) {
        if (ink[i + 3] < 128) continue;
        ++wanted;
        const differs = (a, b) => Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) > 24;
        if (differs(before, after) || before[i + 3] !== after[i + 3]) ++drawn;
        if (differs(after, now)) ++changed;
      }
      if (drawn < 0.9 * wanted) faults.push(`cut by a clip: \`${text}\``);
      if (changed > 0.05 * wanted) faults.push(`covered: \`${text}\``);
      found.push({text, corners: corners.map(([x, y]) => [place.left + x / ratio + scrollX, place.top + y / ratio + scrollY])});
    }
    return found;
  }

  function canvasLines(canvas, faults) {
    const base = ground(canvas), lines = drawnLines.get(canvas) || [];
    for (const {style, before, after} of lines) {
      const ink = parse(style);
      // Rims in the colour of the ground, and grids, are not information.
      if (contrast(ink, base) < 1.5) continue;
      let all = 0, weak = 0;
      for (let i = 0; i < after.length; i += 4) {
        // The line has at least half of the point.
        if (after[i] === before[i] && after[i + 1] === before[i + 1] && after[i + 2] === before[i + 2] && after[i + 3] === before[i + 3]) continue;
        const far = (pixels) => Math.abs(pixels[i] - ink[0]) + Math.abs(pixels[i + 1] - ink[1]) + Math.abs(pixels[i + 2] - ink[2]) + Math.abs(pixels[i + 3] - 255);
        if (far(after) > 0.5 * far(before)) continue;
        ++all;
        if (contrast(ink, over([before[i], before[i + 1], before[i + 2], before[i + 3] / 255], base)) < kGraphics) ++weak;
      }
      if (all > 20 && weak > 0.02 * all) faults.push(`contrast of a line ${style} below ${kGraphics} at ${weak} of ${all} points`);
    }
    return lines.length;
  }

  // The filled areas of a canvas, by their colours: each that has a thousandth of it.
  function canvasFills(canvas, faults) {
    const base = ground(canvas), counts = new Map();
    const pixels = read(canvas.getContext("2d"), [0, 0, canvas.width, canvas.height]);
    const at = (i) => pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2];
    // Of areas, not of lines and texts: their neighbours have the same colour.
    const row = 4 * canvas.width;
    for (let i = 3 * row; i + 3 * row < pixels.length; i += 4) {
      if (pixels[i + 3] < 255) continue;
      const key = at(i);
      if (at(i - 12) === key && at(i + 12) === key && at(i - 3 * row) === key && at(i + 3 * row) === key)
        counts.set(key, (counts.get(key) || 0) + 1);
    }
    let areas = 0;
    for (const [key, count] of counts) {
      if (count < pixels.length / 4000) continue;
      const ratio = contrast([key >> 16, key >> 8 & 255, key & 255], base);
      // Bytes without use have the colour of the ground or of grids.
      if (ratio < 1.5) continue;
      ++areas;
      if (ratio < kGraphics) faults.push(`contrast ${ratio.toFixed(2)} of an area #${key.toString(16).padStart(6, "0")} on a canvas`);
    }
    return areas;
  }

  // Texts of elements, without what the boxes around them hide.
  function elementTexts(faults) {
    const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement, text = node.data.trim();
      if (text === "" || element.closest("script, style, noscript, select") || !element.checkVisibility({contentVisibilityAuto: false, visibilityProperty: true})) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const visible = clipOf(element);
      let isShown = false;
      for (const rect of range.getClientRects()) {
        if (rect.width >= 1 && rect.height >= 1 && (rect.right > visible[4] + 1 || rect.left < visible[5] - 1)) faults.push(`cut: \`${text}\``);
        const left = Math.max(rect.left, visible[0]), top = Math.max(rect.top, visible[1]);
        const right = Math.min(rect.right, visible[2]), bottom = Math.min(rect.bottom, visible[3]);
        if (right - left < 1 || bottom - top < 1) continue;
        isShown = true;
        const [x, y, X, Y] = [left + scrollX, top + scrollY + 2, right + scrollX, bottom + scrollY - 2];
        found.push({text, node, corners: [[x, y], [X, y], [X, Y], [x, Y]]});
      }
      if (!isShown) continue;
      const base = ground(element), ratio = contrast(over(parse(getComputedStyle(element).color), base), base);
      if (ratio < kText) faults.push(`contrast ${ratio.toFixed(2)} of \`${text}\` in <${element.tagName.toLowerCase()} class="${element.className}">`);
    }
    return found;
  }

  // The part of the page in which an element is seen: left, top, right, bottom; then right and left of the boxes that do not
  // scroll, which cut what is longer.
  function clipOf(element) {
    let clip = [-Infinity, -Infinity, Infinity, Infinity], end = Infinity, begin = -Infinity;
    for (let e = element; e; e = e.parentElement) {
      const {overflowX, overflowY} = getComputedStyle(e);
      if (overflowX === "visible" && overflowY === "visible" || e === document.body || e === document.documentElement) continue;
      const box = e.getBoundingClientRect();
      clip = [Math.max(clip[0], box.left), Math.max(clip[1], box.top), Math.min(clip[2], box.right), Math.min(clip[3], box.bottom)];
      if (overflowX === "hidden" || overflowX === "clip") [end, begin] = [Math.min(end, box.right), Math.max(begin, box.left)];
    }
    return [...clip, end, begin];
  }

  function fields(faults) {
    for (const field of document.querySelectorAll("input[placeholder]")) {
      const style = getComputedStyle(field), base = ground(field);
      ruler.font = style.font;
      const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      if (ruler.measureText(field.placeholder).width > room) faults.push(`cut: \`${field.placeholder}\``);
      const ratio = contrast(over(parse(getComputedStyle(field, "::placeholder").color), base), base);
      if (ratio < kText) faults.push(`contrast ${ratio.toFixed(2)} of \`${field.placeholder}\` in a field`);
    }
    for (const field of document.querySelectorAll("select")) {
      const base = ground(field), ratio = contrast(over(parse(getComputedStyle(field).color), base), base);
      if (ratio < kText) faults.push(`contrast ${ratio.toFixed(2)} of \`${field.value}\` in a field`);
    }
  }

  // Filled marks: parts of bars, swatches of legends, lines of legends. Empty ones need a border.
  function marks(faults) {
    let count = 0;
    for (const mark of document.querySelectorAll(".stack span, .tile i, .row .live i, .gain .bar i, .peak .bar span, .legend i")) {
      const style = getComputedStyle(mark), box = mark.getBoundingClientRect(), base = ground(mark.parentElement);
      if (box.width < 1) continue;
      const inks = [style.backgroundColor, style.borderTopColor].map(parse);
      const best = Math.max(...inks.map((ink, i) => i === 1 && parseFloat(style.borderTopWidth) === 0 ? 0 : contrast(over(ink, base), base)));
      ++count;
      if (best < kGraphics) faults.push(`contrast ${best.toFixed(2)} of a mark <${mark.tagName.toLowerCase()} class="${mark.parentElement.className}">`);
    }
    return count;
  }

  // Pairs of texts that share an area, by the axes that could separate them.
  function overlapping(texts, faults) {
    const boxes = texts.map((t) => ({...t, box: boundsOf(t.corners)})).sort((a, b) => a.box[1] - b.box[1]);
    const axes = (corners) => corners.slice(0, 2).map(([x, y], i) => [corners[i + 1][1] - y, x - corners[i + 1][0]]);
    const areApart = (a, b) => [...axes(a), ...axes(b)].some(([nx, ny]) => {
      const size = Math.hypot(nx, ny) || 1, along = (corners) => corners.map(([x, y]) => (x * nx + y * ny) / size);
      const p = along(a), q = along(b);
      return Math.max(...p) - 0.5 <= Math.min(...q) || Math.max(...q) - 0.5 <= Math.min(...p);
    });
    boxes.forEach((a, i) => {
      for (let k = i + 1; k < boxes.length && boxes[k].box[1] < a.box[1] + a.box[3]; ++k) {
        const b = boxes[k];
        if (a.node && a.node === b.node) continue;
        if (!areApart(a.corners, b.corners)) faults.push(`\`${a.text}\` and \`${b.text}\` overlap`);
      }
    });
  }

  return () => {
    const faults = [...errors], texts = elementTexts(faults);
    let lines = 0, areas = 0;
    for (const canvas of document.querySelectorAll("canvas")) {
      texts.push(...canvasTexts(canvas, faults));
      lines += canvasLines(canvas, faults);
      areas += canvasFills(canvas, faults);
    }
    fields(faults);
    const count = marks(faults);
    overlapping(texts, faults);
    const {scrollWidth} = document.documentElement;
    if (scrollWidth > innerWidth) faults.push(`the page is ${scrollWidth} wide in a window of ${innerWidth}`);
    for (const box of document.querySelectorAll(".scroll")) {
      if (box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).backgroundImage === "none")
        faults.push("a table is cut by an edge without a shade");
    }
    return {faults, texts: texts.length, canvasTexts: texts.filter((t) => !t.node).map((t) => t.text), lines, areas, marks: count};
  };
})();
