#include "pledge_sqlite.h"

#include "pledge_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#if defined(__APPLE__)
const char *const pledge_sqlite_library = "/usr/lib/libsqlite3.dylib";
#else
const char *const pledge_sqlite_library = "libsqlite3.so.0";
#endif

// The oldest version of SQLite that can be used is 3.31 (January 2020), because users' queries may contain window
// functions and upserts.
#define OLDEST 3031000

// The value that makes SQLite copy a text that is bound to a parameter.
#define TRANSIENT ((void (*)(void *)) - 1)

static struct {
    int (*version)(void);
    int (*open)(const char *, pledge_sqlite **, int, const char *);
    int (*close)(pledge_sqlite *);
    int (*busy_handler)(pledge_sqlite *, int (*)(void *, int), void *);
    int (*extended_codes)(pledge_sqlite *, int);
    int (*changes)(pledge_sqlite *);
    const char *(*message)(pledge_sqlite *);
    int (*autocommit)(pledge_sqlite *);
    int (*configure)(pledge_sqlite *, int, ...);
    int (*limit)(pledge_sqlite *, int, int);
    void (*interrupt)(pledge_sqlite *);
    int (*only_reads)(pledge_sqlite_statement *);
    int (*run)(pledge_sqlite *, const char *, int (*)(void *, int, char **, char **), void *, char **);
    int (*prepare)(pledge_sqlite *, const char *, int, pledge_sqlite_statement **, const char **);
    int (*finalize)(pledge_sqlite_statement *);
    int (*step)(pledge_sqlite_statement *);
    int (*reset)(pledge_sqlite_statement *);
    int (*bind_null)(pledge_sqlite_statement *, int);
    int (*bind_integer)(pledge_sqlite_statement *, int, long long);
    int (*bind_real)(pledge_sqlite_statement *, int, double);
    int (*bind_text)(pledge_sqlite_statement *, int, const char *, int, void (*)(void *));
    int (*bind_count)(pledge_sqlite_statement *);
    int (*column_count)(pledge_sqlite_statement *);
    const char *(*column_name)(pledge_sqlite_statement *, int);
    int (*column_type)(pledge_sqlite_statement *, int);
    long long (*column_integer)(pledge_sqlite_statement *, int);
    double (*column_real)(pledge_sqlite_statement *, int);
    const unsigned char *(*column_text)(pledge_sqlite_statement *, int);
    int (*column_bytes)(pledge_sqlite_statement *, int);
} sqlite;

static const struct pledge_function functions[] = {
    {"sqlite3_libversion_number", (void **)&sqlite.version},
    {"sqlite3_open_v2", (void **)&sqlite.open},
    {"sqlite3_close", (void **)&sqlite.close},
    {"sqlite3_busy_handler", (void **)&sqlite.busy_handler},
    {"sqlite3_extended_result_codes", (void **)&sqlite.extended_codes},
    {"sqlite3_changes", (void **)&sqlite.changes},
    {"sqlite3_errmsg", (void **)&sqlite.message},
    {"sqlite3_get_autocommit", (void **)&sqlite.autocommit},
    {"sqlite3_db_config", (void **)&sqlite.configure},
    {"sqlite3_limit", (void **)&sqlite.limit},
    {"sqlite3_interrupt", (void **)&sqlite.interrupt},
    {"sqlite3_stmt_readonly", (void **)&sqlite.only_reads},
    {"sqlite3_exec", (void **)&sqlite.run},
    {"sqlite3_prepare_v2", (void **)&sqlite.prepare},
    {"sqlite3_finalize", (void **)&sqlite.finalize},
    {"sqlite3_step", (void **)&sqlite.step},
    {"sqlite3_reset", (void **)&sqlite.reset},
    {"sqlite3_bind_null", (void **)&sqlite.bind_null},
    {"sqlite3_bind_int64", (void **)&sqlite.bind_integer},
    {"sqlite3_bind_double", (void **)&sqlite.bind_real},
    {"sqlite3_bind_text", (void **)&sqlite.bind_text},
    {"sqlite3_bind_parameter_count", (void **)&sqlite.bind_count},
    {"sqlite3_column_count", (void **)&sqlite.column_count},
    {"sqlite3_column_name", (void **)&sqlite.column_name},
    {"sqlite3_column_type", (void **)&sqlite.column_type},
    {"sqlite3_column_int64", (void **)&sqlite.column_integer},
    {"sqlite3_column_double", (void **)&sqlite.column_real},
    {"sqlite3_column_text", (void **)&sqlite.column_text},
    {"sqlite3_column_bytes", (void **)&sqlite.column_bytes},
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[200];

static void load(void) {
    const char *name = pledge_sqlite_library;
    // The library is never closed, because databases may be open until the process ends.
    void *library = pledge_library_open(name);
    if (!library) {
        snprintf(problem, sizeof problem, "%s cannot be loaded", name);
        return;
    }
    const char *missing = pledge_library_find(library, functions, sizeof functions / sizeof *functions);
    if (missing) {
        snprintf(problem, sizeof problem, "%s has no %s", name, missing);
    } else if (sqlite.version() < OLDEST) {
        snprintf(problem, sizeof problem, "%s is version 3.%d, and 3.31 or later is required", name,
                 sqlite.version() / 1000 % 1000);
    }
}

const char *pledge_sqlite_load(void) {
    pthread_once(&once, load);
    return *problem ? problem : NULL;
}

// The numbers of these options and limits in SQLite.
enum { ENABLE_TRIGGER = 1003, DEFENSIVE = 1010, TRUSTED_SCHEMA = 1017, LENGTH = 0, SQL_LENGTH = 1, ATTACHED = 7 };

int pledge_sqlite_open(const char *path, pledge_sqlite **database, int flags) {
    int result = sqlite.open(path, database, flags, NULL);
    if (!*database) return result;
    sqlite.extended_codes(*database, 1);
    // These settings protect against a file that was manipulated.
    sqlite.configure(*database, ENABLE_TRIGGER, 0, NULL);
    sqlite.configure(*database, DEFENSIVE, 1, NULL);
    sqlite.configure(*database, TRUSTED_SCHEMA, 0, NULL);
    sqlite.limit(*database, LENGTH, 64 << 20);
    sqlite.limit(*database, SQL_LENGTH, 1 << 20);
    sqlite.limit(*database, ATTACHED, 0);
    return result;
}

int pledge_sqlite_close(pledge_sqlite *database) { return sqlite.close(database); }

int pledge_sqlite_busy_handler(pledge_sqlite *database, int (*handler)(void *, int), void *context) {
    return sqlite.busy_handler(database, handler, context);
}

int pledge_sqlite_changes(pledge_sqlite *database) { return sqlite.changes(database); }
const char *pledge_sqlite_message(pledge_sqlite *database) { return sqlite.message(database); }
int pledge_sqlite_autocommit(pledge_sqlite *database) { return sqlite.autocommit(database); }
void pledge_sqlite_interrupt(pledge_sqlite *database) { sqlite.interrupt(database); }

int pledge_sqlite_prepare(pledge_sqlite *database, const char *sql, int length, pledge_sqlite_statement **statement) {
    return sqlite.prepare(database, sql, length, statement, NULL);
}

int pledge_sqlite_run(pledge_sqlite *database, const char *script) {
    return sqlite.run(database, script, NULL, NULL, NULL);
}

int pledge_sqlite_vacuum(pledge_sqlite *database, const char *statement) {
    // VACUUM attaches the new file to the database. No other statement may attach a file.
    sqlite.limit(database, ATTACHED, 1);
    int result = pledge_sqlite_run(database, statement);
    sqlite.limit(database, ATTACHED, 0);
    return result;
}

int pledge_sqlite_finalize(pledge_sqlite_statement *statement) { return sqlite.finalize(statement); }
int pledge_sqlite_step(pledge_sqlite_statement *statement) { return sqlite.step(statement); }
int pledge_sqlite_reset(pledge_sqlite_statement *statement) { return sqlite.reset(statement); }

int pledge_sqlite_only_reads(pledge_sqlite_statement *statement) { return sqlite.only_reads(statement); }

int pledge_sqlite_bind_null(pledge_sqlite_statement *statement, int place) {
    return sqlite.bind_null(statement, place);
}

int pledge_sqlite_bind_integer(pledge_sqlite_statement *statement, int place, long long value) {
    return sqlite.bind_integer(statement, place, value);
}

int pledge_sqlite_bind_real(pledge_sqlite_statement *statement, int place, double value) {
    return sqlite.bind_real(statement, place, value);
}

int pledge_sqlite_bind_text(pledge_sqlite_statement *statement, int place, const char *text, int length) {
    return sqlite.bind_text(statement, place, text, length, TRANSIENT);
}

int pledge_sqlite_bind_count(pledge_sqlite_statement *statement) { return sqlite.bind_count(statement); }
int pledge_sqlite_column_count(pledge_sqlite_statement *statement) { return sqlite.column_count(statement); }

const char *pledge_sqlite_column_name(pledge_sqlite_statement *statement, int place) {
    return sqlite.column_name(statement, place);
}

int pledge_sqlite_column_type(pledge_sqlite_statement *statement, int place) {
    return sqlite.column_type(statement, place);
}

long long pledge_sqlite_column_integer(pledge_sqlite_statement *statement, int place) {
    return sqlite.column_integer(statement, place);
}

double pledge_sqlite_column_real(pledge_sqlite_statement *statement, int place) {
    return sqlite.column_real(statement, place);
}

const unsigned char *pledge_sqlite_column_text(pledge_sqlite_statement *statement, int place, int *length) {
    const unsigned char *text = sqlite.column_text(statement, place);
    *length = sqlite.column_bytes(statement, place);
    return text;
}
