#include "tests/unit/byoc/run_requantise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace tenon {

namespace {

__extension__ using Wide = __int128;

/// a / b to the nearest; ties go away from zero, or up.
Wide Divided(Wide a, Wide b, bool away) {
  const Wide twice = 2 * a;
  Wide quotient = (twice + b) / (2 * b);
  if ((twice + b) % (2 * b) != 0 && twice + b < 0) --quotient;  // now the floor: ties go up
  if (away && a < 0 && 2 * a == (2 * quotient - 1) * b) --quotient;
  return quotient;
}

Wide Power(int64_t bits) { return Wide{1} << bits; }

class MemberRunner {
 public:
  MemberRunner(const OpInfo& info, std::span<const std::span<uint8_t>> operands)
      : info_(info),
        all_(info.computation),
        own_(*info.requantise),
        operands_(operands),
        at_(all_.loops.size()) {}

  std::string Run() {
    kept_ = all_.stores[0].loops;
    for (size_t loop = 0; loop < all_.loops.size(); ++loop) {
      if (std::find(kept_.begin(), kept_.end(), static_cast<int>(loop)) == kept_.end())
        summed_.push_back(static_cast<int>(loop));
    }
    ForEach(kept_, 0, [&] { Write(); });
    return problem_;
  }

 private:
  template <class F>
  void ForEach(const std::vector<int>& loops, size_t next, F&& f) {
    if (next == loops.size()) return f();
    const auto loop = static_cast<size_t>(loops[next]);
    for (at_[loop] = 0; at_[loop] < all_.loops[loop].extent; ++at_[loop])
      ForEach(loops, next + 1, f);
    at_[loop] = 0;
  }

  uint8_t* ElementOf(int access, int64_t& size, DataType& dtype) {
    const ComputationAccess& of = all_.accesses[static_cast<size_t>(access)];
    const ComputationOperand& operand = all_.operands[static_cast<size_t>(of.operand)];
    int64_t element = of.element.offset;
    for (const auto& [loop, stride] : of.element.terms)
      element += stride * at_[static_cast<size_t>(loop)];
    element /= of.element.divisor;
    dtype = operand.dtype;
    size = operand.dtype.element_bytes();
    if (element < 0 || element >= operand.elements) {
      problem_ = "an element outside of its operand";
      return nullptr;
    }
    return operands_[static_cast<size_t>(of.operand)].data() + element * size;
  }

  int64_t Read(const QuantisedInput& input) {
    int64_t size = 0;
    DataType dtype;
    const uint8_t* bytes = ElementOf(input.access, size, dtype);
    if (bytes == nullptr) return 0;
    int64_t value = 0;
    std::memcpy(&value, bytes, static_cast<size_t>(size));
    if (dtype.is_int()) value = value << (64 - 8 * size) >> (64 - 8 * size);
    return value - input.zero_point;
  }

  int64_t PlaceOn(std::string_view axis) const {
    int64_t place = 0;
    for (const int loop : LoopsOfAxis(all_, axis))
      place = place * all_.loops[static_cast<size_t>(loop)].extent + at_[static_cast<size_t>(loop)];
    return place;
  }

  bool IsInside() const {
    if (!info_.window) return true;
    constexpr std::array<std::string_view, 3> kPlaces = {"d", "h", "w"};
    constexpr std::array<std::string_view, 3> kKernel = {"kd", "kh", "kw"};
    const WindowInfo& window = *info_.window;
    const size_t axes = window.input.size();
    const bool is_transposed = info_.kind.ends_with("transpose");
    for (size_t i = 0; i < axes; ++i) {
      const int64_t place = PlaceOn(kPlaces[3 - axes + i]);
      const int64_t kernel = PlaceOn(kKernel[3 - axes + i]) * window.dilation[i];
      int64_t at = place * (is_transposed ? 1 : window.stride[i]) + kernel - window.pad_before[i];
      if (is_transposed) {
        if (at < 0 || at % window.stride[i] != 0) return false;
        at /= window.stride[i];
      }
      if (at < 0 || at >= window.input[i]) return false;
    }
    return true;
  }

  Wide Rescaled(Rounding rounding, Wide x, int64_t multiplier, int64_t shift, double scale) {
    switch (rounding) {
      case Rounding::kTwice: {
        if (shift > 0) x *= Power(shift);
        x = Divided(x * multiplier, Power(31), false);
        return shift < 0 ? Divided(x, Power(-shift), true) : x;
      }
      case Rounding::kOnce:
        return Divided(x * multiplier, Power(31 - shift), false);
      case Rounding::kFloat: {
        const float product =
            static_cast<float>(static_cast<int64_t>(x)) * static_cast<float>(scale);
        return static_cast<int64_t>(std::nearbyint(product));
      }
      default:
        return 0;
    }
  }

  void Write() {
    int64_t channel = 0;
    for (const auto& [loop, stride] : own_.channel.terms)
      channel += stride * at_[static_cast<size_t>(loop)];
    const auto of = [&](const auto& list) {
      return list.size() == 1 ? list[0] : list[static_cast<size_t>(channel)];
    };
    Wide sum = own_.bias.empty() ? 0 : of(own_.bias);
    int64_t count = 0;
    if (own_.sum == QuantisedSum::kMax) {
      sum = own_.least_sum;
      ForEach(summed_, 0, [&] {
        if (IsInside()) sum = std::max<Wide>(sum, Read(own_.inputs[0]));
      });
    } else if (own_.sum == QuantisedSum::kDot || own_.sum == QuantisedSum::kSum) {
      ForEach(summed_, 0, [&] {
        if (!IsInside()) return;
        ++count;
        const int64_t x = Read(own_.inputs[0]);
        sum += own_.sum == QuantisedSum::kDot ? x * Read(own_.inputs[1]) : x;
      });
    } else if (own_.sum == QuantisedSum::kAdd) {
      for (const QuantisedInput& input : own_.inputs) {
        const Wide value =
            Rescaled(input.rescale.rounding, Wide{Read(input)} * Power(input.left_shift),
                     input.rescale.multiplier, input.rescale.shift, 0);
        sum += input.is_subtracted ? -value : value;
      }
    } else {
      Wide product = 1;
      for (const QuantisedInput& input : own_.inputs) product *= Read(input);
      sum += product;
    }
    if (sum < own_.least_sum || sum > own_.most_sum) problem_ = "a sum outside of its range";
    Wide result = 0;
    if (own_.rounding == Rounding::kTable) {
      result = own_.low;
      for (const int64_t step : of(own_.steps)) result += step <= sum ? 1 : 0;
    } else if (own_.rounding == Rounding::kQuotient) {
      result = Divided(sum, count, true) + own_.zero_point;
    } else {
      result = Rescaled(own_.rounding, sum, own_.multiplier.empty() ? 0 : of(own_.multiplier),
                        own_.shift.empty() ? 0 : of(own_.shift),
                        own_.scale.empty() ? 0 : of(own_.scale)) +
               own_.zero_point;
    }
    const auto clamped =
        static_cast<int64_t>(std::min<Wide>(std::max<Wide>(result, own_.low), own_.high));
    int64_t size = 0;
    DataType dtype;
    uint8_t* bytes = ElementOf(all_.stores[0].access, size, dtype);
    if (bytes != nullptr) std::memcpy(bytes, &clamped, static_cast<size_t>(size));
  }

  const OpInfo& info_;
  const Computation& all_;
  const Requantise& own_;
  std::span<const std::span<uint8_t>> operands_;
  std::vector<int64_t> at_;
  std::vector<int> kept_, summed_;
  std::string problem_;
};

}  // namespace

std::string RunRequantise(const OpInfo& info, std::span<const std::span<uint8_t>> operands) {
  return MemberRunner(info, operands).Run();
}

}  // namespace tenon
