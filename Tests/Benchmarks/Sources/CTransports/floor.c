#include "transports.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <stdlib.h>

// The numbers of libcurl's options, which have been the same since version 7.16.
enum {
    OPTION_NOSIGNAL = 99,
    OPTION_WRITEDATA = 10001,
    OPTION_URL = 10002,
    OPTION_PROXY = 10004,
    OPTION_PRIVATE = 10103,
    OPTION_WRITEFUNCTION = 20011,
    INFO_STATUS = 0x200002,
    INFO_PRIVATE = 0x100000 + 21,
    MULTI_MAXCONNECTS = 6,
};

struct message {
    int kind;
    void *easy;
    union {
        void *whatever;
        int outcome;
    } data;
};

static struct {
    int (*global_init)(long);
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *);
    int (*easy_setopt)(void *, int, ...);
    int (*easy_getinfo)(void *, int, ...);
    void *(*multi_init)(void);
    int (*multi_cleanup)(void *);
    int (*multi_setopt)(void *, int, ...);
    int (*multi_add_handle)(void *, void *);
    int (*multi_remove_handle)(void *, void *);
    int (*multi_perform)(void *, int *);
    int (*multi_poll)(void *, void *, unsigned, int, int *);
    struct message *(*multi_info_read)(void *, int *);
} curl;

static bool load(void) {
    static const struct {
        const char *name;
        void **place;
    } functions[] = {
        {"curl_global_init", (void **)&curl.global_init},
        {"curl_easy_init", (void **)&curl.easy_init},
        {"curl_easy_cleanup", (void **)&curl.easy_cleanup},
        {"curl_easy_setopt", (void **)&curl.easy_setopt},
        {"curl_easy_getinfo", (void **)&curl.easy_getinfo},
        {"curl_multi_init", (void **)&curl.multi_init},
        {"curl_multi_cleanup", (void **)&curl.multi_cleanup},
        {"curl_multi_setopt", (void **)&curl.multi_setopt},
        {"curl_multi_add_handle", (void **)&curl.multi_add_handle},
        {"curl_multi_remove_handle", (void **)&curl.multi_remove_handle},
        {"curl_multi_perform", (void **)&curl.multi_perform},
        {"curl_multi_poll", (void **)&curl.multi_poll},
        {"curl_multi_info_read", (void **)&curl.multi_info_read},
    };
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        *functions[index].place = dlsym(library, functions[index].name);
        if (!*functions[index].place) return false;
    }
    return curl.global_init(3) == 0;
}

struct exchange {
    void *easy;
    size_t received;
};

struct transports_floor {
    void *multi;
    int in_flight;
    struct exchange *exchanges;
};

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    ((struct exchange *)context)->received += size * count;
    return size * count;
}

transports_floor *transports_floor_new(const char *url, int in_flight) {
    if (!load()) return NULL;
    transports_floor *floor = calloc(1, sizeof *floor);
    floor->multi = curl.multi_init();
    floor->in_flight = in_flight;
    floor->exchanges = calloc((size_t)in_flight, sizeof *floor->exchanges);
    curl.multi_setopt(floor->multi, MULTI_MAXCONNECTS, (long)in_flight);
    for (int index = 0; index < in_flight; index++) {
        struct exchange *exchange = &floor->exchanges[index];
        exchange->easy = curl.easy_init();
        curl.easy_setopt(exchange->easy, OPTION_URL, url);
        curl.easy_setopt(exchange->easy, OPTION_PROXY, "");
        curl.easy_setopt(exchange->easy, OPTION_NOSIGNAL, 1L);
        curl.easy_setopt(exchange->easy, OPTION_PRIVATE, exchange);
        curl.easy_setopt(exchange->easy, OPTION_WRITEDATA, exchange);
        curl.easy_setopt(exchange->easy, OPTION_WRITEFUNCTION, receive);
    }
    return floor;
}

bool transports_floor_run(transports_floor *floor, int requests, size_t expected) {
    int begun = 0, ended = 0;
    bool is_right = true;
    for (; begun < floor->in_flight && begun < requests; begun++) {
        floor->exchanges[begun].received = 0;
        curl.multi_add_handle(floor->multi, floor->exchanges[begun].easy);
    }
    while (ended < requests) {
        int running = 0, left = 0;
        curl.multi_perform(floor->multi, &running);
        for (struct message *message; (message = curl.multi_info_read(floor->multi, &left));) {
            void *easy = message->easy;
            struct exchange *exchange = NULL;
            long status = 0;
            is_right &= message->data.outcome == 0;
            curl.easy_getinfo(easy, INFO_STATUS, &status);
            curl.easy_getinfo(easy, INFO_PRIVATE, &exchange);
            is_right &= status == 200 && exchange->received == expected;
            ended++;
            curl.multi_remove_handle(floor->multi, easy);
            if (begun == requests) continue;
            begun++;
            exchange->received = 0;
            curl.multi_add_handle(floor->multi, easy);
        }
        if (ended < requests) curl.multi_poll(floor->multi, NULL, 0, 1000, NULL);
    }
    return is_right;
}

void transports_floor_free(transports_floor *floor) {
    for (int index = 0; index < floor->in_flight; index++) curl.easy_cleanup(floor->exchanges[index].easy);
    curl.multi_cleanup(floor->multi);
    free(floor->exchanges);
    free(floor);
}

#else

transports_floor *transports_floor_new(const char *url, int in_flight) { return 0; }
bool transports_floor_run(transports_floor *floor, int requests, size_t expected) { return false; }
void transports_floor_free(transports_floor *floor) {}

#endif
