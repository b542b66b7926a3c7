// The few functions of libcurl that downloads and webhooks need, found with dlopen when the first request begins:
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

#endif
