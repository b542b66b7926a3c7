#include "CPostgres.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// The part of libpq's ABI that is used here. It has not changed since PostgreSQL 8.0 (libpq-fe.h, postgres_ext.h).
typedef unsigned int Oid;

typedef struct {
    char *relname;
    int be_pid;
    char *extra;
} PGnotify;

enum {
    CONNECTION_OK = 0,
    PGRES_COMMAND_OK = 1,
    PGRES_TUPLES_OK = 2,
    PG_DIAG_SQLSTATE = 'C',
    PG_DIAG_MESSAGE_PRIMARY = 'M',
    BINARY = 1,
};

typedef void (*NoticeProcessor)(void *, const char *);

#define FUNCTIONS(X)                                                                                                   \
    X(CPostgresConnection *, PQconnectdbParams, (const char *const *, const char *const *, int))                       \
    X(void, PQfinish, (CPostgresConnection *))                                                                         \
    X(int, PQstatus, (const CPostgresConnection *))                                                                    \
    X(char *, PQerrorMessage, (const CPostgresConnection *))                                                           \
    X(int, PQsocket, (const CPostgresConnection *))                                                                    \
    X(int, PQsetnonblocking, (CPostgresConnection *, int))                                                             \
    X(NoticeProcessor, PQsetNoticeProcessor, (CPostgresConnection *, NoticeProcessor, void *))                         \
    X(int, PQsendQuery, (CPostgresConnection *, const char *))                                                         \
    X(int, PQsendPrepare, (CPostgresConnection *, const char *, const char *, int, const Oid *))                       \
    X(int, PQsendQueryPrepared,                                                                                        \
      (CPostgresConnection *, const char *, int, const char *const *, const int *, const int *, int))                  \
    X(int, PQsendQueryParams,                                                                                          \
      (CPostgresConnection *, const char *, int, const Oid *, const char *const *, const int *, const int *, int))     \
    X(int, PQflush, (CPostgresConnection *))                                                                           \
    X(int, PQconsumeInput, (CPostgresConnection *))                                                                    \
    X(int, PQisBusy, (CPostgresConnection *))                                                                          \
    X(CPostgresResult *, PQgetResult, (CPostgresConnection *))                                                         \
    X(PGnotify *, PQnotifies, (CPostgresConnection *))                                                                 \
    X(void, PQfreemem, (void *))                                                                                       \
    X(void, PQclear, (CPostgresResult *))                                                                              \
    X(int, PQresultStatus, (const CPostgresResult *))                                                                  \
    X(char *, PQresultErrorField, (const CPostgresResult *, int))                                                      \
    X(int, PQntuples, (const CPostgresResult *))                                                                       \
    X(int, PQnfields, (const CPostgresResult *))                                                                       \
    X(char *, PQfname, (const CPostgresResult *, int))                                                                 \
    X(Oid, PQftype, (const CPostgresResult *, int))                                                                    \
    X(int, PQgetisnull, (const CPostgresResult *, int, int))                                                           \
    X(int, PQgetlength, (const CPostgresResult *, int, int))                                                           \
    X(char *, PQgetvalue, (const CPostgresResult *, int, int))                                                         \
    X(char *, PQcmdTuples, (CPostgresResult *))

static struct {
#define DECLARE(result, name, parameters) result(*name) parameters;
    FUNCTIONS(DECLARE)
} pq;

static const char *failure;

static void load(void) {
#ifdef __APPLE__
    void *library = dlopen("libpq.5.dylib", RTLD_NOW | RTLD_LOCAL);
#else
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
#endif
    if (!library) {
        failure = "libpq is not installed";
        return;
    }
#define FIND(result, name, parameters)                                                                                 \
    do {                                                                                                               \
        void *address = dlsym(library, #name);                                                                         \
        if (!address) {                                                                                                \
            failure = "libpq lacks the function " #name;                                                               \
            return;                                                                                                    \
        }                                                                                                              \
        /* A pointer to an object and one to a function have the same size wherever dlsym exists. */                   \
        memcpy(&pq.name, &address, sizeof address);                                                                    \
    } while (0);
    FUNCTIONS(FIND)
}

const char *cpostgres_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return failure;
}

static void ignore_notice(void *context, const char *message) {
    (void)context;
    (void)message;
}

// Copies the last message of a connection without line breaks at its end.
static void copy_message(const CPostgresConnection *connection, char *message) {
    snprintf(message, CPOSTGRES_MESSAGE_SIZE, "%s", connection ? pq.PQerrorMessage(connection) : "out of memory");
    size_t length = strlen(message);
    while (length > 0 && message[length - 1] == '\n')
        message[--length] = 0;
    for (char *c = message; *c; c++)
        if (*c == '\n') *c = ' ';
}

CPostgresConnection *cpostgres_connect(const char *const *keywords, const char *const *values, char *message) {
    CPostgresConnection *connection = pq.PQconnectdbParams(keywords, values, 1);
    if (connection && pq.PQstatus(connection) == CONNECTION_OK && pq.PQsetnonblocking(connection, 1) == 0) {
        pq.PQsetNoticeProcessor(connection, ignore_notice, NULL);
        return connection;
    }
    copy_message(connection, message);
    if (connection) pq.PQfinish(connection);
    return NULL;
}

void cpostgres_close(CPostgresConnection *connection) { pq.PQfinish(connection); }

bool cpostgres_is_connected(const CPostgresConnection *connection) { return pq.PQstatus(connection) == CONNECTION_OK; }

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// Waits until the connection can be read or, if asked, written. False at the deadline.
static bool wait_for(const CPostgresConnection *connection, bool writes, int64_t deadline) {
    while (true) {
        int64_t left = deadline - now();
        struct pollfd socket = {.fd = pq.PQsocket(connection), .events = (short)(POLLIN | (writes ? POLLOUT : 0))};
        int ready = socket.fd < 0 ? -1 : poll(&socket, 1, left > 0 ? (int)left : 0);
        if (ready > 0) return true;
        if (ready == 0 || errno != EINTR) return false;
    }
}

static CPostgresResult *lost(const CPostgresConnection *connection, char *message) {
    copy_message(connection, message);
    if (!message[0]) snprintf(message, CPOSTGRES_MESSAGE_SIZE, "the server did not answer in time");
    return NULL;
}

// Sends the queued statements, and returns the last result, or the first one with an error.
static CPostgresResult *answer(CPostgresConnection *connection, int is_sent, int milliseconds, char *message) {
    int64_t deadline = now() + milliseconds;
    if (!is_sent) return lost(connection, message);
    int unsent;
    while ((unsent = pq.PQflush(connection)) != 0)
        if (unsent < 0 || !wait_for(connection, true, deadline) || !pq.PQconsumeInput(connection))
            return lost(connection, message);
    CPostgresResult *last = NULL;
    while (true) {
        while (pq.PQisBusy(connection)) {
            if (!wait_for(connection, false, deadline) || !pq.PQconsumeInput(connection)) {
                if (last) pq.PQclear(last);
                return lost(connection, message);
            }
        }
        CPostgresResult *result = pq.PQgetResult(connection);
        if (!result) break;
        if (last && cpostgres_error_state(last)) {
            pq.PQclear(result);
            continue;
        }
        if (last) pq.PQclear(last);
        last = result;
    }
    if (last && pq.PQstatus(connection) == CONNECTION_OK) return last;
    // The server ended the connection, and its last message may say why.
    const char *reason = last ? cpostgres_error_message(last) : "";
    if (reason[0])
        snprintf(message, CPOSTGRES_MESSAGE_SIZE, "%s", reason);
    else
        copy_message(connection, message);
    if (last) pq.PQclear(last);
    return NULL;
}

CPostgresResult *cpostgres_run_script(CPostgresConnection *connection, const char *sql, int milliseconds,
                                      char *message) {
    return answer(connection, pq.PQsendQuery(connection, sql), milliseconds, message);
}

CPostgresResult *cpostgres_prepare(CPostgresConnection *connection, const char *name, const char *sql,
                                   const CPostgresParameters *parameters, int milliseconds, char *message) {
    int is_sent = pq.PQsendPrepare(connection, name, sql, parameters->count, parameters->types);
    return answer(connection, is_sent, milliseconds, message);
}

CPostgresResult *cpostgres_run_prepared(CPostgresConnection *connection, const char *name,
                                        const CPostgresParameters *parameters, int milliseconds, char *message) {
    int is_sent = pq.PQsendQueryPrepared(connection, name, parameters->count, parameters->values, parameters->lengths,
                                         parameters->formats, BINARY);
    return answer(connection, is_sent, milliseconds, message);
}

CPostgresResult *cpostgres_run(CPostgresConnection *connection, const char *sql, const CPostgresParameters *parameters,
                               int milliseconds, char *message) {
    int is_sent = pq.PQsendQueryParams(connection, sql, parameters->count, parameters->types, parameters->values,
                                       parameters->lengths, parameters->formats, BINARY);
    return answer(connection, is_sent, milliseconds, message);
}

void cpostgres_free(CPostgresResult *result) { pq.PQclear(result); }

const char *cpostgres_error_state(const CPostgresResult *result) {
    int status = pq.PQresultStatus(result);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return NULL;
    const char *state = pq.PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return state ? state : "XX000";
}

const char *cpostgres_error_message(const CPostgresResult *result) {
    const char *message = pq.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    return message ? message : "";
}

int cpostgres_row_count(const CPostgresResult *result) { return pq.PQntuples(result); }

int cpostgres_column_count(const CPostgresResult *result) { return pq.PQnfields(result); }

const char *cpostgres_column_name(const CPostgresResult *result, int column) { return pq.PQfname(result, column); }

uint32_t cpostgres_column_type(const CPostgresResult *result, int column) { return pq.PQftype(result, column); }

bool cpostgres_is_null(const CPostgresResult *result, int row, int column) {
    return pq.PQgetisnull(result, row, column) != 0;
}

const char *cpostgres_value(const CPostgresResult *result, int row, int column, int *length) {
    *length = pq.PQgetlength(result, row, column);
    return pq.PQgetvalue(result, row, column);
}

const char *cpostgres_change_count(CPostgresResult *result) { return pq.PQcmdTuples(result); }

bool cpostgres_await_notifications(CPostgresConnection *connection, int milliseconds) {
    // At the deadline there is nothing to read.
    if (!wait_for(connection, false, now() + milliseconds)) return pq.PQsocket(connection) >= 0;
    return pq.PQconsumeInput(connection) != 0;
}

bool cpostgres_next_notification(CPostgresConnection *connection, char *text, size_t size) {
    PGnotify *notification = pq.PQnotifies(connection);
    if (!notification) return false;
    snprintf(text, size, "%s", notification->extra);
    pq.PQfreemem(notification);
    return true;
}
