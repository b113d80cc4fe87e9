// Schedules as data: reading and printing them, and the shapes of blocks from which loops are
// written.

#include "schedule/schedule.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "fmt/format.h"
#include "schedule/step_facts.h"
#include "support/saturated.h"
#include "support/whole_number.h"

namespace tenon {

namespace {

/// The words that follow the bands, and what they set.
struct Flag {
  std::string_view word;
  bool Schedule::*member;
};
constexpr Flag kFlags[] = {{"ahead", &Schedule::loads_ahead},
                           {"skip pads", &Schedule::skips_pads},
                           {"prefetch", &Schedule::prefetches},
                           {"finish in lanes", &Schedule::finishes_in_lanes},
                           {"finish in a loop", &Schedule::finishes_in_loop}};

/// The words before bands with a role; bands without one are serial.
struct RoleWord {
  std::string_view word;
  Role role;
};
constexpr RoleWord kRoles[] = {
    {"parallel", Role::kParallel}, {"unroll", Role::kUnrolled}, {"lanes", Role::kLanes}};
constexpr std::string_view kPacked = "packed";

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = std::min(text.find(separator), text.size());
    std::string_view part = text.substr(0, end);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    if (!part.empty() || separator == ',') parts.push_back(part);
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

/// Parses one schedule.
class ScheduleReader {
 public:
  ScheduleReader(const Computation& computation, std::string& because)
      : computation_(computation), because_(because) {}

  std::optional<Schedule> Read(std::string_view text) {
    for (const std::string_view part : Split(text, ',')) {
      if (!ReadFlag(part) && !ReadBands(part)) return std::nullopt;
    }
    return std::move(schedule_);
  }

 private:
  bool Refuse(std::string reason) {
    because_ = std::move(reason);
    return false;
  }

  bool ReadFlag(std::string_view part) {
    for (const Flag& flag : kFlags) {
      if (flag.word == part) return schedule_.*flag.member = true;
    }
    const std::optional<Combine> combine = FindCombine(part);
    if (combine) schedule_.combine = *combine;
    return combine.has_value();
  }

  /// The words of one part: a role, and loops; without a role, a serial band each.
  bool ReadBands(std::string_view part) {
    std::vector<std::string_view> words = Split(part, ' ');
    if (words.empty()) return Refuse("expected loops between the commas, found nothing");
    Role role = Role::kSerial;
    for (const RoleWord& one : kRoles) {
      if (one.word == words[0]) role = one.role;
    }
    if (role != Role::kSerial) words.erase(words.begin());
    if (words.empty()) return Refuse(fmt::format("expected loops after `{}`", part));
    return std::all_of(words.begin(), words.end(),
                       [&](std::string_view word) { return ReadBand(word, role); });
  }

  bool ReadBand(std::string_view word, Role role) {
    const size_t slash = word.find('/');
    const std::string_view name = word.substr(0, slash);
    const auto loop = std::find_if(computation_.loops.begin(), computation_.loops.end(),
                                   [&](const ComputationLoop& one) { return one.name == name; });
    const bool is_loop = loop != computation_.loops.end();
    if (!is_loop && (name != kPacked || role == Role::kLanes))
      return Refuse(fmt::format("expected a loop of {}, found `{}`", LoopNames(), name));
    const int64_t extent = is_loop ? loop->extent : AllIterations();
    const int number = is_loop ? static_cast<int>(loop - computation_.loops.begin()) : kPackedSteps;
    Band band = {number, 1, role};
    if (slash != std::string_view::npos) {
      const auto size = WholeNumber<int64_t>(word.substr(slash + 1));
      if (!IsLoop(role) || !size || *size < 1 || *size > extent)
        return Refuse(
            fmt::format("expected a loop that is neither unrolled nor lanes, and a size of 1 to {} "
                        "after `/`, found `{}`",
                        extent, word));
      band.size = *size;
    }
    if (!IsLoop(role)) band.size = LoopSize(band.loop);
    schedule_.bands.push_back(band);
    return true;
  }

  /// The size that the band of a loop sets for the bands inside of it.
  int64_t LoopSize(int loop) const {
    for (const Band& band : schedule_.bands) {
      if (band.loop == loop && IsLoop(band.role)) return band.size;
    }
    return loop == kPackedSteps ? 1 : computation_.loops[static_cast<size_t>(loop)].extent;
  }

  int64_t AllIterations() const {
    int64_t all = 1;
    for (const ComputationLoop& loop : computation_.loops) all = SaturatedMul(all, loop.extent);
    return all;
  }

  std::string LoopNames() const {
    std::string names;
    for (const ComputationLoop& loop : computation_.loops)
      names += fmt::format("{}`{}`", names.empty() ? "" : ", ", loop.name);
    return names;
  }

  const Computation& computation_;
  std::string& because_;
  Schedule schedule_;
};

template <class Condition>
std::vector<Band> BandsWhere(const Schedule& schedule, const Condition& condition) {
  std::vector<Band> bands;
  std::copy_if(schedule.bands.begin(), schedule.bands.end(), std::back_inserter(bands), condition);
  return bands;
}

std::string_view WordOf(Role role) {
  for (const RoleWord& one : kRoles) {
    if (one.role == role) return one.word;
  }
  return "";
}

}  // namespace

int64_t StepsTogether(const Schedule& schedule) {
  if (schedule.combine != Combine::kNothing) return StepsOf(schedule.combine);
  return schedule.loads_ahead && !schedule.skips_pads ? kStepsAhead : 1;
}

std::string ScheduleText(const Schedule& schedule, const Computation& computation) {
  std::string text;
  const auto name = [&](const Band& band) -> std::string_view {
    if (band.loop == kPackedSteps) return kPacked;
    return computation.loops[static_cast<size_t>(band.loop)].name;
  };
  std::string_view before;
  for (size_t i = 0; i < schedule.bands.size(); ++i) {
    const Band& band = schedule.bands[i];
    const std::string_view role = WordOf(band.role);
    if (i > 0) text += role == before ? " " : ", ";
    if (!role.empty() && (i == 0 || role != before)) text += fmt::format("{} ", role);
    text += name(band);
    if (IsLoop(band.role) && band.size != 1) text += fmt::format("/{}", band.size);
    before = role;
  }
  if (schedule.combine != Combine::kNothing)
    text += fmt::format(", {}", FactsOf(schedule.combine).word);
  for (const Flag& flag : kFlags) {
    if (schedule.*flag.member) text += fmt::format(", {}", flag.word);
  }
  return text;
}

std::optional<Schedule> ParseSchedule(std::string_view text, const Computation& computation,
                                      std::string& because) {
  return ScheduleReader(computation, because).Read(text);
}

bool HasBands(const Schedule& schedule, const std::vector<Band>& bands,
              const Computation& computation, std::string& because) {
  if (bands == schedule.bands) return true;
  because = fmt::format("expected the bands `{}`, found `{}`", ScheduleText({bands}, computation),
                        ScheduleText({schedule.bands}, computation));
  return false;
}

std::vector<Band> BandsOf(const BlockShape& shape, const Computation& computation,
                          const std::vector<int>& stored) {
  const auto extent = [&](int loop) { return computation.loops[static_cast<size_t>(loop)].extent; };
  const std::vector<int>& summed = computation.steps[static_cast<size_t>(shape.sum)].loops;
  const int outer_lanes = shape.tile < 0 ? shape.row : shape.tile;
  const int64_t row = shape.tile < 0 ? 1 : extent(shape.row);
  const Band lanes = {outer_lanes, shape.lanes / row, Role::kSerial};
  std::vector<Band> bands;
  if (shape.streams) bands.push_back(lanes);
  for (const int loop : stored) {
    if (loop != shape.row && loop != shape.tile && loop != shape.jam && loop != shape.jam_rows)
      bands.push_back({loop});
  }
  if (shape.jam_rows >= 0) bands.push_back({shape.jam_rows, shape.rows});
  if (shape.jam >= 0) bands.push_back({shape.jam, shape.places / shape.rows});
  if (!shape.streams) bands.push_back(lanes);
  if (shape.is_parallel) bands[0].role = Role::kParallel;
  for (const int loop : summed) bands.push_back({loop, loop == summed.back() ? shape.steps : 1});
  if (shape.steps > 1) bands.push_back({summed.back(), shape.steps, Role::kUnrolled});
  if (shape.jam_rows >= 0) bands.push_back({shape.jam_rows, shape.rows, Role::kUnrolled});
  if (shape.jam >= 0) bands.push_back({shape.jam, shape.places / shape.rows, Role::kUnrolled});
  if (shape.tile >= 0) bands.push_back({shape.tile, shape.lanes / row, Role::kLanes});
  bands.push_back({shape.row, shape.tile < 0 ? shape.lanes : row,
                   shape.is_scalar ? Role::kUnrolled : Role::kLanes});
  return bands;
}

std::optional<BlockShape> ShapeOf(const Schedule& schedule, const Computation& computation,
                                  const std::vector<int>& stored, int sum, std::string& because) {
  const auto has = [](Role role) { return [=](const Band& band) { return band.role == role; }; };
  const std::vector<Band> lanes = BandsWhere(schedule, has(Role::kLanes));
  const std::vector<Band> looped =
      BandsWhere(schedule, [](const Band& band) { return IsLoop(band.role); });
  std::vector<int> places;
  for (const Band& band : BandsWhere(schedule, has(Role::kUnrolled))) {
    if (Includes(stored, band.loop)) places.push_back(band.loop);
  }
  const bool is_scalar = lanes.empty();
  if (lanes.size() > 2 || places.size() > 2 || (is_scalar && places.empty())) {
    because = fmt::format(
        "expected lanes along one or two loops, and at most two unrolled loops of the store, "
        "found {} and {}",
        lanes.size(), places.size());
    return std::nullopt;
  }
  const auto at = [&](int loop) {
    return std::find_if(looped.begin(), looped.end(),
                        [&](const Band& band) { return band.loop == loop; });
  };
  const auto size = [&](int loop) { return at(loop) == looped.end() ? 1 : at(loop)->size; };
  BlockShape shape;
  shape.sum = sum;
  shape.is_parallel =
      std::any_of(schedule.bands.begin(), schedule.bands.end(), has(Role::kParallel));
  shape.is_scalar = is_scalar;
  shape.row = is_scalar ? places.back() : lanes.back().loop;
  if (is_scalar) places.pop_back();
  if (lanes.size() == 2) shape.tile = lanes.front().loop;
  if (!places.empty()) shape.jam = places.back();
  if (places.size() == 2) shape.jam_rows = places.front();
  if (shape.jam_rows >= 0) shape.rows = size(shape.jam_rows);
  if (shape.jam >= 0) shape.places = shape.rows * size(shape.jam);
  const int outer_lanes = shape.tile < 0 ? shape.row : shape.tile;
  shape.lanes = size(outer_lanes) * (shape.tile < 0 ? 1 : lanes.back().size);
  shape.streams = shape.jam >= 0 && at(outer_lanes) < at(shape.jam);
  const std::vector<int>& summed = computation.steps[static_cast<size_t>(sum)].loops;
  if (!summed.empty()) shape.steps = size(summed.back());
  // Each shape has exactly one order of bands, so one comparison checks all of them.
  if (!HasBands(schedule, BandsOf(shape, computation, stored), computation, because))
    return std::nullopt;
  return shape;
}

}  // namespace tenon
