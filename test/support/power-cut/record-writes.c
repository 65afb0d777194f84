/*
 * Loaded into a process with LD_PRELOAD: writes down, in one total order over all its threads, what
 * the process does to the files of one folder, and makes chosen calls fail. journal.ts reads it.
 *
 *   RECORD_FOLDER    real path of the folder
 *   RECORD_JOURNAL   file that the journal is appended to
 *   RECORD_SYNC_US   microseconds that every sync takes; the disk itself is not asked for it then,
 *                    so that a run does not depend on how busy that is
 *   RECORD_FAULT     "<calls> <path part or *> <first> <count> <errno> <short 0|1>": of the calls
 *                    (letters: w write, t truncate, c create, u unlink, rename, rmdir, m mkdir,
 *                    s sync) on files whose path has the part in it, `count` fail from the
 *                    `first` on (1 is the first); with short, the first of them writes a half.
 *
 * The order is that of one lock, held over a call and its journal record. A sync has two records,
 * one before it begins and one after it has ended, and holds the lock over neither.
 * What the journal cannot express (a writable shared mapping of a data file, copies inside the
 * kernel, holes) ends the process, so nothing passes unseen. msync, sync_file_range and sync are
 * let through without a record: they promise less than fsync, and a test may assume nothing of them.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define FILES_MAX 65536
#define EXPORT __attribute__((visibility("default")))

enum kind { OPEN = 1, WRITE, TRUNCATE, SYNC_BEGIN, SYNC_END, UNLINK, RENAME, MKDIR, RMDIR, FAULT };
enum { CREATED = 1, EMPTIED = 2, DURABLE = 4, FAILED = 8 };

/* Little-endian, followed by `length` bytes: what was written, or a path (two, with a NUL between). */
struct record {
  uint32_t length;
  uint8_t kind;
  uint8_t flags;
  uint16_t zero;
  uint64_t file;   /* inode */
  uint64_t offset; /* of a write; size of a truncation; number of a sync */
  uint64_t time;   /* monotonic, nanoseconds */
};

/* What a descriptor of this process stands for; device 0: nothing in the folder. */
struct file {
  dev_t device;
  ino_t inode;
  int durable; /* O_DSYNC or O_SYNC */
  char *path;  /* inside the folder */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct file files[FILES_MAX];
static char folder[PATH_MAX];
static size_t folder_length;
static int journal = -1;
static uint64_t syncs;
static long sync_us = -1;

static char fault_calls[16], fault_part[256];
static long fault_first, fault_count, fault_errno, fault_short, fault_seen;

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) abort();
  return found;
}

static void stop(const char *what, const char *path) {
  dprintf(2, "record-writes: %s of %s cannot be recorded\n", what, path);
  abort();
}

__attribute__((constructor)) static void begin(void) {
  const char *name = getenv("RECORD_FOLDER"), *to = getenv("RECORD_JOURNAL");
  const char *slow = getenv("RECORD_SYNC_US"), *fault = getenv("RECORD_FAULT");
  if (name == NULL || to == NULL) return;
  folder_length = strlen(name);
  memcpy(folder, name, folder_length + 1);
  journal = syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (journal < 0) stop("opening", to);
  if (slow != NULL) sync_us = atol(slow);
  if (fault != NULL && sscanf(fault, "%15s %255s %ld %ld %ld %ld", fault_calls, fault_part,
                              &fault_first, &fault_count, &fault_errno, &fault_short) != 6)
    stop("the fault", fault);
}

/* The part of a path inside the folder ("" for itself), or NULL. */
static const char *inside(const char *path) {
  if (journal < 0 || path == NULL || strncmp(path, folder, folder_length) != 0) return NULL;
  const char *rest = path + folder_length;
  if (*rest != '\0' && *rest != '/') return NULL;
  while (*rest == '/') rest++;
  return rest;
}

/* Under the lock. */
static void append(enum kind kind, int flags, uint64_t file, uint64_t offset, const struct iovec *parts,
                   int count, size_t length) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  struct record head = {length, kind, flags, 0, file, offset, now.tv_sec * 1000000000ull + now.tv_nsec};
  char *whole = malloc(sizeof head + length);
  memcpy(whole, &head, sizeof head);
  size_t at = sizeof head;
  for (int i = 0; i < count && at < sizeof head + length; i++) {
    size_t left = sizeof head + length - at;
    size_t part = parts[i].iov_len < left ? parts[i].iov_len : left;
    memcpy(whole + at, parts[i].iov_base, part);
    at += part;
  }
  for (size_t done = 0; done < at;) {
    long wrote = syscall(SYS_write, journal, whole + done, at - done);
    if (wrote <= 0) stop("the journal", folder);
    done += wrote;
  }
  free(whole);
}

static void append_path(enum kind kind, int flags, uint64_t file, const char *path) {
  struct iovec part = {(void *)path, strlen(path)};
  append(kind, flags, file, 0, &part, 1, part.iov_len);
}

/* The file that a descriptor stands for, or NULL. A stale row is told by its inode. */
static struct file *file_of(int fd) {
  if (journal < 0 || fd < 0 || fd >= FILES_MAX || files[fd].device == 0) return NULL;
  struct stat now;
  int saved = errno;
  int failed = fstat(fd, &now);
  errno = saved;
  if (failed || now.st_dev != files[fd].device || now.st_ino != files[fd].inode) {
    files[fd].device = 0;
    return NULL;
  }
  return &files[fd];
}

/* Whether this call is one of those that fail: 0, 1, or 2 for a write that is cut short. Locked. */
static int is_faulty(char call, const char *path) {
  if (fault_count == 0 || strchr(fault_calls, call) == NULL) return 0;
  if (strcmp(fault_part, "*") != 0 && strstr(path, fault_part) == NULL) return 0;
  long number = ++fault_seen;
  if (number < fault_first || number >= fault_first + fault_count) return 0;
  char text[PATH_MAX + 4];
  snprintf(text, sizeof text, "%c %s", call, path);
  append_path(FAULT, 0, number, text);
  errno = fault_errno;
  return fault_short && number == fault_first ? 2 : 1;
}

/* ---- opening ---- */

static int opened(const char *path, int flags, mode_t mode, int at, int (*call)(int, const char *, int, ...)) {
  const char *name = inside(path);
  if (name == NULL) return call(at, path, flags, mode);
  pthread_mutex_lock(&lock);
  struct stat now;
  int existed = stat(path, &now) == 0;
  int creates = !existed && (flags & O_CREAT);
  int own = sync_us < 0 ? flags : flags & ~(O_SYNC | O_DSYNC);
  int fd = creates && is_faulty('c', name) ? -1 : call(at, path, own, mode);
  if (fd >= FILES_MAX) stop("so many files", path);
  if (fd >= 0) {
    fstat(fd, &now);
    struct file *file = &files[fd];
    free(file->path);
    *file = (struct file){now.st_dev, now.st_ino, (flags & O_DSYNC) != 0, strdup(name)};
    int marks = (creates ? CREATED : 0) | (existed && (flags & O_TRUNC) ? EMPTIED : 0);
    append_path(OPEN, marks, now.st_ino, name);
  }
  int saved = errno;
  pthread_mutex_unlock(&lock);
  errno = saved;
  return fd;
}

static int real_openat(int at, const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return REAL(openat)(at, path, flags, mode);
}

#define OPEN_WITH(at, path, flags)                                 \
  mode_t mode = 0;                                                 \
  if (flags & (O_CREAT | O_TMPFILE)) {                             \
    va_list rest;                                                  \
    va_start(rest, flags);                                         \
    mode = va_arg(rest, mode_t);                                   \
    va_end(rest);                                                  \
  }                                                                \
  return opened(path, flags, mode, at, real_openat)

EXPORT int open(const char *path, int flags, ...) { OPEN_WITH(AT_FDCWD, path, flags); }
EXPORT int open64(const char *path, int flags, ...) { OPEN_WITH(AT_FDCWD, path, flags); }
EXPORT int openat(int at, const char *path, int flags, ...) { OPEN_WITH(at, path, flags); }
EXPORT int openat64(int at, const char *path, int flags, ...) { OPEN_WITH(at, path, flags); }

EXPORT int creat(const char *path, mode_t mode) {
  return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
EXPORT int creat64(const char *path, mode_t mode) { return creat(path, mode); }

EXPORT FILE *fopen(const char *path, const char *mode) {
  if (inside(path) != NULL && strpbrk(mode, "wa+") != NULL) stop("fopen", path);
  return REAL(fopen)(path, mode);
}
EXPORT FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

/* ---- writing ---- */

/* One write of any form; offset -1: at the descriptor's own position. */
static ssize_t written(int fd, const struct iovec *parts, int count, off_t offset) {
  pthread_mutex_lock(&lock);
  struct file *file = file_of(fd);
  if (file == NULL) {
    pthread_mutex_unlock(&lock);
    return offset < 0 ? REAL(writev)(fd, parts, count) : REAL(pwritev)(fd, parts, count, offset);
  }
  int fault = is_faulty('w', file->path);
  struct iovec half = {parts[0].iov_base, (parts[0].iov_len + 1) / 2};
  if (fault == 2) parts = &half, count = 1;
  ssize_t wrote = fault == 1 ? -1
                  : offset < 0 ? REAL(writev)(fd, parts, count)
                               : REAL(pwritev)(fd, parts, count, offset);
  int saved = errno;
  if (wrote > 0) {
    off_t at = offset < 0 ? lseek(fd, 0, SEEK_CUR) - wrote : offset;
    append(WRITE, file->durable ? DURABLE : 0, file->inode, at, parts, count, wrote);
  }
  pthread_mutex_unlock(&lock);
  errno = saved;
  return wrote;
}

EXPORT ssize_t write(int fd, const void *bytes, size_t length) {
  if (file_of(fd) == NULL) return REAL(write)(fd, bytes, length);
  struct iovec part = {(void *)bytes, length};
  return written(fd, &part, 1, -1);
}
EXPORT ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  struct iovec part = {(void *)bytes, length};
  return written(fd, &part, 1, offset);
}
EXPORT ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  return pwrite64(fd, bytes, length, offset);
}
EXPORT ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (file_of(fd) == NULL) return REAL(writev)(fd, parts, count);
  return written(fd, parts, count, -1);
}
EXPORT ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  return written(fd, parts, count, offset);
}
EXPORT ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  return written(fd, parts, count, offset);
}
EXPORT ssize_t pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags) {
  if (file_of(fd) != NULL && flags != 0) stop("pwritev2", files[fd].path);
  return written(fd, parts, count, offset);
}
EXPORT ssize_t sendfile64(int to, int from, off64_t *offset, size_t count) {
  if (file_of(to) != NULL) stop("sendfile", files[to].path);
  return REAL(sendfile64)(to, from, offset, count);
}
EXPORT ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t length, unsigned flags) {
  if (file_of(to) != NULL) stop("copy_file_range", files[to].path);
  return REAL(copy_file_range)(from, from_at, to, to_at, length, flags);
}

/* LMDB maps its lock file, whose content means nothing after a restart of the machine. */
EXPORT void *mmap64(void *at, size_t length, int protection, int flags, int fd, off64_t offset) {
  struct file *file = (flags & MAP_SHARED) && (protection & PROT_WRITE) ? file_of(fd) : NULL;
  if (file != NULL && strstr(file->path, "lock.mdb") == NULL) stop("a writable mapping", file->path);
  return REAL(mmap64)(at, length, protection, flags, fd, offset);
}
EXPORT void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset) {
  return mmap64(at, length, protection, flags, fd, offset);
}

/* ---- sizes ---- */

static int resized(int fd, off_t size, int grows_only, int (*call)(int, off64_t)) {
  pthread_mutex_lock(&lock);
  struct file *file = file_of(fd);
  int failed = file != NULL && is_faulty('t', file->path) ? -1 : call(fd, size);
  int saved = errno;
  struct stat now;
  if (file != NULL && failed == 0 && fstat(fd, &now) == 0 && (!grows_only || now.st_size == size))
    append(TRUNCATE, 0, file->inode, now.st_size, NULL, 0, 0);
  pthread_mutex_unlock(&lock);
  errno = saved;
  return failed;
}

static int real_ftruncate(int fd, off64_t size) { return REAL(ftruncate64)(fd, size); }
static int real_fallocate(int fd, off64_t size) { return REAL(fallocate64)(fd, 0, 0, size); }

EXPORT int ftruncate64(int fd, off64_t size) { return resized(fd, size, 0, real_ftruncate); }
EXPORT int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }
EXPORT int truncate64(const char *path, off64_t size) {
  if (inside(path) != NULL) stop("truncate by name", path);
  return REAL(truncate64)(path, size);
}
EXPORT int truncate(const char *path, off_t size) { return truncate64(path, size); }

EXPORT int fallocate64(int fd, int mode, off64_t offset, off64_t length) {
  if (file_of(fd) == NULL) return REAL(fallocate64)(fd, mode, offset, length);
  if (mode != 0) stop("fallocate", files[fd].path);
  return resized(fd, offset + length, 1, real_fallocate);
}
EXPORT int fallocate(int fd, int mode, off_t offset, off_t length) {
  return fallocate64(fd, mode, offset, length);
}
EXPORT int posix_fallocate64(int fd, off64_t offset, off64_t length) {
  return fallocate64(fd, 0, offset, length) == 0 ? 0 : errno;
}
EXPORT int posix_fallocate(int fd, off_t offset, off_t length) {
  return posix_fallocate64(fd, offset, length);
}

/* ---- syncing ---- */

static int synced(int fd, int (*call)(int)) {
  pthread_mutex_lock(&lock);
  struct file *file = file_of(fd);
  if (file == NULL) {
    pthread_mutex_unlock(&lock);
    return call(fd);
  }
  uint64_t inode = file->inode, number = ++syncs;
  int fault = is_faulty('s', file->path);
  append(SYNC_BEGIN, 0, inode, number, NULL, 0, 0);
  pthread_mutex_unlock(&lock);
  int failed = fault ? -1 : sync_us < 0 ? call(fd) : 0;
  int saved = fault ? (int)fault_errno : errno;
  if (sync_us > 0) usleep(sync_us);
  pthread_mutex_lock(&lock);
  append(SYNC_END, failed ? FAILED : 0, inode, number, NULL, 0, 0);
  pthread_mutex_unlock(&lock);
  errno = saved;
  return failed;
}

EXPORT int fsync(int fd) { return synced(fd, REAL(fsync)); }
EXPORT int fdatasync(int fd) { return synced(fd, REAL(fdatasync)); }

/* ---- names ---- */

static int renamed(const char *from, const char *to) {
  const char *old = inside(from), *new = inside(to);
  if (old == NULL && new == NULL) return REAL(rename)(from, to);
  if (old == NULL || new == NULL) stop("a rename over the border", from);
  pthread_mutex_lock(&lock);
  int failed = is_faulty('u', old) ? -1 : REAL(rename)(from, to);
  int saved = errno;
  if (!failed) {
    struct iovec parts[2] = {{(void *)old, strlen(old) + 1}, {(void *)new, strlen(new)}};
    append(RENAME, 0, 0, 0, parts, 2, parts[0].iov_len + parts[1].iov_len);
  }
  pthread_mutex_unlock(&lock);
  errno = saved;
  return failed;
}

EXPORT int rename(const char *from, const char *to) { return renamed(from, to); }
EXPORT int renameat(int from_at, const char *from, int to_at, const char *to) {
  if (inside(from) != NULL || inside(to) != NULL) return renamed(from, to);
  return REAL(renameat)(from_at, from, to_at, to);
}
EXPORT int link(const char *from, const char *to) {
  if (inside(from) != NULL || inside(to) != NULL) stop("link", from);
  return REAL(link)(from, to);
}

static int named(const char *path, enum kind kind, char call, mode_t mode) {
  const char *name = inside(path);
  if (name != NULL) pthread_mutex_lock(&lock);
  int failed = name != NULL && is_faulty(call, name) ? -1
               : kind == UNLINK                      ? REAL(unlink)(path)
               : kind == RMDIR                       ? REAL(rmdir)(path)
                                                     : REAL(mkdir)(path, mode);
  int saved = errno;
  if (name != NULL) {
    if (!failed) append_path(kind, 0, 0, name);
    pthread_mutex_unlock(&lock);
  }
  errno = saved;
  return failed;
}

EXPORT int unlink(const char *path) { return named(path, UNLINK, 'u', 0); }
EXPORT int rmdir(const char *path) { return named(path, RMDIR, 'u', 0); }
EXPORT int mkdir(const char *path, mode_t mode) { return named(path, MKDIR, 'm', mode); }
EXPORT int unlinkat(int at, const char *path, int flags) {
  if (inside(path) != NULL) return (flags & AT_REMOVEDIR) ? rmdir(path) : unlink(path);
  return REAL(unlinkat)(at, path, flags);
}
