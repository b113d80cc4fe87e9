#ifndef TENON_PRINTER_SINK_H_
#define TENON_PRINTER_SINK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tenon {

/// The destination of generated text: a buffer with room at its end. It grows or, with a consumer,
/// is passed on whenever it is full.
class Sink {
 public:
  /// Receives a chunk of text, in order. `context` is the caller's.
  using Consumer = void (*)(void* context, std::string_view chunk);

  /// Keeps the whole text, for Take.
  Sink() = default;
  /// Passes on chunks of at most 64 KiB (a single long Append may be larger).
  Sink(Consumer consumer, void* context) : consumer_(consumer), context_(context) {}
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  void Append(std::string_view text) {
    if (static_cast<size_t>(limit_ - at_) < text.size()) [[unlikely]] {
      AppendSlow(text);
      return;
    }
    at_ += text.copy(at_, text.size());  // Unlike memcpy, this accepts the null pointer of an empty
                                         // text.
  }
  void Append(char c) {
    if (at_ == limit_) [[unlikely]]
      MakeRoom(1);
    *at_++ = c;
  }
  /// Append decimal numbers.
  void AppendInt(int64_t value);
  void AppendUInt(uint64_t value);
  void AppendSpaces(size_t count);

  /// Room for `count` more bytes, which the caller writes; Commit sets their end.
  char* Room(size_t count) {
    if (static_cast<size_t>(limit_ - at_) < count) [[unlikely]]
      MakeRoom(count);
    return at_;
  }
  void Commit(char* end) { at_ = end; }

  /// Bytes appended so far.
  size_t size() const { return handed_on_ + static_cast<size_t>(at_ - begin()); }
  /// Until Release, nothing is passed on, so that RollBack can remove the text that follows.
  void Hold() { held_ = true; }
  void Release();
  /// Removes all but the first `size` bytes; the removed bytes must have been appended since Hold.
  void RollBack(size_t size) { at_ = buffer_.data() + (size - handed_on_); }

  /// Passes on the rest. Does nothing for a sink that keeps the whole text.
  void Flush();
  /// Returns the whole text of a sink that keeps it, and empties the sink.
  std::string Take();

 private:
  const char* begin() const { return buffer_.data(); }
  void MakeRoom(size_t count);
  void AppendSlow(std::string_view text);

  Consumer consumer_ = nullptr;
  void* context_ = nullptr;
  std::string buffer_;  ///< as large as its room; the text ends at at_
  char* at_ = buffer_.data();
  char* limit_ = buffer_.data();
  size_t handed_on_ = 0;
  bool held_ = false;
};

}  // namespace tenon

#endif  // TENON_PRINTER_SINK_H_
