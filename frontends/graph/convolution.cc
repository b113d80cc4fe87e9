#include "frontends/graph/convolution.h"

namespace tenon::graph {

std::vector<Value> ImagePlace(bool channels_last, Value batch, Value channel,
                              std::span<const Value> at) {
  std::vector<Value> place = {batch};
  if (!channels_last) place.push_back(channel);
  place.insert(place.end(), at.begin(), at.end());
  if (channels_last) place.push_back(channel);
  return place;
}

Convolution ConvolutionOf(OperatorCode& code, const Window& window, Contraction& contraction) {
  Convolution sums;
  const std::vector<int64_t>& shape = code.output().shape;
  sums.batches = shape[0];
  sums.extents = {shape[1], shape[2]};
  sums.channels_last = true;
  const Array from = contraction.Input(code.input(0).shape);
  sums.for_each_place = [&](std::span<const Value> output, const WindowBody& body) {
    window.ForEachPlace(code, output, body);
  };
  sums.new_sum = [&] { return contraction.NewSum(); };
  sums.input = [from](Value batch, Value channel, const std::vector<Value>& at) {
    return from.Load(ImagePlace(true, batch, channel, at));
  };
  sums.add_product = [&](const Array& sum, Value x, Value weight, Value) {
    contraction.AddProduct(sum, x, weight);
  };
  sums.result = [&](const Array& sum, Value batch, Value channel) {
    return contraction.Result(sum, batch, channel);
  };
  return sums;
}

void WriteConvolution(OperatorCode& code, const Convolution& convolution) {
  const Array to = code.Out();
  const bool last = convolution.channels_last;
  const size_t axes = convolution.extents.size();
  const int64_t of_group = convolution.channels / convolution.groups;
  std::vector<int64_t> extents = {convolution.batches};
  const int64_t of_channels[] = {convolution.groups, of_group};
  extents.insert(extents.end(), convolution.extents.begin(), convolution.extents.end());
  extents.insert(last ? extents.end() : extents.begin() + 1, std::begin(of_channels),
                 std::end(of_channels));
  code.Grid("i", extents, [&](const std::vector<Value>& at) {
    const size_t group = last ? 1 + axes : 1;
    const std::span<const Value> place(at.data() + (last ? 1 : 3), axes);
    const Value channel = at[group] * of_group + at[group + 1];
    const Array sum = convolution.new_sum();
    const auto add = [&](const WindowPlace& from, Value ci) {
      const Value weight = convolution.weight(channel, ci, from.kernel);
      const Value x = convolution.input(at[0], at[group] * convolution.depth + ci, from.at);
      convolution.add_product(sum, x, weight, channel);
    };
    if (last) {
      convolution.for_each_place(place, [&](const WindowPlace& from) {
        code.For("ci", convolution.depth, [&](Value ci) { add(from, ci); });
      });
    } else {
      code.For("ci", convolution.depth, [&](Value ci) {
        convolution.for_each_place(place, [&](const WindowPlace& from) { add(from, ci); });
      });
    }
    code.Store(to, ImagePlace(last, at[0], channel, place),
               convolution.result(sum, at[0], channel));
  });
}

}  // namespace tenon::graph
