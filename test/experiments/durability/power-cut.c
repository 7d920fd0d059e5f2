/* Preloaded into a server: records its writes to docket.db and docket.db-wal in their order. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WRITE = 1, TRUNCATE = 2, SYNC = 3 };
struct record { uint32_t kind, file; uint64_t at, offset, length; };

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static signed char files[65536];
static int journal = -1;

static void put(const void *bytes, size_t length) {
  const char *from = bytes;
  while (length > 0) {
    long done = syscall(SYS_write, journal, from, length);
    if (done <= 0) abort();
    from += done;
    length -= done;
  }
}

static void note(int kind, int fd, uint64_t offset, const void *bytes, uint64_t length) {
  struct timespec now;
  pthread_mutex_lock(&turn);
  if (journal < 0) journal = syscall(SYS_openat, AT_FDCWD, getenv("POWER_CUT_JOURNAL"),
    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  clock_gettime(CLOCK_MONOTONIC, &now);
  struct record record = { kind, files[fd] - 1, now.tv_sec * 1000000000ull + now.tv_nsec, offset, length };
  put(&record, sizeof record);
  if (bytes) put(bytes, length);
  pthread_mutex_unlock(&turn);
}

static int ends(const char *path, const char *end) {
  size_t a = strlen(path), b = strlen(end);
  return a >= b && !strcmp(path + a - b, end);
}

static int opened(int fd, const char *path) {
  if (fd >= 0 && fd < 65536) {
    files[fd] = ends(path, "/docket.db") ? 1 : ends(path, "/docket.db-wal") ? 2 : 0;
  }
  return fd;
}

static int known(int fd) { return fd >= 0 && fd < 65536 && files[fd]; }

#define REAL(type, name, ...) ((type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

int open(const char *path, int flags, ...) {
  va_list more; va_start(more, flags); int mode = va_arg(more, int); va_end(more);
  return opened(REAL(int, "open", const char *, int, ...)(path, flags, mode), path);
}
int open64(const char *path, int flags, ...) {
  va_list more; va_start(more, flags); int mode = va_arg(more, int); va_end(more);
  return opened(REAL(int, "open64", const char *, int, ...)(path, flags, mode), path);
}
int close(int fd) {
  if (fd >= 0 && fd < 65536) files[fd] = 0;
  return REAL(int, "close", int)(fd);
}
/* Recorded before the write: one that is under way at a power cut may reach the disk or not. */
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  if (known(fd)) note(WRITE, fd, offset, bytes, length);
  return REAL(ssize_t, "pwrite", int, const void *, size_t, off_t)(fd, bytes, length, offset);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  if (known(fd)) note(WRITE, fd, offset, bytes, length);
  return REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t)(fd, bytes, length, offset);
}
ssize_t write(int fd, const void *bytes, size_t length) {
  if (known(fd)) note(WRITE, fd, lseek(fd, 0, SEEK_CUR), bytes, length);
  return REAL(ssize_t, "write", int, const void *, size_t)(fd, bytes, length);
}
int ftruncate(int fd, off_t length) {
  if (known(fd)) note(TRUNCATE, fd, length, 0, 0);
  return REAL(int, "ftruncate", int, off_t)(fd, length);
}
int ftruncate64(int fd, off64_t length) {
  if (known(fd)) note(TRUNCATE, fd, length, 0, 0);
  return REAL(int, "ftruncate64", int, off64_t)(fd, length);
}
/* Recorded after the flush: only then is the data durable. */
int fsync(int fd) {
  int result = REAL(int, "fsync", int)(fd);
  if (result == 0 && known(fd)) note(SYNC, fd, 0, 0, 0);
  return result;
}
int fdatasync(int fd) {
  int result = REAL(int, "fdatasync", int)(fd);
  if (result == 0 && known(fd)) note(SYNC, fd, 0, 0, 0);
  return result;
}
