#ifndef PLEDGE_COMMIT_H
#define PLEDGE_COMMIT_H

// The commit that the program was built from, if `.ci/package` has built it. Otherwise empty.
extern const char *const pledge_commit;

#endif
