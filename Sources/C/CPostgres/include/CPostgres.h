// The functions of libpq that the hub's records need, found with dlopen when a hub with PostgreSQL starts: other hubs
// need no library for it. Every call that waits for the server has a deadline.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pg_conn CPostgresConnection;
typedef struct pg_result CPostgresResult;

/// Room for a message with its closing zero.
#define CPOSTGRES_MESSAGE_SIZE 512

/// The parameters of a statement.
typedef struct CPostgresParameters {
    int count;
    /// The numbers of the types (OID); 0 if the server chooses the type.
    const uint32_t *types;
    /// NULL for an absent value.
    const char *const *values;
    const int *lengths;
    /// 1 for PostgreSQL's binary format.
    const int *formats;
} CPostgresParameters;

/// Loads the library. Returns NULL, or the reason for which it cannot be used. May be called by several threads, also
/// again.
const char *cpostgres_load(void);

/// Connects. Returns NULL and a message if that fails.
///
/// `keywords` and `values` end with NULL; the value of `dbname` may be a URL. To be called after cpostgres_load has
/// returned NULL, like all functions below. A connection is used by one thread at a time.
CPostgresConnection *cpostgres_connect(const char *const *keywords, const char *const *values, char *message);
void cpostgres_close(CPostgresConnection *connection);

/// Whether the connection can still be used.
bool cpostgres_is_connected(const CPostgresConnection *connection);

// Each of these functions waits for the server's answer for at most `milliseconds`. It returns a result, which the
// caller frees, or NULL and a message if the connection is lost; then the connection can only be closed.

/// Runs statements without parameters, separated by semicolons, until one fails. Returns the last result.
CPostgresResult *cpostgres_run_script(CPostgresConnection *connection, const char *sql, int milliseconds,
                                      char *message);
/// Parses a statement, and keeps it under a name.
CPostgresResult *cpostgres_prepare(CPostgresConnection *connection, const char *name, const char *sql,
                                   const CPostgresParameters *parameters, int milliseconds, char *message);
/// Runs a prepared statement.
CPostgresResult *cpostgres_run_prepared(CPostgresConnection *connection, const char *name,
                                        const CPostgresParameters *parameters, int milliseconds, char *message);
/// Parses and runs a statement.
CPostgresResult *cpostgres_run(CPostgresConnection *connection, const char *sql, const CPostgresParameters *parameters,
                               int milliseconds, char *message);

void cpostgres_free(CPostgresResult *result);

/// The SQLSTATE of an error, five characters; NULL if the statement succeeded.
const char *cpostgres_error_state(const CPostgresResult *result);
/// The message of an error.
const char *cpostgres_error_message(const CPostgresResult *result);
int cpostgres_row_count(const CPostgresResult *result);
int cpostgres_column_count(const CPostgresResult *result);
const char *cpostgres_column_name(const CPostgresResult *result, int column);
/// The number of a column's type (OID).
uint32_t cpostgres_column_type(const CPostgresResult *result, int column);
bool cpostgres_is_null(const CPostgresResult *result, int row, int column);
/// A value in PostgreSQL's binary format, with its length.
const char *cpostgres_value(const CPostgresResult *result, int row, int column, int *length);
/// The number of changed rows as decimal digits; empty for other statements.
const char *cpostgres_change_count(CPostgresResult *result);

/// Waits for notifications for at most `milliseconds`, and reads those that are there. False if the connection is lost.
bool cpostgres_await_notifications(CPostgresConnection *connection, int milliseconds);
/// Copies the text of the next notification that was read, cut to `size` characters with its closing zero. False if
/// there is none.
bool cpostgres_next_notification(CPostgresConnection *connection, char *text, size_t size);
