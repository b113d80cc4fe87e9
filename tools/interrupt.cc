#include "tools/interrupt.h"

#include <array>
#include <cstdlib>
#include <thread>

#include "support/programs.h"

namespace tenon {
namespace {

// A signal handler can reach nothing but the process's own state.
volatile std::sig_atomic_t raised = 0;

void Note(int signal) { raised = signal; }

/// Waits for one of the signals, all of which are blocked, and ends the process by it.
void EndBySignal(sigset_t signals) {
  int signal = 0;
  if (sigwait(&signals, &signal) != 0) return;
  StopProgramsAndRemoveFolders();
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  raise(signal);
}

/// The handlers before those of CleanUpOnSignals, by signal.
std::array<struct sigaction, NSIG> before_crash = {};

/// Ends the process as it would have ended without this handler.
void CleanUpInCrash(int signal, siginfo_t* info, void*) {
  RemoveFoldersInCrash();
  sigaction(signal, &before_crash[static_cast<size_t>(signal)], nullptr);
  // A fault happens again when the handler returns; a signal that was sent does not.
  if (info->si_code <= 0) raise(signal);
}

void CleanUpInCrashes() {
  // A stack overflow leaves no room for a handler.
  constexpr size_t kStackBytes = 64 << 10;
  static std::array<char, kStackBytes> stack;
  stack_t handler_stack = {};
  handler_stack.ss_sp = stack.data();
  handler_stack.ss_size = stack.size();
  if (sigaltstack(&handler_stack, nullptr) != 0) return;
  struct sigaction action = {};
  action.sa_sigaction = CleanUpInCrash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(signal, &action, &before_crash[static_cast<size_t>(signal)]);
  std::atexit(RemoveFoldersInCrash);
}

}  // namespace

Interrupt::Interrupt() {
  raised = 0;
  struct sigaction action = {};
  action.sa_handler = Note;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, &before_int_);
  sigaction(SIGTERM, &action, &before_term_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &before_int_, nullptr);
  sigaction(SIGTERM, &before_term_, nullptr);
}

int Interrupt::Signal() { return raised; }

// A thread rather than a handler: removing a folder needs memory and locks, which a handler may not
// use.
void CleanUpOnSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  CleanUpInCrashes();
  if (pthread_sigmask(SIG_BLOCK, &signals, nullptr) != 0) return;
  std::thread(EndBySignal, signals).detach();
}

}  // namespace tenon
