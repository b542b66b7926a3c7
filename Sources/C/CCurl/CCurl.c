#include "CCurl.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The numbers are part of libcurl's ABI and have not changed since version 7 (curl/curl.h).
enum {
    OPTION_WRITEDATA = 10001,
    OPTION_URL = 10002,
    OPTION_ERRORBUFFER = 10010,
    OPTION_POSTFIELDS = 10015,
    OPTION_USERAGENT = 10018,
    OPTION_HTTPHEADER = 10023,
    OPTION_HEADERDATA = 10029,
    OPTION_CAINFO = 10065,
    OPTION_NOPROXY = 10177,
    OPTION_POSTFIELDSIZE_LARGE = 30120,
    OPTION_WRITEFUNCTION = 20011,
    OPTION_HEADERFUNCTION = 20079,
    OPTION_LOW_SPEED_LIMIT = 19,
    OPTION_LOW_SPEED_TIME = 20,
    OPTION_POST = 47,
    OPTION_FOLLOWLOCATION = 52,
    OPTION_CONNECTTIMEOUT = 78,
    OPTION_NOSIGNAL = 99,
    OPTION_CONNECT_ONLY = 141,
    OPTION_TIMEOUT_MS = 155,
    OPTION_CONNECTTIMEOUT_MS = 156,
    OPTION_PROTOCOLS = 181,
    OPTION_SSL_ENABLE_ALPN = 226,
    INFO_REDIRECT_URL = 0x100000 + 31,
    INFO_OS_ERRNO = 0x200000 + 25,
    INFO_ACTIVESOCKET = 0x500000 + 44,
    PROTOCOL_HTTP = 1,
    PROTOCOL_HTTPS = 2,
    GLOBAL_ALL = 3,
    CODE_FAILED_INIT = 2,
    CODE_COULDNT_CONNECT = 7,
    CODE_OUT_OF_MEMORY = 27,
    CODE_AGAIN = 81,
    ERROR_SIZE = 256,
};

static struct {
    int (*global_init)(long flags);
    void *(*easy_init)(void);
    int (*easy_setopt)(void *handle, int option, ...);
    int (*easy_perform)(void *handle);
    int (*easy_getinfo)(void *handle, int info, ...);
    int (*easy_send)(void *handle, const void *bytes, size_t count, size_t *sent);
    int (*easy_recv)(void *handle, void *bytes, size_t count, size_t *received);
    void (*easy_cleanup)(void *handle);
    const char *(*easy_strerror)(int code);
    void *(*slist_append)(void *list, const char *text);
    void (*slist_free_all)(void *list);
} curl;

static const char *const names[] = {
#ifdef __APPLE__
    "libcurl.4.dylib",
#else
    "libcurl.so.4",
    "libcurl-gnutls.so.4",
#endif
};

const char *ccurl_load(void) {
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) return "libcurl is not installed";

    // A pointer to an object and one to a function have the same size wherever dlsym exists.
    const struct {
        const char *name;
        void *place;
    } functions[] = {
        {"curl_global_init", &curl.global_init},       {"curl_easy_init", &curl.easy_init},
        {"curl_easy_setopt", &curl.easy_setopt},       {"curl_easy_perform", &curl.easy_perform},
        {"curl_easy_getinfo", &curl.easy_getinfo},     {"curl_easy_cleanup", &curl.easy_cleanup},
        {"curl_easy_strerror", &curl.easy_strerror},   {"curl_slist_append", &curl.slist_append},
        {"curl_slist_free_all", &curl.slist_free_all}, {"curl_easy_send", &curl.easy_send},
        {"curl_easy_recv", &curl.easy_recv},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *address = dlsym(library, functions[i].name);
        if (!address) return "libcurl lacks a function that is needed";
        memcpy(functions[i].place, &address, sizeof address);
    }
    return curl.global_init(GLOBAL_ALL) == 0 ? NULL : "libcurl cannot be started";
}

static size_t forward_header(char *bytes, size_t size, size_t count, void *context) {
    const CCurlRequest *request = context;
    return request->onHeader(request->context, bytes, size * count) ? size * count : 0;
}

static size_t forward_body(char *bytes, size_t size, size_t count, void *context) {
    const CCurlRequest *request = context;
    if (size * count == 0) return 0;
    return request->onBody(request->context, bytes, size * count) ? size * count : 0;
}

static void fail(CCurlResult *result, int code, const char *message) {
    result->code = code;
    snprintf(result->message, sizeof result->message, "%s", message);
}

void ccurl_send(const CCurlRequest *request, CCurlResult *result) {
    memset(result, 0, sizeof *result);
    void *handle = curl.easy_init();
    if (!handle) {
        fail(result, CODE_FAILED_INIT, "no handle");
        return;
    }
    void *headers = NULL;
    for (size_t i = 0; i < request->headerCount; i++) {
        void *longer = curl.slist_append(headers, request->headers[i]);
        if (!longer) {
            curl.slist_free_all(headers);
            curl.easy_cleanup(handle);
            fail(result, CODE_OUT_OF_MEMORY, "out of memory");
            return;
        }
        headers = longer;
    }
    char message[ERROR_SIZE] = "";
    curl.easy_setopt(handle, OPTION_ERRORBUFFER, message);
    curl.easy_setopt(handle, OPTION_URL, request->url);
    curl.easy_setopt(handle, OPTION_PROTOCOLS, (long)(request->isSecure ? PROTOCOL_HTTPS : PROTOCOL_HTTP));
    curl.easy_setopt(handle, OPTION_FOLLOWLOCATION, 0L);
    curl.easy_setopt(handle, OPTION_USERAGENT, request->userAgent);
    curl.easy_setopt(handle, OPTION_HTTPHEADER, headers);
    // Threads and signals do not go together.
    curl.easy_setopt(handle, OPTION_NOSIGNAL, 1L);
    curl.easy_setopt(handle, OPTION_CONNECTTIMEOUT, 20L);
    // A connection that brings nothing for half a minute is dead.
    curl.easy_setopt(handle, OPTION_LOW_SPEED_LIMIT, 1L);
    curl.easy_setopt(handle, OPTION_LOW_SPEED_TIME, 30L);
    if (request->timeoutMilliseconds > 0) curl.easy_setopt(handle, OPTION_TIMEOUT_MS, request->timeoutMilliseconds);
    if (request->isPost) {
        curl.easy_setopt(handle, OPTION_POST, 1L);
        // libcurl copies nothing of the body, which outlives the request.
        curl.easy_setopt(handle, OPTION_POSTFIELDSIZE_LARGE, (int64_t)request->bodyCount);
        curl.easy_setopt(handle, OPTION_POSTFIELDS, request->bodyCount > 0 ? request->body : "");
    }
    if (request->isLocal) curl.easy_setopt(handle, OPTION_NOPROXY, "*");
    curl.easy_setopt(handle, OPTION_HEADERFUNCTION, forward_header);
    curl.easy_setopt(handle, OPTION_HEADERDATA, request);
    curl.easy_setopt(handle, OPTION_WRITEFUNCTION, forward_body);
    curl.easy_setopt(handle, OPTION_WRITEDATA, request);

    int code = curl.easy_perform(handle);
    if (code != 0) fail(result, code, message[0] ? message : curl.easy_strerror(code));
    char *redirect = NULL;
    if (curl.easy_getinfo(handle, INFO_REDIRECT_URL, &redirect) == 0 && redirect) {
        // An address that does not fit is none; the caller then reports the status.
        if (strlen(redirect) < sizeof result->redirect) strcpy(result->redirect, redirect);
    }
    curl.easy_cleanup(handle);
    curl.slist_free_all(headers);
}

struct CCurlStream {
    void *handle;
    int socket;
    // A pipe that ends a wait.
    int wake[2];
};

void ccurl_stream_close(CCurlStream *stream) {
    if (stream->handle) curl.easy_cleanup(stream->handle);
    close(stream->wake[0]);
    close(stream->wake[1]);
    free(stream);
}

// A stream without a connection; NULL if there is no memory, or no file is left.
static CCurlStream *new_stream(void) {
    CCurlStream *stream = calloc(1, sizeof *stream);
    if (stream && pipe(stream->wake) == 0) {
        for (int end = 0; end < 2; end++) {
            fcntl(stream->wake[end], F_SETFD, FD_CLOEXEC);
            fcntl(stream->wake[end], F_SETFL, O_NONBLOCK);
        }
        stream->handle = curl.easy_init();
        if (stream->handle) return stream;
        ccurl_stream_close(stream);
        return NULL;
    }
    free(stream);
    return NULL;
}

CCurlStream *ccurl_stream_open(const char *url, const char *authorities, long timeoutMilliseconds,
                               CCurlResult *result) {
    memset(result, 0, sizeof *result);
    CCurlStream *stream = new_stream();
    if (!stream) {
        fail(result, CODE_OUT_OF_MEMORY, "out of memory or of files");
        return NULL;
    }
    char message[ERROR_SIZE] = "";
    curl.easy_setopt(stream->handle, OPTION_ERRORBUFFER, message);
    curl.easy_setopt(stream->handle, OPTION_URL, url);
    curl.easy_setopt(stream->handle, OPTION_PROTOCOLS, (long)(PROTOCOL_HTTP | PROTOCOL_HTTPS));
    curl.easy_setopt(stream->handle, OPTION_CONNECT_ONLY, 1L);
    // The protocol of the connection is not HTTP.
    curl.easy_setopt(stream->handle, OPTION_SSL_ENABLE_ALPN, 0L);
    curl.easy_setopt(stream->handle, OPTION_NOPROXY, "*");
    curl.easy_setopt(stream->handle, OPTION_NOSIGNAL, 1L);
    curl.easy_setopt(stream->handle, OPTION_CONNECTTIMEOUT_MS, timeoutMilliseconds);
    if (authorities) curl.easy_setopt(stream->handle, OPTION_CAINFO, authorities);

    int code = curl.easy_perform(stream->handle);
    long error = 0;
    if (code == CODE_COULDNT_CONNECT) curl.easy_getinfo(stream->handle, INFO_OS_ERRNO, &error);
    if (code != 0)
        fail(result, code, error != 0 ? strerror((int)error) : message[0] ? message : curl.easy_strerror(code));
    // The buffer for messages ends with this function.
    curl.easy_setopt(stream->handle, OPTION_ERRORBUFFER, NULL);
    if (code == 0) {
        code = curl.easy_getinfo(stream->handle, INFO_ACTIVESOCKET, &stream->socket);
        if (code == 0 && stream->socket >= 0) return stream;
        fail(result, CODE_FAILED_INIT, "the connection has no socket");
    }
    ccurl_stream_close(stream);
    return NULL;
}

CCurlMoved ccurl_stream_send(CCurlStream *stream, const void *bytes, size_t count, size_t *sent) {
    *sent = 0;
    int code = curl.easy_send(stream->handle, bytes, count, sent);
    return code == 0 || code == CODE_AGAIN ? CCURL_MOVED : CCURL_LOST;
}

CCurlMoved ccurl_stream_receive(CCurlStream *stream, void *bytes, size_t count, size_t *received) {
    *received = 0;
    int code = curl.easy_recv(stream->handle, bytes, count, received);
    if (code == CODE_AGAIN) return CCURL_MOVED;
    if (code != 0) return CCURL_LOST;
    return *received > 0 ? CCURL_MOVED : CCURL_ENDED;
}

void ccurl_stream_wait(CCurlStream *stream, bool sends, int milliseconds) {
    struct pollfd files[2] = {
        {.fd = stream->socket, .events = POLLIN | (sends ? POLLOUT : 0)},
        {.fd = stream->wake[0], .events = POLLIN},
    };
    poll(files, 2, milliseconds);
    char bytes[64];
    while (read(stream->wake[0], bytes, sizeof bytes) > 0)
        continue;
}

void ccurl_stream_wake(CCurlStream *stream) {
    // A full pipe wakes, too.
    if (write(stream->wake[1], "", 1) < 0) return;
}
