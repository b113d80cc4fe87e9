#ifndef TENON_TOOLS_LOST_FILE_H_
#define TENON_TOOLS_LOST_FILE_H_

namespace tenon {

/// From now on, ends the process with an error that names the file, and with exit code 1, if a
/// mapped file is shorter than it was: another program has truncated it, or its disk cannot be
/// read. (The system sends SIGBUS at the first access to a missing page.) Only for main(): a
/// library must not change the signals of its process. A temporary file that was being written
/// stays, as after any signal.
void ReportLostFiles();

}  // namespace tenon

#endif  // TENON_TOOLS_LOST_FILE_H_
