#include "tools/interrupt.h"

namespace tenon {
namespace {

// A signal handler can reach nothing but the process's own state.
volatile std::sig_atomic_t raised = 0;

void Note(int) { raised = 1; }

}  // namespace

Interrupt::Interrupt() {
  raised = 0;
  struct sigaction action = {};
  action.sa_handler = Note;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, &before_);
}

Interrupt::~Interrupt() { sigaction(SIGINT, &before_, nullptr); }

bool Interrupt::Raised() { return raised != 0; }

}  // namespace tenon
