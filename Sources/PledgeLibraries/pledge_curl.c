#include "pledge_curl.h"

#if defined(__linux__)

#include "pledge_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

// Version 7.80 introduced the callback before a request. Without it, curl can't be kept from sending a request twice.
#define OLDEST 0x075000

// The beginning of curl_version_info_data, which hasn't changed since 7.10.
struct version_info {
    int age;
    const char *version;
    unsigned int version_num;
};

// The layout of CURLMsg, which hasn't changed since 7.9.6.
struct message {
    int kind;
    void *easy;
    union {
        void *whatever;
        int outcome;
    } data;
};

enum { MESSAGE_DONE = 1, GLOBAL_ALL = 3, MULTI_MAXCONNECTS = 6 };

static struct {
    int (*global_init)(long);
    struct version_info *(*version_info)(int);
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *);
    int (*easy_setopt)(void *, int, ...);
    int (*easy_getinfo)(void *, int, ...);
    const char *(*easy_strerror)(int);
    void *(*slist_append)(void *, const char *);
    void (*slist_free_all)(void *);
    void *(*multi_init)(void);
    int (*multi_cleanup)(void *);
    int (*multi_setopt)(void *, int, ...);
    int (*multi_add_handle)(void *, void *);
    int (*multi_remove_handle)(void *, void *);
    int (*multi_perform)(void *, int *);
    int (*multi_poll)(void *, void *, unsigned int, int, int *);
    int (*multi_wakeup)(void *);
    struct message *(*multi_info_read)(void *, int *);
} curl;

static const struct pledge_function functions[] = {
    {"curl_global_init", (void **)&curl.global_init},
    {"curl_version_info", (void **)&curl.version_info},
    {"curl_easy_init", (void **)&curl.easy_init},
    {"curl_easy_cleanup", (void **)&curl.easy_cleanup},
    {"curl_easy_setopt", (void **)&curl.easy_setopt},
    {"curl_easy_getinfo", (void **)&curl.easy_getinfo},
    {"curl_easy_strerror", (void **)&curl.easy_strerror},
    {"curl_slist_append", (void **)&curl.slist_append},
    {"curl_slist_free_all", (void **)&curl.slist_free_all},
    {"curl_multi_init", (void **)&curl.multi_init},
    {"curl_multi_cleanup", (void **)&curl.multi_cleanup},
    {"curl_multi_setopt", (void **)&curl.multi_setopt},
    {"curl_multi_add_handle", (void **)&curl.multi_add_handle},
    {"curl_multi_remove_handle", (void **)&curl.multi_remove_handle},
    {"curl_multi_perform", (void **)&curl.multi_perform},
    {"curl_multi_poll", (void **)&curl.multi_poll},      // 7.66
    {"curl_multi_wakeup", (void **)&curl.multi_wakeup},  // 7.68
    {"curl_multi_info_read", (void **)&curl.multi_info_read},
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[160];

static void load(void) {
    // The library is never closed, because other threads may use it until the process ends.
    void *library = pledge_library_open("libcurl.so.4");
    if (!library) {
        snprintf(problem, sizeof problem, "libcurl.so.4 cannot be loaded");
        return;
    }
    *(void **)&curl.version_info = dlsym(library, "curl_version_info");
    struct version_info *info = curl.version_info ? curl.version_info(0) : NULL;
    if (!info || info->version_num < OLDEST) {
        snprintf(problem, sizeof problem, "libcurl is version %s, and 7.80 or later is required",
                 info ? info->version : "unknown");
        return;
    }
    const char *missing = pledge_library_find(library, functions, sizeof functions / sizeof *functions);
    if (missing) {
        snprintf(problem, sizeof problem, "libcurl %s has no %s", info->version, missing);
    } else if (curl.global_init(GLOBAL_ALL)) {
        snprintf(problem, sizeof problem, "libcurl %s cannot be set up", info->version);
    }
}

const char *pledge_curl_load(void) {
    pthread_once(&once, load);
    return *problem ? problem : NULL;
}

pledge_curl_easy *pledge_curl_easy_new(void) { return curl.easy_init(); }
void pledge_curl_easy_free(pledge_curl_easy *easy) { curl.easy_cleanup(easy); }

int pledge_curl_easy_set_long(pledge_curl_easy *easy, int option, long value) {
    return curl.easy_setopt(easy, option, value);
}

int pledge_curl_easy_set_offset(pledge_curl_easy *easy, int option, long long value) {
    return curl.easy_setopt(easy, option, value);
}

int pledge_curl_easy_set_pointer(pledge_curl_easy *easy, int option, const void *value) {
    return curl.easy_setopt(easy, option, value);
}

int pledge_curl_easy_set_write(pledge_curl_easy *easy, int option, pledge_curl_write function) {
    return curl.easy_setopt(easy, option, function);
}

int pledge_curl_easy_set_prereq(pledge_curl_easy *easy, pledge_curl_prereq function) {
    return curl.easy_setopt(easy, PLEDGE_CURL_PREREQFUNCTION, function);
}

int pledge_curl_easy_set_progress(pledge_curl_easy *easy, pledge_curl_progress function) {
    return curl.easy_setopt(easy, PLEDGE_CURL_XFERINFOFUNCTION, function);
}

int pledge_curl_easy_set_sockets(pledge_curl_easy *easy, pledge_curl_open open, pledge_curl_close close) {
    int outcome = curl.easy_setopt(easy, PLEDGE_CURL_OPENSOCKETFUNCTION, open);
    return outcome ? outcome : curl.easy_setopt(easy, PLEDGE_CURL_CLOSESOCKETFUNCTION, close);
}

long pledge_curl_easy_get_long(pledge_curl_easy *easy, int info) {
    long value = 0;
    curl.easy_getinfo(easy, info, &value);
    return value;
}

const char *pledge_curl_easy_text(int outcome) { return curl.easy_strerror(outcome); }

pledge_curl_list *pledge_curl_list_append(pledge_curl_list *list, const char *line) {
    return curl.slist_append(list, line);
}

void pledge_curl_list_free(pledge_curl_list *list) { curl.slist_free_all(list); }

pledge_curl_multi *pledge_curl_multi_new(long connections) {
    void *multi = curl.multi_init();
    if (multi) curl.multi_setopt(multi, MULTI_MAXCONNECTS, connections);
    return multi;
}

void pledge_curl_multi_free(pledge_curl_multi *multi) { curl.multi_cleanup(multi); }

int pledge_curl_multi_add(pledge_curl_multi *multi, pledge_curl_easy *easy) {
    return curl.multi_add_handle(multi, easy);
}

int pledge_curl_multi_remove(pledge_curl_multi *multi, pledge_curl_easy *easy) {
    return curl.multi_remove_handle(multi, easy);
}

int pledge_curl_multi_perform(pledge_curl_multi *multi) {
    int running = 0;
    return curl.multi_perform(multi, &running);
}

int pledge_curl_multi_poll(pledge_curl_multi *multi, int milliseconds) {
    return curl.multi_poll(multi, NULL, 0, milliseconds, NULL);
}

int pledge_curl_multi_wakeup(pledge_curl_multi *multi) { return curl.multi_wakeup(multi); }

pledge_curl_easy *pledge_curl_multi_next_ended(pledge_curl_multi *multi, int *outcome) {
    int left = 0;
    for (struct message *message; (message = curl.multi_info_read(multi, &left));) {
        if (message->kind != MESSAGE_DONE) continue;
        *outcome = message->data.outcome;
        return message->easy;
    }
    return NULL;
}

#else

// On platforms other than Linux, transports use URLSession and not libcurl. So this file contains nothing but this
// unused type, because a C file must not be empty.
typedef int pledge_curl_unused;

#endif
