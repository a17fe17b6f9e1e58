#ifndef PLEDGE_COMMIT_H
#define PLEDGE_COMMIT_H

// The commit that the program was built from. The text is empty if the program wasn't built by `.ci/package`.
extern const char *const pledge_commit;

#endif
