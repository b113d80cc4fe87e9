"""Draws curves over two logarithmic axes as SVG, using only the standard library."""

import html
import math

COLORS = ("#1f6feb", "#d1242f", "#1a7f37", "#8250df", "#9a6700")
WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 56, 96, 30, 40


class Axis:
    """Maps numbers from `least` to `most` to positions between two ends in the picture."""

    def __init__(self, least, most, start, end):
        self.low, self.high = math.log10(least), math.log10(most)
        self.start, self.end = start, end

    def at(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, steps):
        """The numbers of the labels: `steps` times powers of ten."""
        powers = range(math.floor(self.low), math.ceil(self.high) + 1)
        values = (step * 10**power for power in powers for step in steps)
        return [v for v in values if self.low - 1e-9 <= math.log10(v) <= self.high + 1e-9]


def superscript(count):
    power = round(math.log10(count))
    return "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(power))


def text(x, y, content, anchor="middle", color="#57606a"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}">{html.escape(content)}</text>'


def grid(xs, ys):
    for value in xs.ticks((1,)):
        x = xs.at(value)
        yield f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#d0d7de"/>'
        yield text(x, HEIGHT - BOTTOM + 16, superscript(value))
    for value in ys.ticks((1, 2, 5)):
        y = ys.at(value)
        yield f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#d0d7de"/>'
        yield text(LEFT - 6, y + 4, f"{value:g}", "end")


def curve(xs, ys, points, color, dashes=""):
    path = "L".join(f"{xs.at(x):.1f} {ys.at(y):.1f}" for x, y in points)
    yield f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="2"{dashes}/>'


def label_places(ends):
    """The heights of the labels at the ends of curves, at least a line apart."""
    places = {}
    last = -math.inf
    for name, y in sorted(ends.items(), key=lambda end: end[1]):
        last = places[name] = max(y, last + 14)
    return places


def svg(curves, y_title, x_title):
    """`curves` maps names to lists of (x, y). The dashed line grows like the logarithm of x from
    the mean of the curves' first points."""
    everything = [point for points in curves.values() for point in points]
    first, last = min(x for x, _ in everything), max(x for x, _ in everything)
    starts = [points[0][1] for points in curves.values()]
    mean = math.exp(sum(math.log(y) for y in starts) / len(starts))
    guide = [(x, mean * math.log(x) / math.log(first)) for x in (first, last)]
    heights = [y for _, y in everything + guide]
    xs = Axis(first, last, LEFT, WIDTH - RIGHT)
    ys = Axis(min(heights) / 1.2, max(heights) * 1.2, HEIGHT - BOTTOM, TOP)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
             'font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', *grid(xs, ys)]
    lines += [text(LEFT, TOP - 12, y_title, "start"),
              text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, x_title)]
    lines += curve(xs, ys, guide, "#57606a", ' stroke-dasharray="5 4"')
    for (_, points), color in zip(curves.items(), COLORS):
        lines += curve(xs, ys, points, color)
        lines += [f'<circle cx="{xs.at(x):.1f}" cy="{ys.at(y):.1f}" r="3" fill="{color}"/>'
                  for x, y in points]
    ends = {name: ys.at(points[-1][1]) for name, points in {**curves, "∝ log n": guide}.items()}
    colors = dict(zip(curves, COLORS))
    lines += [text(WIDTH - RIGHT + 8, y + 4, name, "start", colors.get(name, "#57606a"))
              for name, y in label_places(ends).items()]
    return "\n".join([*lines, "</svg>", ""])
