#include "pledge_lock.h"

#if defined(__APPLE__)

#include <os/lock.h>

_Static_assert(sizeof(os_unfair_lock) == sizeof(unsigned int), "os_unfair_lock is a word");

void pledge_lock(unsigned int *word) { os_unfair_lock_lock((os_unfair_lock_t)word); }
void pledge_unlock(unsigned int *word) { os_unfair_lock_unlock((os_unfair_lock_t)word); }

#else

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SPIN_LIMIT = 64 };

static inline void cpu_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void pledge_wait_and_take(unsigned int *word) {
    // If the owner is running, it needs the lock only for a few dozen instructions. So spin briefly before going to
    // sleep.
    for (int spin = 0; spin < SPIN_LIMIT; spin++) {
        cpu_relax();
        if (__atomic_load_n(word, __ATOMIC_RELAXED) == PLEDGE_FREE && pledge_take(word)) return;
    }
    while (__atomic_exchange_n(word, PLEDGE_WAITED_FOR, __ATOMIC_ACQUIRE) != PLEDGE_FREE)
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, PLEDGE_WAITED_FOR, NULL, NULL, 0);
}

void pledge_wake_one(unsigned int *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

#endif

_Thread_local void *pledge_thread_trampoline;
_Thread_local void *pledge_thread_releasing;
_Thread_local bool pledge_thread_drains;
_Thread_local bool pledge_thread_handles;
bool pledge_queues_named;
