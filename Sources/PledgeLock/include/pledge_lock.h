// A lock of one word: free is 0. On Darwin os_unfair_lock, on Linux a futex.
//
// In C, because Swift has atomics only from macOS 15 on, and because a pthread mutex costs six times the instructions:
// a hop of a promise takes four locks.

#ifndef PLEDGE_LOCK_H
#define PLEDGE_LOCK_H

void pledge_lock(unsigned int *word);
void pledge_unlock(unsigned int *word);

// The lock of an object, found by its address in a table; two objects may share one.
void pledge_lock_object(const void *object);
void pledge_unlock_object(const void *object);

#endif
