// Ends a run of tests in which nothing happens anymore, for example after a deadlock. Without the watchdog, such a run would
// hang silently until someone ends it. A time limit would not work, because it would depend on how busy the machine is.
#include "PledgeTestWatchdog.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long milliseconds(struct timeval time) { return time.tv_sec * 1000 + time.tv_usec / 1000; }

static long used(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
}

// Returns whether a program that a test has started may still be working. A program that has ended doesn't count, even if
// nobody has waited for it.
static int has_child(void) {
    siginfo_t info = {.si_pid = 0};
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

// After `patience` seconds without activity, the tests count as hanging. After `longest` seconds, the process of an exit test
// counts as hanging even if it still uses a little processor time; 0 means that there is no such limit. Both times are short
// during mutation tests, because each mutation may make the tests hang.
static int patience = 300, longest = 0;

// `idle` counts the seconds in which nothing has happened, and `alone` those in which no program of a test was running.
static atomic_int idle, alone;

int pledge_test_waits_in_vain(void) { return idle >= patience / 2 && alone >= 15; }

static void *watch(void *unused) {
    long before = used();
    int seconds = 0;
    while ((idle < patience || alone < 15) && (longest == 0 || seconds < longest)) {
        // Sleeps a second at a time, and not all at once, because time in which the process is stopped must not count.
        sleep(1);
        seconds++;
        alone = has_child() ? 0 : alone + 1;
        idle++;
        if (used() - before > 300) {
            before = used();
            idle = 0;
        }
    }
    fprintf(stderr, "A test that has started and not ended hangs: nothing has happened for %d s.\n", (int)idle);
    abort();
}

__attribute__((constructor)) static void start(void) {
    const char *mutant = getenv("PLEDGE_MUTANT");
    if (mutant && *mutant) {
        patience = 60;
        longest = getenv("SWT_EXIT_TEST_ID") ? 75 : 0;
    }
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, NULL) == 0) pthread_detach(thread);
}
