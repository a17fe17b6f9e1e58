#define _GNU_SOURCE
#include "allocations.h"

#if defined(__linux__) && defined(__GLIBC__)

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>

// glibc's own functions, under the names that the malloc below can call. If a program defines malloc, all libraries
// that the program loads call this malloc instead of glibc's.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_bool counting;
static atomic_int_fast64_t count;

static inline void note(void) {
    if (atomic_load_explicit(&counting, memory_order_relaxed)) {
        atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    }
}

void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    note();
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    note();
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    note();
    void *made = __libc_memalign(alignment, size);
    if (!made) return ENOMEM;
    *memory = made;
    return 0;
}

void free(void *memory) {
    __libc_free(memory);
}

bool allocations_can_be_counted(void) {
    return true;
}

void allocations_count(bool on) {
    atomic_store(&counting, on);
}

int64_t allocations_so_far(void) {
    return atomic_load(&count);
}

int64_t allocations_bytes_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
}

bool allocations_limit_thread_stacks(size_t bytes) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes)) return false;
    bool limited = !pthread_attr_setstacksize(&attributes, bytes) && !pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
    return limited;
}

#else

bool allocations_can_be_counted(void) { return false; }
void allocations_count(bool on) { (void)on; }
int64_t allocations_so_far(void) { return 0; }
int64_t allocations_bytes_in_use(void) { return 0; }
bool allocations_limit_thread_stacks(size_t bytes) { (void)bytes; return false; }

#endif
