// What promises need and Swift lacks before macOS 15: a lock of one word, and thread-local storage.
//
// Inline, because a call would cost as much as the work: one step of a promise chain takes four locks. A pthread mutex
// costs six times the instructions.

#ifndef PLEDGE_LOCK_H
#define PLEDGE_LOCK_H

#include <stdbool.h>

// Hidden, so that two dynamic libraries of a process that both contain this module each use their own copy.
#pragma GCC visibility push(hidden)

// A lock, where 0 is unlocked: os_unfair_lock on Darwin, a futex on Linux.
//
// Whoever holds it has read, in an atomic exchange that acquires, the PLEDGE_FREE that the previous owner's unlock
// stored in one that releases. So what was done under the lock happens before what the next owner does, also where the
// processor reorders (arm64). The relaxed accesses only decide whether to try again. As an exchange always reads the
// latest value, an unlock cannot miss a PLEDGE_WAITED_FOR, and the kernel compares the word again before it puts a
// thread to sleep: no wake-up is lost.

#if defined(__APPLE__)

void pledge_lock(unsigned int *word);
void pledge_unlock(unsigned int *word);

#else

enum { PLEDGE_FREE = 0, PLEDGE_TAKEN = 1, PLEDGE_WAITED_FOR = 2 };

void pledge_wait_and_take(unsigned int *word);
void pledge_wake_one(unsigned int *word);

static inline bool pledge_take(unsigned int *word) {
    unsigned int expected = PLEDGE_FREE;
    return __atomic_compare_exchange_n(word, &expected, PLEDGE_TAKEN, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void pledge_lock(unsigned int *word) {
    if (__builtin_expect(!pledge_take(word), 0)) pledge_wait_and_take(word);
}

static inline void pledge_unlock(unsigned int *word) {
    if (__builtin_expect(__atomic_exchange_n(word, PLEDGE_FREE, __ATOMIC_RELEASE) == PLEDGE_WAITED_FOR, 0))
        pledge_wake_one(word);
}

#endif

// The calling thread's trampoline, if it is on one, the promise for which it runs a handler or that it cancels, and whether
// it runs handlers of the default queue, or one of another queue.

extern _Thread_local void *pledge_thread_trampoline;
extern _Thread_local void *pledge_thread_promise;
extern _Thread_local bool pledge_thread_drains;
extern _Thread_local bool pledge_thread_handles;

static inline void *pledge_trampoline(void) { return pledge_thread_trampoline; }
static inline void pledge_set_trampoline(void *trampoline) { pledge_thread_trampoline = trampoline; }
static inline void *pledge_promise(void) { return pledge_thread_promise; }
static inline void pledge_set_promise(void *promise) { pledge_thread_promise = promise; }
static inline bool pledge_drains(void) { return pledge_thread_drains; }
static inline void pledge_set_drains(bool drains) { pledge_thread_drains = drains; }
static inline bool pledge_handles(void) { return pledge_thread_handles; }
static inline void pledge_set_handles(bool handles) { pledge_thread_handles = handles; }

// Whether the app has set default queues. Read for every handler, so without the lock of the configuration. Relaxed is
// enough: it only says whether to read them under that lock, and a read that something orders after the write sees it.

extern bool pledge_queues_named;

static inline bool pledge_names_queues(void) { return __atomic_load_n(&pledge_queues_named, __ATOMIC_RELAXED); }
static inline void pledge_set_names_queues(bool named) {
    __atomic_store_n(&pledge_queues_named, named, __ATOMIC_RELAXED);
}

#pragma GCC visibility pop

#endif
