#include "tools/progress.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace tenon {

struct Progress::State {
  std::string what;
  std::mutex mutex;
  std::condition_variable done_changed;
  bool done = false;
  std::thread thread;

  void Show() {
    std::unique_lock lock(mutex);
    int seconds = 0;
    while (!done_changed.wait_for(lock, std::chrono::seconds(1), [&] { return done; })) {
      fmt::print(stderr, "\r\033[K{} ({} s)", what, ++seconds);
      std::fflush(stderr);
    }
    if (seconds > 0) fmt::print(stderr, "\r\033[K");
  }
};

Progress::Progress(std::string_view what, const StderrStyle& style) {
  if (!HasSmartTerminal() || style.quiet) return;
  state_ = std::make_unique<State>();
  state_->what = what;
  state_->thread = std::thread([this] { state_->Show(); });
}

void Progress::Say(std::string_view what) {
  if (state_ == nullptr) return;
  const std::lock_guard lock(state_->mutex);
  state_->what = what;
}

Progress::~Progress() {
  if (state_ == nullptr) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->done = true;
  }
  state_->done_changed.notify_one();
  state_->thread.join();
}

}  // namespace tenon
