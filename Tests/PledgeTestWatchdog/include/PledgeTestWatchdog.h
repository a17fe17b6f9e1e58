#ifndef PLEDGE_TEST_WATCHDOG_H
#define PLEDGE_TEST_WATCHDOG_H

/// Returns whether nothing has happened for half the time after which the watchdog ends the tests. A test that waits can then
/// fail, and say what it was waiting for. The watchdog starts by itself when the tests are loaded.
int pledge_test_waits_in_vain(void);

#endif
