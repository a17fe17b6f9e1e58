// A library that is loaded into a process with LD_PRELOAD. It counts the steps (system calls) in which the process changes
// files of a folder. At one of these steps, it kills the process or makes the call fail. `strace --inject` cannot do that: it
// counts the calls of each thread separately, and which thread does which work differs between runs.
//
//   STOP_FOLDER  the path of the folder, without symbolic links
//   STOP_AT      the number of the step, counted from 1; 0 for no step
//   STOP_HOW     kill:   kills the process before the step
//                half:   kills the process after the first half of the step, if it is a write
//                ENOSPC: this step, and every later one that needs room on the disk, fails
//                EIO:    this step fails
//   STOP_LOG     a file outside the folder, which gets a line for each step
//   STOP_AHEAD   the seconds by which the process's date is ahead of the system's
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define ORIGINAL(name) __typeof__(&name) original = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

enum { CONTINUE, TEAR, FAIL };

static atomic_int steps;

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

// Counts a step, and returns whether the call continues, is torn in half, or fails.
static int step(const char *call, const char *path, int needs_room) {
    const char *at = getenv("STOP_AT"), *how = getenv("STOP_HOW"), *log = getenv("STOP_LOG");
    int number = atomic_fetch_add(&steps, 1) + 1, chosen = at ? atoi(at) : 0;
    if (log) {
        char line[PATH_MAX + 64];
        int length = snprintf(line, sizeof line, "%s %s\n", call, path);
        int file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        syscall(SYS_write, file, line, (size_t)length);
        syscall(SYS_close, file);
    }
    if (!chosen || !how || number < chosen) return CONTINUE;
    if (strcmp(how, "ENOSPC") == 0) {
        if (!needs_room) return CONTINUE;
        errno = ENOSPC;
        return FAIL;
    }
    if (number > chosen) return CONTINUE;
    if (strcmp(how, "EIO") == 0) {
        errno = EIO;
        return FAIL;
    }
    if (strcmp(how, "half") == 0 && strstr(call, "write")) return TEAR;
    die();
    return FAIL;
}

static int is_ours(const char *path) {
    const char *folder = getenv("STOP_FOLDER");
    return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static int descriptor_path(int descriptor, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
    return is_ours(path);
}

static int step_of(const char *call, int descriptor, int needs_room) {
    char path[PATH_MAX];
    int error = errno, outcome = CONTINUE;
    if (descriptor_path(descriptor, path)) outcome = step(call, path, needs_room);
    if (outcome != FAIL) errno = error;
    return outcome;
}

static int step_at(const char *call, int folder, const char *name, int needs_room) {
    char path[PATH_MAX * 2] = "";
    if (name[0] != '/' && folder != AT_FDCWD) {
        descriptor_path(folder, path);
        strcat(path, "/");
    }
    strncat(path, name, PATH_MAX - 1);
    return is_ours(path) ? step(call, path, needs_room) : CONTINUE;
}

#define WRITING(name, offset_type) \
    ssize_t name(int descriptor, const void *bytes, size_t count, offset_type offset) { \
        ORIGINAL(name); \
        int outcome = step_of(#name, descriptor, 1); \
        if (outcome == FAIL) return -1; \
        if (outcome == CONTINUE) return original(descriptor, bytes, count, offset); \
        original(descriptor, bytes, count / 2, offset); \
        die(); \
        return -1; \
    }
WRITING(pwrite, off_t)
WRITING(pwrite64, off64_t)

ssize_t write(int descriptor, const void *bytes, size_t count) {
    ORIGINAL(write);
    int outcome = step_of("write", descriptor, 1);
    if (outcome == FAIL) return -1;
    if (outcome == CONTINUE) return original(descriptor, bytes, count);
    original(descriptor, bytes, count / 2);
    die();
    return -1;
}

#define SYNCING(name) \
    int name(int descriptor) { \
        ORIGINAL(name); \
        return step_of(#name, descriptor, 0) == FAIL ? -1 : original(descriptor); \
    }
SYNCING(fsync)
SYNCING(fdatasync)

#define TRUNCATING(name, offset_type) \
    int name(int descriptor, offset_type length) { \
        ORIGINAL(name); \
        return step_of(#name, descriptor, 0) == FAIL ? -1 : original(descriptor, length); \
    }
TRUNCATING(ftruncate, off_t)
TRUNCATING(ftruncate64, off64_t)

int unlink(const char *path) {
    ORIGINAL(unlink);
    return step_at("unlink", AT_FDCWD, path, 0) == FAIL ? -1 : original(path);
}

int unlinkat(int folder, const char *name, int flags) {
    ORIGINAL(unlinkat);
    return step_at("unlinkat", folder, name, 0) == FAIL ? -1 : original(folder, name, flags);
}

int rename(const char *old, const char *new) {
    ORIGINAL(rename);
    return step_at("rename", AT_FDCWD, new, 1) == FAIL ? -1 : original(old, new);
}

int renameat(int old_folder, const char *old, int folder, const char *new) {
    ORIGINAL(renameat);
    return step_at("renameat", folder, new, 1) == FAIL ? -1 : original(old_folder, old, folder, new);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    const char *ahead = getenv("STOP_AHEAD");
    if (result == 0 && clock == CLOCK_REALTIME && ahead) time->tv_sec += atol(ahead);
    return result;
}

// Opening a file that already exists does not count as a step.
#define OPENING(name, folder_parameter, folder, ...) \
    int name(folder_parameter const char *path, int flags, ...) { \
        ORIGINAL(name); \
        va_list arguments; \
        va_start(arguments, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0; \
        va_end(arguments); \
        if (flags & O_CREAT && faccessat(folder, path, F_OK, 0) != 0 && step_at(#name, folder, path, 1) == FAIL) return -1; \
        return original(__VA_ARGS__ path, flags, mode); \
    }
#define FOLDER int folder,
OPENING(open, , AT_FDCWD, )
OPENING(open64, , AT_FDCWD, )
OPENING(openat, FOLDER, folder, folder, )
OPENING(openat64, FOLDER, folder, folder, )
