// Libraries of the system, loaded at run time.

#ifndef PLEDGE_LIBRARY_H
#define PLEDGE_LIBRARY_H

/// Loads a library from the system's folders, and not from wherever the linker looks: an executable built by SwiftPM has
/// it look beside itself, too. Returns NULL if there is none. An absolute path is loaded as it is.
void *pledge_library_open(const char *name);

#endif
