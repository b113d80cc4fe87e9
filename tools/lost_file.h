#ifndef TENON_TOOLS_LOST_FILE_H_
#define TENON_TOOLS_LOST_FILE_H_

namespace tenon {

/// From now on, ends the process with an error that names the file, and with exit code 1, when a
/// mapped file turns out to be shorter than it was: others have truncated it meanwhile, or its disk
/// cannot be read. (The system says so with SIGBUS at the first touch of a page that is not there.)
/// For mains alone: a library leaves the signals of its process as they are. A temporary file that
/// was being written stays, as after any signal.
void ReportLostFiles();

}  // namespace tenon

#endif  // TENON_TOOLS_LOST_FILE_H_
