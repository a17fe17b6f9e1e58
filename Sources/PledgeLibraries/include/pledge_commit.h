#ifndef PLEDGE_COMMIT_H
#define PLEDGE_COMMIT_H

// The commit that a package was built from, which `.ci/package` defines; empty otherwise.
extern const char *const pledge_commit;

#endif
