// What promises need and Swift doesn't have before macOS 15: a lock that takes only one word, and thread-local storage.
//
// The functions are inline, because a call would cost as much as the work that they do: one hop of a promise chain
// takes four locks. With a pthread mutex, a hop would take 13 % more instructions (2,367 instead of 2,092), and a promise
// would take 36 bytes more.

#ifndef PLEDGE_LOCK_H
#define PLEDGE_LOCK_H

#include <stdbool.h>

// These symbols are hidden. So if a process loads two dynamic libraries that both contain this module, each library
// uses its own copy.
#pragma GCC visibility push(hidden)

// A lock, which is unlocked if its word is 0. It is an os_unfair_lock on Darwin, and a futex on Linux.
//
// What a thread does under the lock happens before what the next owner does, even on processors that reorder memory
// accesses (arm64). To unlock, a thread stores PLEDGE_FREE in an atomic exchange that releases. To lock, the next owner
// reads this value in an atomic exchange that acquires. The relaxed accesses only decide whether to try again.
//
// No wake-up is lost. An exchange always reads the latest value, so an unlock can't miss a PLEDGE_WAITED_FOR. Before
// the kernel puts a thread to sleep, it compares the word once more.

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

// The thread-local variables, in this order:
//
// - The trampoline that the calling thread is running, or NULL.
// - The promise whose handler the thread is releasing, or that the thread is canceling, or NULL.
// - Whether the thread is running handlers of the default queue.
// - Whether the thread is running a handler of another queue.

extern _Thread_local void *pledge_thread_trampoline;
extern _Thread_local void *pledge_thread_releasing;
extern _Thread_local bool pledge_thread_drains;
extern _Thread_local bool pledge_thread_handles;

static inline void *pledge_trampoline(void) { return pledge_thread_trampoline; }
static inline void pledge_set_trampoline(void *trampoline) { pledge_thread_trampoline = trampoline; }
static inline void *pledge_releasing(void) { return pledge_thread_releasing; }
static inline void pledge_set_releasing(void *promise) { pledge_thread_releasing = promise; }
static inline bool pledge_drains(void) { return pledge_thread_drains; }
static inline void pledge_set_drains(bool drains) { pledge_thread_drains = drains; }
static inline bool pledge_handles(void) { return pledge_thread_handles; }
static inline void pledge_set_handles(bool handles) { pledge_thread_handles = handles; }

// Whether the app has set default queues. Every handler reads this variable, so it is read without the lock of the
// configuration.
//
// Relaxed access is sufficient, because the variable only says whether the queues have to be read under that lock. If
// something orders a read after the write, the read sees the new value.

extern bool pledge_queues_named;

static inline bool pledge_names_queues(void) { return __atomic_load_n(&pledge_queues_named, __ATOMIC_RELAXED); }
static inline void pledge_set_names_queues(bool named) {
    __atomic_store_n(&pledge_queues_named, named, __ATOMIC_RELAXED);
}

#pragma GCC visibility pop

#endif
