// Loads libraries of the system at run time.

#ifndef PLEDGE_LIBRARY_H
#define PLEDGE_LIBRARY_H

#include <stddef.h>

/// Loads a library from the folders of the system. Returns NULL if it isn't there. If `name` is an absolute path, loads
/// that file.
///
/// The dynamic linker isn't asked to search for the library, because it might look in other folders, too. For example,
/// an executable that SwiftPM has built makes it look in the executable's own folder.
void *pledge_library_open(const char *name);

/// The name of a function in a library, and the variable for its address.
struct pledge_function {
    const char *name;
    void **variable;
};

/// Stores the addresses of functions. Returns NULL if the library has all of them, and otherwise the name of one that
/// is missing.
const char *pledge_library_find(void *library, const struct pledge_function *functions, size_t count);

#endif
