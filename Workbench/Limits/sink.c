/*
 * The server that nudged's sender and `flood` are measured with: what nghttp2 and OpenSSL allow on one thread. Requests
 * for /3/device/ and 64 digits with a body are answered 200 with their apns-id, all others 400.
 *
 * usage: sink PORT CERTIFICATE KEY [STREAMS]     on SIGTERM or SIGINT prints its counts to standard error, as JSON
 * build: cc -O2 -Wall -Wextra -Werror sink.c -o sink -lnghttp2 -lssl -lcrypto
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    USAGE_CODE = 64,
    STREAMS_DEFAULT = 1000,
    STREAM_WINDOW = 1 << 20,
    CONNECTION_WINDOW = 1 << 26,
    /* Frames are gathered until they fill a TLS record. The last one may be as large again. */
    RECORD = 16384,
    BUFFER = 4 * RECORD,
    EVENTS = 64,
    WAITING_CONNECTIONS = 64,
    TOKEN_DIGITS = 64,
    ID_MOST = 36,
    /* Its end where nobody stops it: so long without any event. */
    IDLE_MILLISECONDS = 600000,
};

static const char device_path[] = "/3/device/";

struct sink {
    uint16_t port;
    uint32_t streams;
    SSL_CTX *context;
    nghttp2_session_callbacks *callbacks;
    int listener;
    int signals;
    int events;

    long answered;
    long bad;
    long connections;
    long body_bytes;
};

/* One request, from its first field to its answer. */
struct request {
    LIST_ENTRY(request) place;
    bool has_device;
    bool has_body;
    size_t id_length;
    char id[ID_MOST];
};

struct connection {
    struct sink *sink;
    int socket;
    SSL *tls;
    bool is_secured;
    nghttp2_session *session;
    /* Those without an answer: nghttp2 doesn't end them when a session goes. */
    LIST_HEAD(, request) requests;
    uint8_t output[BUFFER];
    size_t output_start;
    size_t output_end;
};

static _Noreturn void fail_tls(const char *what)
{
    ERR_print_errors_fp(stderr);
    errx(1, "%s", what);
}

/* What nghttp2 calls */

static nghttp2_nv field(const char *name, const char *value, size_t length)
{
    return (nghttp2_nv){
        .name = (uint8_t *)name,
        .value = (uint8_t *)value,
        .namelen = strlen(name),
        .valuelen = length,
        .flags = NGHTTP2_NV_FLAG_NONE,
    };
}

static int begin_request(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    struct connection *connection = user_data;

    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    struct request *request = calloc(1, sizeof *request);
    if (request == NULL)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    LIST_INSERT_HEAD(&connection->requests, request, place);
    if (nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, request) != 0)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    return 0;
}

static bool is_device_path(const uint8_t *value, size_t length)
{
    size_t prefix = sizeof device_path - 1;
    return length == prefix + TOKEN_DIGITS && memcmp(value, device_path, prefix) == 0;
}

static int take_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_length,
                       const uint8_t *value, size_t value_length, uint8_t flags, void *user_data)
{
    struct request *request = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    (void)flags;
    (void)user_data;

    if (request == NULL)
        return 0;
    if (name_length == 5 && memcmp(name, ":path", 5) == 0)
        request->has_device = is_device_path(value, value_length);
    if (name_length == 7 && memcmp(name, "apns-id", 7) == 0 && value_length <= ID_MOST) {
        memcpy(request->id, value, value_length);
        request->id_length = value_length;
    }
    return 0;
}

static int take_body(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t length,
                     void *user_data)
{
    struct connection *connection = user_data;
    struct request *request = nghttp2_session_get_stream_user_data(session, stream);
    (void)flags;
    (void)bytes;

    if (request != NULL && length > 0)
        request->has_body = true;
    connection->sink->body_bytes += (long)length;
    return 0;
}

static int answer(struct connection *connection, int32_t stream, const struct request *request)
{
    bool is_good = request->has_device && request->has_body;
    nghttp2_nv fields[] = {
        field(":status", is_good ? "200" : "400", 3),
        field("apns-id", request->id, request->id_length),
    };

    connection->sink->answered++;
    connection->sink->bad += !is_good;
    if (nghttp2_submit_response(connection->session, stream, fields, is_good ? 2 : 1, NULL) != 0)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    return 0;
}

static int take_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    if (frame->hd.type != NGHTTP2_DATA && frame->hd.type != NGHTTP2_HEADERS)
        return 0;
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0)
        return 0;
    struct request *request = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    return request == NULL ? 0 : answer(user_data, frame->hd.stream_id, request);
}

static void forget(struct request *request)
{
    LIST_REMOVE(request, place);
    free(request);
}

static int end_request(nghttp2_session *session, int32_t stream, uint32_t code, void *user_data)
{
    struct request *request = nghttp2_session_get_stream_user_data(session, stream);
    (void)code;
    (void)user_data;

    if (request != NULL)
        forget(request);
    return 0;
}

/* Connections */

/* Takes frames from nghttp2 until a record is full or none is left. False: the session is broken. */
static bool gather(struct connection *connection)
{
    connection->output_start = 0;
    connection->output_end = 0;
    while (connection->output_end < RECORD) {
        const uint8_t *frame;
        ssize_t length = nghttp2_session_mem_send(connection->session, &frame);
        if (length < 0 || (size_t)length > BUFFER - connection->output_end)
            return false;
        if (length == 0)
            return true;
        memcpy(connection->output + connection->output_end, frame, (size_t)length);
        connection->output_end += (size_t)length;
    }
    return true;
}

/* Whether OpenSSL only waits for the socket: epoll tells when it is ready. */
static bool can_wait(const struct connection *connection, int result)
{
    int reason = SSL_get_error(connection->tls, result);
    if (reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE)
        return true;
    /* The queue of errors belongs to all connections: left in it, this one would be taken for another's. */
    ERR_clear_error();
    return false;
}

/* Writes what the socket takes. False: the connection is over. */
static bool flush(struct connection *connection)
{
    while (true) {
        if (connection->output_start == connection->output_end && !gather(connection))
            return false;
        if (connection->output_end == 0)
            return true;
        int left = (int)(connection->output_end - connection->output_start);
        int written = SSL_write(connection->tls, connection->output + connection->output_start, left);
        if (written <= 0)
            return can_wait(connection, written);
        connection->output_start += (size_t)written;
    }
}

/* Takes all that has come, and answers after each record. False: the connection is over. */
static bool serve(struct connection *connection)
{
    static uint8_t input[BUFFER];

    if (!connection->is_secured) {
        int result = SSL_accept(connection->tls);
        if (result != 1)
            return can_wait(connection, result);
        connection->is_secured = true;
    }
    while (true) {
        int length = SSL_read(connection->tls, input, sizeof input);
        if (length <= 0)
            return can_wait(connection, length) && flush(connection);
        if (nghttp2_session_mem_recv(connection->session, input, (size_t)length) < 0)
            return false;
        if (!flush(connection))
            return false;
    }
}

static void start_session(struct connection *connection)
{
    nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, connection->sink->streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW},
    };
    if (nghttp2_session_server_new(&connection->session, connection->sink->callbacks, connection) != 0)
        errx(1, "out of memory");
    /* Windows so wide that no sender waits for them. */
    if (nghttp2_submit_settings(connection->session, NGHTTP2_FLAG_NONE, settings, 2) != 0 ||
        nghttp2_session_set_local_window_size(connection->session, NGHTTP2_FLAG_NONE, 0, CONNECTION_WINDOW) != 0)
        errx(1, "settings refused by nghttp2");
}

static void start_tls(struct connection *connection)
{
    connection->tls = SSL_new(connection->sink->context);
    if (connection->tls == NULL || SSL_set_fd(connection->tls, connection->socket) != 1)
        fail_tls("TLS");
    /* A write that would block may be repeated from where it stopped. */
    SSL_set_mode(connection->tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

static void watch(const struct sink *sink, int descriptor, uint32_t events, void *what)
{
    struct epoll_event event = {.events = events, .data.ptr = what};
    if (epoll_ctl(sink->events, EPOLL_CTL_ADD, descriptor, &event) != 0)
        err(1, "epoll_ctl");
}

static void accept_connection(struct sink *sink)
{
    int on = 1;
    int accepted = accept4(sink->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted < 0) {
        if (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR)
            return;
        err(1, "accept");
    }
    if (setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0)
        err(1, "setsockopt");
    struct connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL)
        errx(1, "out of memory");
    connection->sink = sink;
    connection->socket = accepted;
    LIST_INIT(&connection->requests);
    start_tls(connection);
    start_session(connection);
    /* Edges only: `serve` reads and writes until the socket says to wait. */
    watch(sink, accepted, EPOLLIN | EPOLLOUT | EPOLLET, connection);
    sink->connections++;
}

static void drop(struct connection *connection)
{
    nghttp2_session_del(connection->session);
    while (!LIST_EMPTY(&connection->requests))
        forget(LIST_FIRST(&connection->requests));
    SSL_free(connection->tls);
    close(connection->socket);
    free(connection);
}

/* The start */

static int choose_protocol(SSL *tls, const unsigned char **chosen, unsigned char *length, const unsigned char *offered,
                           unsigned offered_length, void *argument)
{
    static const unsigned char ours[] = {2, 'h', '2'};
    (void)tls;
    (void)argument;

    int result = SSL_select_next_proto((unsigned char **)chosen, length, ours, sizeof ours, offered, offered_length);
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static void load_certificate(struct sink *sink, const char *certificate, const char *key)
{
    sink->context = SSL_CTX_new(TLS_server_method());
    if (sink->context == NULL)
        fail_tls("TLS");
    if (SSL_CTX_use_certificate_chain_file(sink->context, certificate) != 1)
        fail_tls(certificate);
    if (SSL_CTX_use_PrivateKey_file(sink->context, key, SSL_FILETYPE_PEM) != 1)
        fail_tls(key);
    SSL_CTX_set_alpn_select_cb(sink->context, choose_protocol, NULL);
}

static void set_callbacks(struct sink *sink)
{
    if (nghttp2_session_callbacks_new(&sink->callbacks) != 0)
        errx(1, "out of memory");
    nghttp2_session_callbacks_set_on_begin_headers_callback(sink->callbacks, begin_request);
    nghttp2_session_callbacks_set_on_header_callback(sink->callbacks, take_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(sink->callbacks, take_body);
    nghttp2_session_callbacks_set_on_frame_recv_callback(sink->callbacks, take_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(sink->callbacks, end_request);
}

static void start_listening(struct sink *sink)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(sink->port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int on = 1;

    sink->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (sink->listener < 0)
        err(1, "socket");
    if (setsockopt(sink->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0)
        err(1, "setsockopt");
    if (bind(sink->listener, (struct sockaddr *)&address, sizeof address) != 0)
        err(1, "port %d", sink->port);
    if (listen(sink->listener, WAITING_CONNECTIONS) != 0)
        err(1, "listen");
    watch(sink, sink->listener, EPOLLIN, &sink->listener);
}

/* Signals come as events: nothing is interrupted, and the counts can be printed in peace. */
static void catch_signals(struct sink *sink)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    if (sigprocmask(SIG_BLOCK, &ends, NULL) != 0 || signal(SIGPIPE, SIG_IGN) == SIG_ERR)
        err(1, "signals");
    sink->signals = signalfd(-1, &ends, SFD_CLOEXEC);
    if (sink->signals < 0)
        err(1, "signalfd");
    watch(sink, sink->signals, EPOLLIN, &sink->signals);
}

static long number(const char *text, long least, long most, const char *name)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < least || value > most)
        errx(USAGE_CODE, "%s is a number from %ld to %ld", name, least, most);
    return value;
}

/* The loop */

/* False: a signal asks for the end. */
static bool handle(struct sink *sink, void *what)
{
    if (what == &sink->signals)
        return false;
    if (what == &sink->listener)
        accept_connection(sink);
    else if (!serve(what))
        drop(what);
    return true;
}

static void run(struct sink *sink)
{
    struct epoll_event events[EVENTS];

    while (true) {
        int count = epoll_wait(sink->events, events, EVENTS, IDLE_MILLISECONDS);
        if (count < 0 && errno != EINTR)
            err(1, "epoll_wait");
        if (count == 0) {
            warnx("nothing has come for %d s", IDLE_MILLISECONDS / 1000);
            return;
        }
        for (int index = 0; index < count; index++)
            if (!handle(sink, events[index].data.ptr))
                return;
    }
}

int main(int count, char **arguments)
{
    static struct sink sink;

    if (count < 4 || count > 5) {
        fprintf(stderr, "usage: sink PORT CERTIFICATE KEY [STREAMS]\n");
        return USAGE_CODE;
    }
    sink.port = (uint16_t)number(arguments[1], 1, UINT16_MAX, "PORT");
    sink.streams = count == 5 ? (uint32_t)number(arguments[4], 1, INT_MAX, "STREAMS") : STREAMS_DEFAULT;
    sink.events = epoll_create1(EPOLL_CLOEXEC);
    if (sink.events < 0)
        err(1, "epoll_create1");
    load_certificate(&sink, arguments[2], arguments[3]);
    set_callbacks(&sink);
    catch_signals(&sink);
    start_listening(&sink);
    run(&sink);
    fprintf(stderr, "{\"answered\":%ld,\"bad\":%ld,\"connections\":%ld,\"body_bytes\":%ld}\n", sink.answered, sink.bad,
            sink.connections, sink.body_bytes);
    return 0;
}
