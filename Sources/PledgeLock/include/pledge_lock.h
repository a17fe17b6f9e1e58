// A lock of one word: free is 0. On Darwin os_unfair_lock, on Linux a futex.
//
// In C, because Swift has atomics only from macOS 15 on, and because a pthread mutex costs six times the instructions.
// In the header, because the calls would cost as much as the work: a hop of a promise takes three locks.

#ifndef PLEDGE_LOCK_H
#define PLEDGE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

// Hidden: where two dynamic libraries of a process have this module in them, each is to keep its own.
#pragma GCC visibility push(hidden)

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

// The lock of an object, found by its address in a table; two objects may share one. One lock per pair of cache lines,
// so that two threads on two locks do not slow each other down.

enum { PLEDGE_TABLE_BITS = 6 };

struct pledge_padded_lock {
    unsigned int word;
    char padding[124];
} __attribute__((aligned(128)));

extern struct pledge_padded_lock pledge_locks[1 << PLEDGE_TABLE_BITS];

static inline unsigned int *pledge_word_of(const void *object) {
    // The upper bits of this product depend on all bits of the address.
    return &pledge_locks[((uint64_t)(uintptr_t)object * 0x9E3779B97F4A7C15u) >> (64 - PLEDGE_TABLE_BITS)].word;
}

static inline void pledge_lock_object(const void *object) { pledge_lock(pledge_word_of(object)); }
static inline void pledge_unlock_object(const void *object) { pledge_unlock(pledge_word_of(object)); }

// Words that are read or changed without a lock.

static inline unsigned int pledge_load(const unsigned int *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
static inline void pledge_store(unsigned int *word, unsigned int value) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static inline unsigned int pledge_decrement(unsigned int *word) {
    return __atomic_sub_fetch(word, 1, __ATOMIC_ACQ_REL);
}

// A mark on the calling thread.

extern _Thread_local const void *pledge_thread_mark;

static inline const void *pledge_mark(void) { return pledge_thread_mark; }
static inline void pledge_set_mark(const void *mark) { pledge_thread_mark = mark; }

#pragma GCC visibility pop

#endif
