#include "pledge_lock.h"

#include <stdint.h>

#if defined(__APPLE__)

#include <os/lock.h>

_Static_assert(sizeof(os_unfair_lock) == sizeof(unsigned int), "os_unfair_lock is a word");

static inline void lock(unsigned int *word) { os_unfair_lock_lock((os_unfair_lock_t)word); }
static inline void unlock(unsigned int *word) { os_unfair_lock_unlock((os_unfair_lock_t)word); }

#else

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FREE = 0, TAKEN = 1, WAITED_FOR = 2, GLANCES = 64 };

static inline int take(unsigned int *word) {
    unsigned int expected = FREE;
    return __atomic_compare_exchange_n(word, &expected, TAKEN, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void breathe(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

__attribute__((noinline)) static void wait_and_take(unsigned int *word) {
    // Whoever has it needs a few dozen instructions, if it is running: look a few times before going to sleep.
    for (int glance = 0; glance < GLANCES; glance++) {
        breathe();
        if (__atomic_load_n(word, __ATOMIC_RELAXED) == FREE && take(word)) return;
    }
    while (__atomic_exchange_n(word, WAITED_FOR, __ATOMIC_ACQUIRE) != FREE)
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, WAITED_FOR, NULL, NULL, 0);
}

__attribute__((noinline)) static void wake_one(unsigned int *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static inline void lock(unsigned int *word) {
    if (__builtin_expect(!take(word), 0)) wait_and_take(word);
}

static inline void unlock(unsigned int *word) {
    if (__builtin_expect(__atomic_exchange_n(word, FREE, __ATOMIC_RELEASE) == WAITED_FOR, 0)) wake_one(word);
}

#endif

void pledge_lock(unsigned int *word) { lock(word); }
void pledge_unlock(unsigned int *word) { unlock(word); }

enum { TABLE_BITS = 6 };

// One lock per pair of cache lines, so that two threads on two locks do not slow each other down.
static struct {
    unsigned int word;
    char padding[124];
} table[1 << TABLE_BITS] __attribute__((aligned(128)));

static inline unsigned int *word_of(const void *object) {
    // The upper bits of this product depend on all bits of the address.
    return &table[((uint64_t)(uintptr_t)object * 0x9E3779B97F4A7C15u) >> (64 - TABLE_BITS)].word;
}

void pledge_lock_object(const void *object) { lock(word_of(object)); }
void pledge_unlock_object(const void *object) { unlock(word_of(object)); }
