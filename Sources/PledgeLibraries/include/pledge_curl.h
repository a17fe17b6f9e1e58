// libcurl, loaded at run time. This header declares the few functions, constants, and layouts that a transport needs,
// so that neither curl's headers nor linking to curl are required. FoundationNetworking already loads the same library.
//
// The constants and layouts belong to libcurl's binary interface. It hasn't changed since 7.16 (2006), and is stable as
// long as the file is called libcurl.so.4. Next to each constant is the version that introduced it.

#ifndef PLEDGE_CURL_H
#define PLEDGE_CURL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pledge_curl_multi pledge_curl_multi;
typedef struct pledge_curl_easy pledge_curl_easy;
typedef struct pledge_curl_list pledge_curl_list;

/// Loads the library. Any thread may call this function. Only the first call has an effect.
///
/// Returns NULL if the library can be used. Otherwise, returns a sentence that describes the problem.
const char *pledge_curl_load(void);

// Options for the functions pledge_curl_easy_set_*. The number of an option says which type its value has.
typedef enum PledgeCurlOption {
    PLEDGE_CURL_HTTPGET = 80,                    // 7.8.1
    PLEDGE_CURL_NOPROGRESS = 43,                 // 7.1
    PLEDGE_CURL_NOBODY = 44,                     // 7.1
    PLEDGE_CURL_POST = 47,                       // 7.1
    PLEDGE_CURL_FORBID_REUSE = 75,               // 7.7
    PLEDGE_CURL_NOSIGNAL = 99,                   // 7.10
    PLEDGE_CURL_SSL_VERIFYPEER = 64,             // 7.4.2
    PLEDGE_CURL_SSL_VERIFYHOST = 81,             // 7.8.1
    PLEDGE_CURL_HTTP_VERSION = 84,               // 7.9.1; the value 4 (HTTP/2 over TLS only) since 7.47
    PLEDGE_CURL_CONNECTTIMEOUT_MS = 156,         // 7.16.2
    PLEDGE_CURL_PROTOCOLS = 181,                 // 7.19.4; bit 0 is http, bit 1 is https
    PLEDGE_CURL_PATH_AS_IS = 234,                // 7.42
    PLEDGE_CURL_PIPEWAIT = 237,                  // 7.43
    PLEDGE_CURL_SUPPRESS_CONNECT_HEADERS = 265,  // 7.54
    PLEDGE_CURL_DISALLOW_USERNAME_IN_URL = 278,  // 7.61
    PLEDGE_CURL_QUICK_EXIT = 322,                // 7.87; older versions do not have this option, and do not need it
    PLEDGE_CURL_WRITEDATA = 10001,               // 7.9.7
    PLEDGE_CURL_READDATA = 10009,                // 7.9.7
    PLEDGE_CURL_URL = 10002,                     // 7.1
    PLEDGE_CURL_PROXY = 10004,                   // 7.1
    PLEDGE_CURL_ERRORBUFFER = 10010,             // 7.1
    PLEDGE_CURL_HTTPHEADER = 10023,              // 7.1
    PLEDGE_CURL_HEADERDATA = 10029,              // 7.10
    PLEDGE_CURL_CUSTOMREQUEST = 10036,           // 7.1
    PLEDGE_CURL_XFERINFODATA = 10057,            // 7.32
    PLEDGE_CURL_CAINFO = 10065,                  // 7.4.2
    PLEDGE_CURL_ACCEPT_ENCODING = 10102,         // 7.21.6; since 7.10 under the name ENCODING
    PLEDGE_CURL_OPENSOCKETDATA = 10164,          // 7.17.1
    PLEDGE_CURL_COPYPOSTFIELDS = 10165,          // 7.17.1
    PLEDGE_CURL_NOPROXY = 10177,                 // 7.19.4
    PLEDGE_CURL_CLOSESOCKETDATA = 10209,         // 7.21.7
    PLEDGE_CURL_PREREQDATA = 10313,              // 7.80
    PLEDGE_CURL_WRITEFUNCTION = 20011,           // 7.1
    PLEDGE_CURL_READFUNCTION = 20012,            // 7.1
    PLEDGE_CURL_HEADERFUNCTION = 20079,          // 7.7.2
    PLEDGE_CURL_OPENSOCKETFUNCTION = 20163,      // 7.17.1
    PLEDGE_CURL_CLOSESOCKETFUNCTION = 20208,     // 7.21.7
    PLEDGE_CURL_XFERINFOFUNCTION = 20219,        // 7.32
    PLEDGE_CURL_PREREQFUNCTION = 20312,          // 7.80
    PLEDGE_CURL_POSTFIELDSIZE_LARGE = 30120,     // 7.11.1
} PledgeCurlOption;

// The failures of an exchange that callers distinguish. The outcome 0 is a success.
typedef enum PledgeCurlOutcome {
    PLEDGE_CURL_UNSUPPORTED_PROTOCOL = 1,
    PLEDGE_CURL_URL_MALFORMAT = 3,
    PLEDGE_CURL_COULDNT_RESOLVE_PROXY = 5,
    PLEDGE_CURL_COULDNT_RESOLVE_HOST = 6,
    PLEDGE_CURL_COULDNT_CONNECT = 7,
    PLEDGE_CURL_WEIRD_SERVER_REPLY = 8,
    PLEDGE_CURL_PARTIAL_FILE = 18,
    PLEDGE_CURL_OUT_OF_MEMORY = 27,
    PLEDGE_CURL_OPERATION_TIMEDOUT = 28,
    PLEDGE_CURL_SSL_CONNECT_ERROR = 35,
    PLEDGE_CURL_ABORTED_BY_CALLBACK = 42,
    PLEDGE_CURL_GOT_NOTHING = 52,
    PLEDGE_CURL_SSL_CERTPROBLEM = 58,
    PLEDGE_CURL_SSL_CIPHER = 59,
    PLEDGE_CURL_PEER_FAILED_VERIFICATION = 60,
    PLEDGE_CURL_BAD_CONTENT_ENCODING = 61,
    PLEDGE_CURL_SEND_FAIL_REWIND = 65,
    PLEDGE_CURL_LOGIN_DENIED = 67,
    PLEDGE_CURL_SSL_CACERT_BADFILE = 77,
    PLEDGE_CURL_SSL_ISSUER_ERROR = 83,
    PLEDGE_CURL_SSL_INVALIDCERTSTATUS = 91,
    PLEDGE_CURL_PROXY_ERROR = 97,  // 7.73
} PledgeCurlOutcome;

// The values that pledge_curl_easy_get_long can read.
typedef enum PledgeCurlInfo {
    PLEDGE_CURL_INFO_RESPONSE_CODE = 0x200000 + 2,      // 7.10.8
    PLEDGE_CURL_INFO_HTTP_CONNECTCODE = 0x200000 + 22,  // 7.10.7
    PLEDGE_CURL_INFO_NUM_CONNECTS = 0x200000 + 26,      // 7.12.3
} PledgeCurlInfo;

/// A function that provides the body of a request returns this value to end the exchange. Since 7.12.1.
#define PLEDGE_CURL_READ_ABORT 0x10000000

/// Receives `size` times `count` bytes of the response, and returns the number of bytes that it consumed. If it
/// consumed fewer bytes than it received, the exchange ends.
///
/// A function that provides the body of a request has this type, too. It stores at most this many bytes, and returns
/// their number, which is 0 at the end of the body.
typedef size_t (*pledge_curl_write)(char *bytes, size_t size, size_t count, void *context);
/// Called before a request is sent. Returns 0 to continue, or 1 to abort the exchange.
typedef int (*pledge_curl_prereq)(void *context, char *, char *, int, int);
/// Called after each step of an exchange, with the numbers of bytes that are expected and that were transferred.
/// Returns 0 to continue, or 1 to abort the exchange.
typedef int (*pledge_curl_progress)(void *context, long long, long long, long long, long long);
/// The address of a connection. These fields are the beginning of curl_sockaddr, which hasn't changed since 7.17.1.
typedef struct pledge_curl_address {
    int family, type, protocol;
} pledge_curl_address;
/// Returns a new socket, or -1 if that fails.
typedef int (*pledge_curl_open)(void *context, int, pledge_curl_address *address);
/// Closes a socket, and returns 0.
typedef int (*pledge_curl_close)(void *context, int socket);

pledge_curl_easy *pledge_curl_easy_new(void);
void pledge_curl_easy_free(pledge_curl_easy *easy);
int pledge_curl_easy_set_long(pledge_curl_easy *easy, int option, long value);
int pledge_curl_easy_set_offset(pledge_curl_easy *easy, int option, long long value);
int pledge_curl_easy_set_pointer(pledge_curl_easy *easy, int option, const void *value);
int pledge_curl_easy_set_write(pledge_curl_easy *easy, int option, pledge_curl_write function);
int pledge_curl_easy_set_prereq(pledge_curl_easy *easy, pledge_curl_prereq function);
int pledge_curl_easy_set_progress(pledge_curl_easy *easy, pledge_curl_progress function);
int pledge_curl_easy_set_sockets(pledge_curl_easy *easy, pledge_curl_open open, pledge_curl_close close);
long pledge_curl_easy_get_long(pledge_curl_easy *easy, int info);
/// Returns a description of an outcome, in English.
const char *pledge_curl_easy_text(int outcome);

/// Appends a copy of a line to a list. Returns the list, or NULL if there is not enough memory.
pledge_curl_list *pledge_curl_list_append(pledge_curl_list *list, const char *line);
void pledge_curl_list_free(pledge_curl_list *list);

/// Creates a group of exchanges, which keeps at most this many connections open.
pledge_curl_multi *pledge_curl_multi_new(long connections);
void pledge_curl_multi_free(pledge_curl_multi *multi);
int pledge_curl_multi_add(pledge_curl_multi *multi, pledge_curl_easy *easy);
int pledge_curl_multi_remove(pledge_curl_multi *multi, pledge_curl_easy *easy);
/// Does all work that can be done without waiting.
int pledge_curl_multi_perform(pledge_curl_multi *multi);
/// Waits until there is work to do, but at most this number of milliseconds.
int pledge_curl_multi_poll(pledge_curl_multi *multi, int milliseconds);
/// Ends a wait in pledge_curl_multi_poll. This is the only function of a group that another thread may call.
int pledge_curl_multi_wakeup(pledge_curl_multi *multi);
/// Returns an exchange that has ended, and stores its outcome. Returns NULL if no other exchange has ended.
pledge_curl_easy *pledge_curl_multi_next_ended(pledge_curl_multi *multi, int *outcome);

#ifdef __cplusplus
}
#endif

#endif
