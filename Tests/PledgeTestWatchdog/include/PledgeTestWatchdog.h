#ifndef PLEDGE_TEST_WATCHDOG_H
#define PLEDGE_TEST_WATCHDOG_H

/// Returns whether nothing has happened for half the time after which the watchdog ends the tests, by itself, from when
/// they are loaded. So a test that waits can fail, and say for what it waited.
int pledge_test_waits_in_vain(void);

#endif
