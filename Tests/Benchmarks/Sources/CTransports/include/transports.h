// What the transports are measured with: a server that is never the bottleneck, and libcurl with nothing around it.
// Both only do something on Linux.

#ifndef TRANSPORTS_H
#define TRANSPORTS_H

#include <stdbool.h>
#include <stddef.h>

/// Answers every HTTP/1.1 request on 127.0.0.1 with the same reply, on connections that are kept.
///
/// Prints the port, and for every line on standard input how many connections it has accepted so far. Returns when
/// standard input ends, with 0, or 1 when it cannot listen.
int transports_serve(const char *reply, size_t length);

/// A libcurl multi handle with its easy handles and connections. One thread at a time.
typedef struct transports_floor transports_floor;

/// Returns NULL where libcurl is missing.
transports_floor *transports_floor_new(const char *url, int in_flight);
/// Sends requests, always so many in flight, and counts the bytes of every reply.
/// Returns whether every reply was 200 and of the expected size.
bool transports_floor_run(transports_floor *floor, int requests, size_t expected);
void transports_floor_free(transports_floor *floor);

/// CPU seconds of this process so far, of all threads, user and system.
double transports_cpu_seconds(void);

#endif
