#include "pledge_commit.h"

#ifndef PLEDGE_COMMIT
#define PLEDGE_COMMIT ""
#endif

const char *const pledge_commit = PLEDGE_COMMIT;
