// The reference points for the transports: a server that is never the bottleneck, and libcurl without anything around
// it. Both work only on Linux.

#ifndef TRANSPORTS_H
#define TRANSPORTS_H

#include <stdbool.h>
#include <stddef.h>

/// Answers every HTTP/1.1 request on 127.0.0.1 with the same reply, and keeps the connections open.
///
/// Prints the port and, for every line on standard input, the number of connections that it has accepted so far.
/// Returns 0 when standard input ends, or 1 if it can't listen.
int transports_serve(const char *reply, size_t length);

/// A libcurl multi handle with its easy handles and connections. Only one thread may use it at a time.
typedef struct transports_floor transports_floor;

/// Returns NULL if libcurl isn't installed.
transports_floor *transports_floor_new(const char *url, int in_flight);
/// Sends requests, keeps the given number of them in flight, and counts the bytes of every reply. Returns whether every
/// reply was a 200 of the expected size.
bool transports_floor_run(transports_floor *floor, int requests, size_t expected);
void transports_floor_free(transports_floor *floor);

/// Returns the CPU seconds that all threads of this process have used so far, in user and system time.
double transports_cpu_seconds(void);

#endif
