// The few functions of libcurl that downloads, webhooks and MQTT need, found with dlopen when the first request begins:
// linking the library would make every start of a program slower by several milliseconds, and requests are rare.
#ifndef CCURL_H
#define CCURL_H

#include <stdbool.h>
#include <stddef.h>

/// One request that follows no redirects.
typedef struct CCurlRequest {
    const char *url;
    /// Whether the address is https; it is fetched by no other protocol than its own.
    bool isSecure;
    /// Whether to pass by proxies, as for addresses of this machine.
    bool isLocal;
    const char *userAgent;
    /// Header lines to add, of which there are `headerCount`.
    const char *const *headers;
    size_t headerCount;
    /// Whether the request is POST with a body of `bodyCount` bytes; otherwise it is GET.
    bool isPost;
    const void *body;
    size_t bodyCount;
    /// The time for the whole exchange; 0 for no limit but that a server must send something every 30 seconds.
    long timeoutMilliseconds;
    /// Passed to the callbacks.
    void *context;
    /// Called with each header line of the answer, the status line first. Returns whether to continue.
    bool (*onHeader)(void *context, const char *bytes, size_t count);
    /// Called with each piece of the answer's body. Returns whether to continue.
    bool (*onBody)(void *context, const char *bytes, size_t count);
} CCurlRequest;

/// The result of a request.
typedef struct CCurlResult {
    /// libcurl's code (CURLcode); 0 if the answer came whole.
    int code;
    /// libcurl's words for what went wrong.
    char message[256];
    /// The absolute address that the answer redirects to; empty if none.
    char redirect[4096];
} CCurlResult;

/// Finds libcurl, once per process and before any request.
///
/// Gives NULL if it can be used, otherwise the reason why not; the text lives as long as the process.
const char *ccurl_load(void);

/// Sends a request and waits for its end. To be called after `ccurl_load` gave NULL; safe from several threads at once.
void ccurl_send(const CCurlRequest *request, CCurlResult *result);

/// A connection that carries bytes in both directions. One thread at a time may use it, apart from `ccurl_stream_wake`.
typedef struct CCurlStream CCurlStream;

/// The result of sending and receiving.
typedef enum CCurlMoved {
    /// Some bytes were moved, or none because the connection does not take or have any now.
    CCURL_MOVED,
    /// The other side has ended the connection.
    CCURL_ENDED,
    /// The connection is lost.
    CCURL_LOST,
} CCurlMoved;

/// Connects to the host and port of an address, and waits for that. To be called after `ccurl_load` gave NULL.
///
/// `url` begins with https:// for a connection with TLS, otherwise with http://. `authorities` is a file of
/// certificates in PEM, or NULL for those of the system. Gives NULL and a result with a code if it fails.
CCurlStream *ccurl_stream_open(const char *url, const char *authorities, long timeoutMilliseconds, CCurlResult *result);

/// Sends as many bytes as the connection takes now, and sets their number.
CCurlMoved ccurl_stream_send(CCurlStream *stream, const void *bytes, size_t count, size_t *sent);

/// Receives as many bytes as there are now, at most `count`, and sets their number.
CCurlMoved ccurl_stream_receive(CCurlStream *stream, void *bytes, size_t count, size_t *received);

/// Waits until bytes may have come, until bytes can be sent if `sends`, until `ccurl_stream_wake`, or for a time.
void ccurl_stream_wait(CCurlStream *stream, bool sends, int milliseconds);

/// Ends a wait, or the next one. Any thread may call this.
void ccurl_stream_wake(CCurlStream *stream);

/// Ends the connection, and frees it.
void ccurl_stream_close(CCurlStream *stream);

#endif
