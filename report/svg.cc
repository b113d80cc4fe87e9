#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "report/live_curve.h"
#include "support/json_writer.h"
#include "support/shown_text.h"

namespace tenon {

namespace {

constexpr double kWidth = 900;
constexpr double kMapHeight = 360;
constexpr double kLeft = 90;
constexpr double kRight = 14;
constexpr double kTop = 34;
constexpr double kBottom = 40;
/// The width of a letter, at most, at the size of the font.
constexpr double kLetter = 6.6;

/// Text of an element. Bytes that are not UTF-8 are replaced.
std::string Xml(std::string_view text) {
  std::string shown = EscapeControls(text);
  if (!IsUtf8(shown)) {
    for (char& c : shown) {
      if (static_cast<unsigned char>(c) >= 0x80) c = '?';
    }
  }
  std::string out;
  for (const char c : shown) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// A coordinate: two digits are exact enough, and the same on every machine.
std::string At(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

struct Shade {
  int red, green, blue;
};

/// The colours of the HTML page: pale for small buffers, dark for large ones.
Shade ShadeOf(const MemoryReport& report, const ReportBuffer& buffer, int64_t largest) {
  const bool is_scratch =
      !buffer.function.empty() && !report.entry.empty() && buffer.function != report.entry;
  const Shade low = buffer.is_constant ? Shade{211, 234, 223}
                    : is_scratch       ? Shade{251, 224, 189}
                                       : Shade{207, 227, 245};
  const Shade high = buffer.is_constant ? Shade{31, 111, 92}
                     : is_scratch       ? Shade{201, 106, 16}
                                        : Shade{11, 79, 138};
  const double ratio =
      static_cast<double>(largest) / static_cast<double>(std::max<int64_t>(buffer.size_bytes, 1));
  const double part = std::clamp(1 - std::log2(ratio) / 10, 0.0, 1.0);
  const auto mix = [&](int a, int b) { return static_cast<int>(std::lround(a + part * (b - a))); };
  return {mix(low.red, high.red), mix(low.green, high.green), mix(low.blue, high.blue)};
}

/// The map of one pool.
class PoolMap {
 public:
  PoolMap(const MemoryReport& report, const ReportPool& pool, double top, std::string& out)
      : report_(report), pool_(pool), top_(top + kTop), out_(out) {
    most_ = static_cast<double>(std::max<int64_t>(pool.size_bytes, 1)) * 1.02;
  }

  void Write() {
    WriteTitle();
    WriteAxes();
    int64_t largest = 1;
    for (const ReportBuffer& buffer : report_.buffers) {
      if (buffer.pool == pool_.name) largest = std::max(largest, buffer.size_bytes);
    }
    for (const ReportBuffer& buffer : report_.buffers) {
      if (buffer.pool != pool_.name) continue;
      const Shade shade = ShadeOf(report_, buffer, largest);
      for (const ReportRange& range : buffer.ranges) WriteBox(buffer, range, shade);
    }
    WriteCurve();
    WriteLevel(pool_.size_bytes, "#1c1d1f", "");
    if (pool_.lower_bound_bytes > 0 && pool_.lower_bound_bytes != pool_.size_bytes)
      WriteLevel(pool_.lower_bound_bytes, "#1a7f4b", " stroke-dasharray=\"6 4\"");
  }

 private:
  double X(int64_t tick) const { return kLeft + Part(tick) * (kWidth - kLeft - kRight); }
  double Y(int64_t address) const {
    return top_ + kMapHeight * (1 - static_cast<double>(address) / most_);
  }

  /// Time from 0 to 1: ticks, or operators of equal width.
  double Part(int64_t tick) const {
    const std::vector<ReportStep>& steps = report_.steps;
    if (steps.size() < 2)
      return static_cast<double>(tick) / static_cast<double>(std::max<int64_t>(report_.ticks, 1));
    const auto after =
        std::upper_bound(steps.begin(), steps.end(), tick,
                         [](int64_t at, const ReportStep& step) { return at < step.range.lower; });
    if (after == steps.begin()) return 0;
    const ReportRange& in = (after - 1)->range;
    const double inside = static_cast<double>(tick - in.lower) /
                          static_cast<double>(std::max<int64_t>(in.upper - in.lower, 1));
    return (static_cast<double>(after - 1 - steps.begin()) + std::min(inside, 1.0)) /
           static_cast<double>(steps.size());
  }

  void WriteTitle() {
    std::string title = fmt::format("{}: {} bytes", pool_.name, GroupedDigits(pool_.size_bytes));
    if (pool_.proven_optimal)
      title +=
          report_.spill.empty() ? ", no plan is smaller" : ", optimal for this choice of pools";
    else if (pool_.lower_bound_bytes > 0)
      title += fmt::format(", lower bound {}", GroupedDigits(pool_.lower_bound_bytes));
    out_ += fmt::format("<text x=\"{}\" y=\"{}\" class=\"title\">{}</text>\n", At(kLeft),
                        At(top_ - 12), Xml(title));
  }

  void WriteAxes() {
    const auto span = static_cast<int64_t>(most_);
    int64_t step = 1;
    while (span / step > 8) step *= 2;
    for (int64_t at = 0; at <= span; at += step) {
      out_ += fmt::format("<path d=\"M{0} {2}H{1}\" class=\"grid\"/>\n", At(kLeft),
                          At(kWidth - kRight), At(Y(at)));
      out_ += fmt::format("<text x=\"{}\" y=\"{}\" class=\"axis\" text-anchor=\"end\">{}</text>\n",
                          At(kLeft - 8), At(Y(at) + 4), GroupedDigits(at));
    }
    const double below = top_ + kMapHeight + 18;
    const bool by_step = report_.steps.size() > 1;
    const size_t last = by_step ? report_.steps.size() : static_cast<size_t>(report_.ticks);
    out_ += fmt::format("<text x=\"{}\" y=\"{}\" class=\"axis\">{} 0</text>\n", At(kLeft),
                        At(below), by_step ? "operator" : "tick");
    out_ += fmt::format("<text x=\"{}\" y=\"{}\" class=\"axis\" text-anchor=\"end\">{}</text>\n",
                        At(kWidth - kRight), At(below), last);
  }

  void WriteBox(const ReportBuffer& buffer, const ReportRange& range, const Shade& shade) {
    const double x = X(range.lower);
    const double width = std::max(X(range.upper) - x, 0.5);
    const double y = Y(buffer.offset + buffer.size_bytes);
    const double height = std::max(Y(buffer.offset) - y, 0.5);
    out_ += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#{:02x}{:02x}{:02x}\">"
        "<title>{}: {} bytes at {}, live {} to {}</title></rect>\n",
        At(x), At(y), At(width), At(height), shade.red, shade.green, shade.blue, Xml(buffer.name),
        GroupedDigits(buffer.size_bytes), GroupedDigits(buffer.offset), range.lower, range.upper);
    const double length = static_cast<double>(buffer.name.size()) * kLetter + 8;
    const bool is_dark = 3 * shade.red + 6 * shade.green + shade.blue < 1400;
    const char* const ink = is_dark ? "#ffffff" : "#15202b";
    if (height >= 14 && width >= length) {
      out_ += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>\n", At(x + 4),
                          At(y + height / 2 + 4), ink, Xml(buffer.name));
    } else if (width >= 14 && height >= length) {
      out_ +=
          fmt::format("<text transform=\"translate({} {}) rotate(-90)\" fill=\"{}\">{}</text>\n",
                      At(x + width / 2 + 4), At(y + height - 4), ink, Xml(buffer.name));
    }
  }

  void WriteCurve() {
    const std::vector<LiveChange> changes = LiveChanges(report_, pool_.name);
    uint64_t live = 0;
    std::string path;
    for (size_t i = 0; i < changes.size(); ++i) {
      live += changes[i].bytes;
      // The sum is the live bytes only after all births and deaths of a tick.
      const bool is_last = i + 1 == changes.size() || changes[i + 1].tick != changes[i].tick;
      if (!is_last) continue;
      path += fmt::format("{}{} {}V{}", path.empty() ? 'M' : 'H', At(X(changes[i].tick)),
                          path.empty() ? At(Y(0)) : "", At(Y(static_cast<int64_t>(live))));
    }
    if (!path.empty()) out_ += fmt::format("<path d=\"{}\" class=\"live\"/>\n", path);
  }

  void WriteLevel(int64_t bytes, std::string_view colour, std::string_view dash) {
    out_ += fmt::format("<path d=\"M{} {}H{}\" fill=\"none\" stroke=\"{}\"{}/>\n", At(kLeft),
                        At(Y(bytes)), At(kWidth - kRight), colour, dash);
  }

  const MemoryReport& report_;
  const ReportPool& pool_;
  const double top_;
  double most_ = 1;
  std::string& out_;
};

}  // namespace

std::string ReportSvg(const MemoryReport& report) {
  std::string maps;
  double height = 0;
  for (const ReportPool& pool : report.pools) {
    const bool has_lives = std::any_of(
        report.buffers.begin(), report.buffers.end(),
        [&](const ReportBuffer& b) { return b.pool == pool.name && !b.ranges.empty(); });
    if (!has_lives) continue;
    PoolMap(report, pool, height, maps).Write();
    height += kTop + kMapHeight + kBottom;
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
             "viewBox=\"0 0 {0} {1}\">\n"
             "<style>text{{font:11px sans-serif}}.title{{font-size:14px;font-weight:600}}"
             ".axis{{fill:#5c6066}}.grid{{stroke:#dcdcd6}}"
             "rect{{stroke:#ffffff;stroke-width:.5}}"
             ".live{{fill:none;stroke:#b3261e;stroke-width:1.5}}</style>\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
             At(kWidth), At(height)) +
         maps + "</svg>\n";
}

}  // namespace tenon
