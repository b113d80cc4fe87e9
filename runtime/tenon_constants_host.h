/* Maps a file of constants into memory, for programs on a host: POSIX open and mmap. Only the
 * source <prefix>_constants_host.c includes this, after tenon_constants.h. The generated code
 * itself needs no operating system.
 */
#ifndef TENON_RUNTIME_TENON_CONSTANTS_HOST_H_
#define TENON_RUNTIME_TENON_CONSTANTS_HOST_H_

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct tenon_mapped_file {
  void* bytes;
  size_t size;
};

/* 0, or TENON_CONSTANTS_MISSING when `path` cannot be read. A file that is to be replaced while
 * programs use it must be renamed over, not written into: a mapping shows what is written, and what
 * is cut off is a fault. */
static inline int32_t tenon_map_constants(const char* path, struct tenon_mapped_file* mapped) {
  struct stat info;
  void* bytes = MAP_FAILED;
  size_t size = 0;
  int descriptor;
  do {
    descriptor = open(path, O_RDONLY | O_CLOEXEC);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) return TENON_CONSTANTS_MISSING;
  if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) &&
      (uintmax_t)info.st_size <= SIZE_MAX) {
    size = (size_t)info.st_size;
    /* An empty file cannot be mapped, and is too short. */
    if (size == 0) {
      close(descriptor);
      return TENON_CONSTANTS_SIZE;
    }
    bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  }
  close(descriptor);
  if (bytes == MAP_FAILED) return TENON_CONSTANTS_MISSING;
  mapped->bytes = bytes;
  mapped->size = size;
  return 0;
}

static inline void tenon_unmap_constants(struct tenon_mapped_file* mapped) {
  if (mapped->bytes != NULL) munmap(mapped->bytes, mapped->size);
  mapped->bytes = NULL;
}

#endif /* TENON_RUNTIME_TENON_CONSTANTS_HOST_H_ */
