#include "printer/sink.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace tenon {

namespace {

constexpr size_t kChunk = size_t{64} << 10;
constexpr size_t kLongestInt = 20;

}  // namespace

void Sink::AppendInt(int64_t value) {
  char* const room = Room(kLongestInt);
  if (value >= 0 && value < 10) {
    *room = static_cast<char>('0' + value);
    Commit(room + 1);
    return;
  }
  Commit(std::to_chars(room, room + kLongestInt, value).ptr);
}

void Sink::AppendUInt(uint64_t value) {
  char* const room = Room(kLongestInt);
  Commit(std::to_chars(room, room + kLongestInt, value).ptr);
}

void Sink::AppendSpaces(size_t count) {
  char* const room = Room(count);
  std::memset(room, ' ', count);
  Commit(room + count);
}

void Sink::MakeRoom(size_t count) {
  const bool hands_on = consumer_ != nullptr && !held_;
  if (hands_on) Flush();
  const auto used = static_cast<size_t>(at_ - begin());
  const size_t needed = used + count;
  size_t room = std::max(needed, kChunk);
  if (!hands_on) {
    // The text held back may be in a buffer that was larger before: grow only if it does not fit.
    room = needed <= buffer_.size() ? buffer_.size()
                                    : std::max({needed, buffer_.size() * 2, size_t{1024}});
  }
  if (buffer_.size() < room) buffer_.resize(room);
  at_ = buffer_.data() + used;
  limit_ = buffer_.data() + room;
}

void Sink::Release() {
  held_ = false;
  if (consumer_ != nullptr && static_cast<size_t>(at_ - begin()) >= kChunk) MakeRoom(0);
}

void Sink::AppendSlow(std::string_view text) {
  if (consumer_ != nullptr && !held_ && text.size() >= kChunk) {
    Flush();
    consumer_(context_, text);
    handed_on_ += text.size();
    return;
  }
  MakeRoom(text.size());
  std::memcpy(at_, text.data(), text.size());
  at_ += text.size();
}

void Sink::Flush() {
  if (consumer_ == nullptr) return;
  const auto used = static_cast<size_t>(at_ - begin());
  if (used > 0) consumer_(context_, std::string_view(begin(), used));
  handed_on_ += used;
  at_ = buffer_.data();
}

std::string Sink::Take() {
  buffer_.resize(static_cast<size_t>(at_ - begin()));
  std::string text = std::move(buffer_);
  buffer_.clear();
  at_ = limit_ = buffer_.data();
  return text;
}

}  // namespace tenon
