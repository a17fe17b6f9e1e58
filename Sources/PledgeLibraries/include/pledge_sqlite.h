// SQLite, loaded at run time. This header declares the few functions and constants that a database layer needs, so that
// neither SQLite's headers nor linking to SQLite are required. The Swift toolchain for Linux needs the same library. On
// Apple platforms, the library is part of the system.
//
// Names, signatures, and constants are those of SQLite, and don't change in version 3.

#ifndef PLEDGE_SQLITE_H
#define PLEDGE_SQLITE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pledge_sqlite pledge_sqlite;
typedef struct pledge_sqlite_statement pledge_sqlite_statement;

/// Loads the library. Any thread may call this function. Only the first call has an effect.
///
/// Returns NULL if the library can be used. Otherwise, returns a description of the problem, as a clause without a
/// period.
const char *pledge_sqlite_load(void);

/// The name of the library on this platform.
extern const char *const pledge_sqlite_library;

// The primary result codes of SQLite. The lowest eight bits of a result are its primary code. The bits above contain
// details.
typedef enum PledgeSQLiteResult {
    PLEDGE_SQLITE_OK = 0,
    PLEDGE_SQLITE_ERROR = 1,
    PLEDGE_SQLITE_BUSY = 5,
    PLEDGE_SQLITE_LOCKED = 6,
    PLEDGE_SQLITE_READONLY = 8,
    PLEDGE_SQLITE_IOERR = 10,
    PLEDGE_SQLITE_CORRUPT = 11,
    PLEDGE_SQLITE_FULL = 13,
    PLEDGE_SQLITE_CANTOPEN = 14,
    PLEDGE_SQLITE_NOTADB = 26,
    PLEDGE_SQLITE_ROW = 100,
    PLEDGE_SQLITE_DONE = 101,
} PledgeSQLiteResult;

typedef enum PledgeSQLiteType {
    PLEDGE_SQLITE_INTEGER = 1,
    PLEDGE_SQLITE_FLOAT = 2,
    PLEDGE_SQLITE_TEXT = 3,
    PLEDGE_SQLITE_BLOB = 4,
    PLEDGE_SQLITE_NULL = 5,
} PledgeSQLiteType;

typedef enum PledgeSQLiteOpen {
    PLEDGE_SQLITE_OPEN_READONLY = 0x1,
    PLEDGE_SQLITE_OPEN_READWRITE = 0x2,
    PLEDGE_SQLITE_OPEN_URI = 0x40,
    PLEDGE_SQLITE_OPEN_NOMUTEX = 0x8000,
    PLEDGE_SQLITE_OPEN_NOFOLLOW = 0x1000000,
} PledgeSQLiteOpen;

/// Opens a database file that may come from anyone. So its schema isn't trusted, its triggers don't run, and there are
/// limits on sizes. Even if this fails, `*database` is usually set, so that the error message can be read. Close it in
/// either case.
int pledge_sqlite_open(const char *path, pledge_sqlite **database, int flags);
int pledge_sqlite_close(pledge_sqlite *database);
int pledge_sqlite_busy_handler(pledge_sqlite *database, int (*handler)(void *, int), void *context);
int pledge_sqlite_changes(pledge_sqlite *database);
const char *pledge_sqlite_message(pledge_sqlite *database);
/// Returns 0 while a transaction is open, and otherwise another number.
int pledge_sqlite_autocommit(pledge_sqlite *database);
/// Ends all statements of a database that are running. Any thread may call this function, but the database must not be
/// closed meanwhile.
void pledge_sqlite_interrupt(pledge_sqlite *database);

/// Runs several statements that return no rows, one after another. Stops at the first statement that fails.
int pledge_sqlite_run(pledge_sqlite *database, const char *script);
/// Runs a VACUUM statement, which rewrites a database without the content that was deleted from it. The statement
/// writes the database to the same file or to another file.
int pledge_sqlite_vacuum(pledge_sqlite *database, const char *statement);
int pledge_sqlite_prepare(pledge_sqlite *database, const char *sql, int length, pledge_sqlite_statement **statement);
int pledge_sqlite_finalize(pledge_sqlite_statement *statement);
int pledge_sqlite_step(pledge_sqlite_statement *statement);
int pledge_sqlite_reset(pledge_sqlite_statement *statement);
/// Returns 0 if a statement changes the database, and otherwise another number.
int pledge_sqlite_only_reads(pledge_sqlite_statement *statement);

int pledge_sqlite_bind_null(pledge_sqlite_statement *statement, int place);
int pledge_sqlite_bind_integer(pledge_sqlite_statement *statement, int place, long long value);
int pledge_sqlite_bind_real(pledge_sqlite_statement *statement, int place, double value);
/// Binds a text to a parameter of a statement. SQLite makes a copy of the text.
int pledge_sqlite_bind_text(pledge_sqlite_statement *statement, int place, const char *text, int length);
int pledge_sqlite_bind_count(pledge_sqlite_statement *statement);

int pledge_sqlite_column_count(pledge_sqlite_statement *statement);
const char *pledge_sqlite_column_name(pledge_sqlite_statement *statement, int place);
int pledge_sqlite_column_type(pledge_sqlite_statement *statement, int place);
long long pledge_sqlite_column_integer(pledge_sqlite_statement *statement, int place);
double pledge_sqlite_column_real(pledge_sqlite_statement *statement, int place);
/// Returns the text in a column, and stores its length in bytes. The text is valid until the statement's next step.
const unsigned char *pledge_sqlite_column_text(pledge_sqlite_statement *statement, int place, int *length);

#ifdef __cplusplus
}
#endif

#endif
