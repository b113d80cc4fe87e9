#ifndef TENON_PRINTER_SINK_H_
#define TENON_PRINTER_SINK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tenon {

/// Where text goes while it is made: one buffer with room at its end. It grows, or, when there is
/// someone to hand chunks to, is handed on whenever it is full.
class Sink {
 public:
  /// Takes a chunk of text, in order. `context` is the caller's.
  using Consumer = void (*)(void* context, std::string_view chunk);

  /// Keeps everything, for Take.
  Sink() = default;
  /// Hands on chunks of at most 64 KiB (one long Append may be more).
  Sink(Consumer consumer, void* context) : consumer_(consumer), context_(context) {}
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  void Append(std::string_view text) {
    if (static_cast<size_t>(limit_ - at_) < text.size()) [[unlikely]] {
      AppendSlow(text);
      return;
    }
    at_ += text.copy(at_, text.size());  // Unlike memcpy, fine with the null of no text.
  }
  void Append(char c) {
    if (at_ == limit_) [[unlikely]]
      MakeRoom(1);
    *at_++ = c;
  }
  /// Decimal.
  void AppendInt(int64_t value);
  void AppendUInt(uint64_t value);
  void AppendSpaces(size_t count);

  /// Room for `count` more bytes, to be written by the caller; Commit says where they ended.
  char* Room(size_t count) {
    if (static_cast<size_t>(limit_ - at_) < count) [[unlikely]]
      MakeRoom(count);
    return at_;
  }
  void Commit(char* end) { at_ = end; }

  /// Bytes appended so far.
  size_t size() const { return handed_on_ + static_cast<size_t>(at_ - begin()); }
  /// From here on nothing is handed on, until Release, so that RollBack can take back what follows.
  void Hold() { held_ = true; }
  void Release();
  /// Takes back all but the first `size` bytes; those behind them were appended while held.
  void RollBack(size_t size) { at_ = buffer_.data() + (size - handed_on_); }

  /// Hands on what is left. Nothing for a sink that keeps everything.
  void Flush();
  /// All the text of a sink that keeps everything; the sink is empty then.
  std::string Take();

 private:
  const char* begin() const { return buffer_.data(); }
  void MakeRoom(size_t count);
  void AppendSlow(std::string_view text);

  Consumer consumer_ = nullptr;
  void* context_ = nullptr;
  std::string buffer_;  ///< as long as its room; the text ends at at_
  char* at_ = buffer_.data();
  char* limit_ = buffer_.data();
  size_t handed_on_ = 0;
  bool held_ = false;
};

}  // namespace tenon

#endif  // TENON_PRINTER_SINK_H_
