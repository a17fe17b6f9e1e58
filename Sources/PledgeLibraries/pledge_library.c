#include "pledge_library.h"

#include <dlfcn.h>
#include <stdio.h>

static const char *const folders[] = {
#if defined(__x86_64__)
    "/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
    "/usr/lib/aarch64-linux-gnu", "/lib/aarch64-linux-gnu",
#elif defined(__arm__)
    "/usr/lib/arm-linux-gnueabihf", "/lib/arm-linux-gnueabihf",
#endif
    "/usr/lib64", "/lib64", "/usr/lib", "/lib", "/usr/local/lib64", "/usr/local/lib",
};

void *pledge_library_open(const char *name) {
    if (*name == '/') return dlopen(name, RTLD_NOW | RTLD_LOCAL);
    void *library = NULL;
    for (size_t index = 0; !library && index < sizeof folders / sizeof *folders; index++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", folders[index], name);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

const char *pledge_library_find(void *library, const struct pledge_function *functions, size_t count) {
    for (size_t index = 0; index < count; index++) {
        *functions[index].variable = dlsym(library, functions[index].name);
        if (!*functions[index].variable) return functions[index].name;
    }
    return NULL;
}
