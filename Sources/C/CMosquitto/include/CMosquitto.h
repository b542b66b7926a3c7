// The functions of libmosquitto that publishing over MQTT needs, found with dlopen when a program first connects to a
// broker: linking the library and OpenSSL would make every start of a program slower. One thread calls cmosquitto_loop;
// other threads may publish meanwhile.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct CMosquittoClient CMosquittoClient;

/// Room for a message with its closing zero.
#define CMOSQUITTO_MESSAGE_SIZE 256

/// The settings of a connection. The texts are copied.
typedef struct CMosquittoSettings {
    /// The name of the client at the broker; another client with the name would be disconnected.
    const char *identifier;
    /// 4 for MQTT 3.1.1, 5 for MQTT 5.
    int version;
    /// NULL for no user.
    const char *user;
    /// NULL for no password.
    const char *password;
    bool isSecure;
    /// A file with the certificates of authorities in PEM; NULL for those of the system.
    const char *authorities;
    /// The topic and the text of the last will, which is retained.
    const char *willTopic;
    const char *will;
    /// Passed to the callbacks, which are called by the thread in cmosquitto_loop.
    void *context;
    /// Called with the broker's answer to the connection: 0 if it accepts, otherwise a text says why not.
    void (*onConnect)(void *context, int code, const char *reason);
    /// Called when the broker has acknowledged a message: with a code of 128 or more, and a text, if it refused the
    /// message.
    void (*onPublish)(void *context, int message, int code, const char *reason);
    /// Called for each message that the broker has retained at a topic of cmosquitto_subscribe, if it has a payload.
    void (*onRetained)(void *context, const char *topic);
} CMosquittoSettings;

/// The result of cmosquitto_publish.
typedef enum CMosquittoSent {
    /// The message is on its way.
    CMOSQUITTO_SENT,
    /// The message cannot be sent over this connection, for example because a broker of MQTT 5 takes only smaller
    /// ones.
    CMOSQUITTO_REFUSED,
    /// The connection cannot be used.
    CMOSQUITTO_AWAY,
} CMosquittoSent;

/// Loads the library. Returns NULL, or the reason for which it cannot be used. May be called by several threads, also
/// again.
const char *cmosquitto_load(void);

/// Creates a client without a connection. Returns NULL and a message if that fails. To be called after cmosquitto_load
/// has returned NULL, like all functions below.
CMosquittoClient *cmosquitto_new(const CMosquittoSettings *settings, char *message);

/// Finds the host and connects to it, and waits for both. Returns whether that succeeded, or a message. onConnect
/// reports whether the broker accepts the client.
bool cmosquitto_connect(CMosquittoClient *client, const char *host, int port, int keepAliveSeconds, char *message);

/// Sends and receives for at most `milliseconds`. Returns whether the connection is still open, or a message.
bool cmosquitto_loop(CMosquittoClient *client, int milliseconds, char *message);

/// Sends a message, and sets its number; sets `message` unless the result is CMOSQUITTO_SENT.
CMosquittoSent cmosquitto_publish(CMosquittoClient *client, const char *topic, const void *bytes, size_t count,
                                  bool isRetained, int *number, char *message);

/// Asks for the messages of topics, for onRetained. Returns false and a message if the client cannot send that.
bool cmosquitto_subscribe(CMosquittoClient *client, const char *topics, char *message);

/// Sends the end of the connection, after which the broker publishes no last will.
void cmosquitto_disconnect(CMosquittoClient *client);

/// Frees a client; no other thread may use it then.
void cmosquitto_free(CMosquittoClient *client);
