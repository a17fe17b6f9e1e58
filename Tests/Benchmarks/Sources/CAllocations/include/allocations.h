#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Returns whether a program can count its own allocations on this platform. With glibc, it can.
bool allocations_can_be_counted(void);

/// Starts or stops counting, in all threads.
void allocations_count(bool on);

/// Returns the number of calls of malloc, calloc, realloc, and the functions for aligned memory that were counted so
/// far.
int64_t allocations_so_far(void);

/// Returns the bytes of the heap that are in use, including the allocator's bookkeeping.
int64_t allocations_bytes_in_use(void);

/// Limits the stack of every thread that is created from now on. Returns false if that isn't possible.
bool allocations_limit_thread_stacks(size_t bytes);
