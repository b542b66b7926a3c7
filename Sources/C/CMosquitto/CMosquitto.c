#include "CMosquitto.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The part of libmosquitto's ABI that is used here. It has not changed since version 2.0 (mosquitto.h).
enum {
    SUCCESS = 0,
    INVALID = 3,
    NO_CONNECTION = 4,
    PAYLOAD_SIZE = 9,
    ERRNO = 14,
    MALFORMED_UTF8 = 18,
    OVERSIZE_PACKET = 25,
    OPTION_PROTOCOL_VERSION = 1,
    OPTION_TCP_NODELAY = 11,
    OPTION_TLS_USE_OS_CERTS = 13,
    AT_MOST_ONCE = 0,
    AT_LEAST_ONCE = 1,
};

struct mosquitto;

struct mosquitto_message {
    int mid;
    char *topic;
    void *payload;
    int payloadlen;
    int qos;
    bool retain;
};

#define FUNCTIONS(X)                                                                                                   \
    X(int, mosquitto_lib_init, (void))                                                                                 \
    X(struct mosquitto *, mosquitto_new, (const char *, bool, void *))                                                 \
    X(void, mosquitto_destroy, (struct mosquitto *))                                                                   \
    X(int, mosquitto_will_set, (struct mosquitto *, const char *, int, const void *, int, bool))                       \
    X(int, mosquitto_username_pw_set, (struct mosquitto *, const char *, const char *))                                \
    X(int, mosquitto_connect, (struct mosquitto *, const char *, int, int))                                            \
    X(int, mosquitto_disconnect, (struct mosquitto *))                                                                 \
    X(int, mosquitto_publish, (struct mosquitto *, int *, const char *, int, const void *, int, bool))                 \
    X(int, mosquitto_subscribe, (struct mosquitto *, int *, const char *, int))                                        \
    X(int, mosquitto_socket, (struct mosquitto *))                                                                     \
    X(bool, mosquitto_want_write, (struct mosquitto *))                                                                \
    X(int, mosquitto_loop_read, (struct mosquitto *, int))                                                             \
    X(int, mosquitto_loop_write, (struct mosquitto *, int))                                                            \
    X(int, mosquitto_loop_misc, (struct mosquitto *))                                                                  \
    X(int, mosquitto_threaded_set, (struct mosquitto *, bool))                                                         \
    X(int, mosquitto_int_option, (struct mosquitto *, int, int))                                                       \
    X(int, mosquitto_tls_set,                                                                                          \
      (struct mosquitto *, const char *, const char *, const char *, const char *, int (*)(char *, int, int, void *))) \
    X(void, mosquitto_connect_callback_set, (struct mosquitto *, void (*)(struct mosquitto *, void *, int)))           \
    X(void, mosquitto_publish_v5_callback_set,                                                                         \
      (struct mosquitto *, void (*)(struct mosquitto *, void *, int, int, const void *)))                              \
    X(void, mosquitto_message_callback_set,                                                                            \
      (struct mosquitto *, void (*)(struct mosquitto *, void *, const struct mosquitto_message *)))                    \
    X(const char *, mosquitto_strerror, (int))                                                                         \
    X(const char *, mosquitto_connack_string, (int))                                                                   \
    X(const char *, mosquitto_reason_string, (int))

static struct {
#define DECLARE(result, name, parameters) result(*name) parameters;
    FUNCTIONS(DECLARE)
} mq;

static const char *failure;

static void load(void) {
#ifdef __APPLE__
    void *library = dlopen("libmosquitto.1.dylib", RTLD_NOW | RTLD_LOCAL);
#else
    void *library = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
#endif
    if (!library) {
        failure = "libmosquitto is not installed";
        return;
    }
#define FIND(result, name, parameters)                                                                                 \
    do {                                                                                                               \
        void *address = dlsym(library, #name);                                                                         \
        if (!address) {                                                                                                \
            failure = "libmosquitto lacks the function " #name;                                                        \
            return;                                                                                                    \
        }                                                                                                              \
        /* A pointer to an object and one to a function have the same size wherever dlsym exists. */                   \
        memcpy(&mq.name, &address, sizeof address);                                                                    \
    } while (0);
    FUNCTIONS(FIND)
    if (mq.mosquitto_lib_init() != SUCCESS) failure = "libmosquitto cannot be started";
}

const char *cmosquitto_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return failure;
}

struct CMosquittoClient {
    struct mosquitto *client;
    // A pipe that ends the waiting of the loop when there is something to send.
    int wake[2];
    void *context;
    void (*onConnect)(void *context, int code, const char *reason);
    void (*onPublish)(void *context, int message, int code, const char *reason);
    void (*onRetained)(void *context, const char *topic);
};

// Copies the meaning of a code. `error` is errno right after the call.
static void copy_message(int code, int error, char *message) {
    const char *text = code == ERRNO ? strerror(error) : mq.mosquitto_strerror(code);
    snprintf(message, CMOSQUITTO_MESSAGE_SIZE, "%s", text);
    // The library's sentences end with a period.
    size_t length = strlen(message);
    if (length > 0 && message[length - 1] == '.') message[length - 1] = 0;
}

static void on_connect(struct mosquitto *client, void *context, int code) {
    (void)client;
    const CMosquittoClient *self = context;
    // Version 5 has other codes than version 3.1.1.
    const char *reason = code < 128 ? mq.mosquitto_connack_string(code) : mq.mosquitto_reason_string(code);
    self->onConnect(self->context, code, reason);
}

static void on_publish(struct mosquitto *client, void *context, int message, int code, const void *properties) {
    (void)client;
    (void)properties;
    const CMosquittoClient *self = context;
    self->onPublish(self->context, message, code, code < 128 ? "" : mq.mosquitto_reason_string(code));
}

static void on_message(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    (void)client;
    const CMosquittoClient *self = context;
    if (message->retain && message->payloadlen > 0) self->onRetained(self->context, message->topic);
}

// Returns the code of the first setting that the library does not take.
static int apply(struct mosquitto *client, const CMosquittoSettings *settings) {
    int code = mq.mosquitto_int_option(client, OPTION_PROTOCOL_VERSION, settings->version);
    if (code == SUCCESS) code = mq.mosquitto_threaded_set(client, true);
    // An event is small, and must not wait for another one.
    if (code == SUCCESS) code = mq.mosquitto_int_option(client, OPTION_TCP_NODELAY, 1);
    if (code == SUCCESS && settings->user)
        code = mq.mosquitto_username_pw_set(client, settings->user, settings->password);
    if (code == SUCCESS && settings->isSecure) {
        if (settings->authorities)
            code = mq.mosquitto_tls_set(client, settings->authorities, NULL, NULL, NULL, NULL);
        else
            code = mq.mosquitto_int_option(client, OPTION_TLS_USE_OS_CERTS, 1);
    }
    if (code == SUCCESS)
        code = mq.mosquitto_will_set(client, settings->willTopic, (int)strlen(settings->will), settings->will,
                                     AT_LEAST_ONCE, true);
    return code;
}

static void close_pipe(CMosquittoClient *client) {
    close(client->wake[0]);
    close(client->wake[1]);
}

CMosquittoClient *cmosquitto_new(const CMosquittoSettings *settings, char *message) {
    CMosquittoClient *self = calloc(1, sizeof *self);
    if (self && pipe(self->wake) == 0) {
        for (int end = 0; end < 2; end++) {
            fcntl(self->wake[end], F_SETFD, FD_CLOEXEC);
            fcntl(self->wake[end], F_SETFL, O_NONBLOCK);
        }
        self->client = mq.mosquitto_new(settings->identifier, true, self);
        if (!self->client) close_pipe(self);
    }
    if (!self || !self->client) {
        free(self);
        snprintf(message, CMOSQUITTO_MESSAGE_SIZE, "out of memory or of files");
        return NULL;
    }
    self->context = settings->context;
    self->onConnect = settings->onConnect;
    self->onPublish = settings->onPublish;
    self->onRetained = settings->onRetained;
    mq.mosquitto_connect_callback_set(self->client, on_connect);
    mq.mosquitto_publish_v5_callback_set(self->client, on_publish);
    mq.mosquitto_message_callback_set(self->client, on_message);
    int code = apply(self->client, settings);
    if (code == SUCCESS) return self;
    copy_message(code, errno, message);
    cmosquitto_free(self);
    return NULL;
}

bool cmosquitto_connect(CMosquittoClient *client, const char *host, int port, int keepAliveSeconds, char *message) {
    int code = mq.mosquitto_connect(client->client, host, port, keepAliveSeconds);
    if (code != SUCCESS) copy_message(code, errno, message);
    return code == SUCCESS;
}

// Waits for the broker or for the pipe, and does the pending work. mosquitto_loop does the same with select(), which
// has no place for files with numbers from 1,024 on.
static int turn(CMosquittoClient *client, int milliseconds) {
    int socket = mq.mosquitto_socket(client->client);
    if (socket < 0) return NO_CONNECTION;
    bool wants_write = mq.mosquitto_want_write(client->client);
    struct pollfd files[2] = {
        {.fd = socket, .events = POLLIN | (wants_write ? POLLOUT : 0)},
        {.fd = client->wake[0], .events = POLLIN},
    };
    if (poll(files, 2, milliseconds) < 0 && errno != EINTR) return ERRNO;
    char bytes[64];
    while (read(client->wake[0], bytes, sizeof bytes) > 0)
        continue;
    int code = SUCCESS;
    bool reads = files[0].revents & ~POLLOUT;
    if (reads) code = mq.mosquitto_loop_read(client->client, 1);
    if (code == SUCCESS && mq.mosquitto_want_write(client->client)) code = mq.mosquitto_loop_write(client->client, 1);
    // While TLS begins, the socket accepts bytes, but there are none yet.
    if (code == SUCCESS && !reads && wants_write && mq.mosquitto_want_write(client->client)) usleep(5000);
    return code == SUCCESS ? mq.mosquitto_loop_misc(client->client) : code;
}

bool cmosquitto_loop(CMosquittoClient *client, int milliseconds, char *message) {
    int code = turn(client, milliseconds);
    if (code != SUCCESS) copy_message(code, errno, message);
    return code == SUCCESS;
}

static void wake(CMosquittoClient *client) {
    // A full pipe wakes, too.
    if (write(client->wake[1], "", 1) < 0) return;
}

// Whether a code of mosquitto_publish concerns the message, and not the connection.
static bool is_about_message(int code) {
    return code == OVERSIZE_PACKET || code == PAYLOAD_SIZE || code == MALFORMED_UTF8 || code == INVALID;
}

CMosquittoSent cmosquitto_publish(CMosquittoClient *client, const char *topic, const void *bytes, size_t count,
                                  bool isRetained, int *number, char *message) {
    int code = PAYLOAD_SIZE;
    if (count <= INT_MAX)
        code = mq.mosquitto_publish(client->client, number, topic, (int)count, bytes, AT_LEAST_ONCE, isRetained);
    wake(client);
    if (code == SUCCESS) return CMOSQUITTO_SENT;
    copy_message(code, errno, message);
    return is_about_message(code) ? CMOSQUITTO_REFUSED : CMOSQUITTO_AWAY;
}

bool cmosquitto_subscribe(CMosquittoClient *client, const char *topics, char *message) {
    int code = mq.mosquitto_subscribe(client->client, NULL, topics, AT_MOST_ONCE);
    wake(client);
    if (code != SUCCESS) copy_message(code, errno, message);
    return code == SUCCESS;
}

void cmosquitto_disconnect(CMosquittoClient *client) {
    mq.mosquitto_disconnect(client->client);
    wake(client);
}

void cmosquitto_free(CMosquittoClient *client) {
    mq.mosquitto_destroy(client->client);
    close_pipe(client);
    free(client);
}
