#ifndef TENON_TOOLS_LOST_FILE_H_
#define TENON_TOOLS_LOST_FILE_H_

namespace tenon {

/// From now on, a mapped file that becomes shorter ends the process with exit code 1 and an error
/// that names the file. Another program has then truncated it, or its disk cannot be read. (The
/// system sends SIGBUS at the first access to a missing page.) Only for main(): a library must not
/// change the signals of its process. A temporary file that was being written stays, as after any
/// signal.
void ReportLostFiles();

}  // namespace tenon

#endif  // TENON_TOOLS_LOST_FILE_H_
