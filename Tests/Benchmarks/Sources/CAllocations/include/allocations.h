#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether this platform lets a program count its own allocations: glibc does.
bool allocations_can_be_counted(void);

/// Starts and stops counting, in all threads.
void allocations_count(bool on);

/// Calls of malloc, calloc, realloc and the aligned ones that were counted so far.
int64_t allocations_so_far(void);

/// Bytes of heap in use, bookkeeping included.
int64_t allocations_bytes_in_use(void);

/// Limits the stack of every thread made from now on. Returns false where that cannot be done.
bool allocations_limit_thread_stacks(size_t bytes);
