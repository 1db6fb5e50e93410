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
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

/* Frames are gathered until they fill a TLS record. The last one may be as large again. */
enum { RECORD = 16384, BUFFER = 4 * RECORD, EVENTS = 64, ID_MOST = 36 };

/* One request, from its first field to its answer. */
struct request {
    LIST_ENTRY(request) place;
    bool has_device, has_body;
    size_t id_length;
    char id[ID_MOST];
};

struct connection {
    int socket;
    SSL *tls;
    nghttp2_session *session;
    /* Those without an answer: nghttp2 doesn't end them when a session goes. */
    LIST_HEAD(, request) requests;
    uint8_t output[BUFFER];
    size_t output_start, output_end;
};

static long answered, bad, connections, body_bytes;
static SSL_CTX *context;
static nghttp2_session_callbacks *callbacks;
static uint32_t streams = 1000;
static int events;
static volatile sig_atomic_t is_over;

static void end(int number) { is_over = number; }

/* What nghttp2 calls */

static int begin_request(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    struct connection *connection = user_data;
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    struct request *request = calloc(1, sizeof *request);
    if (request == NULL)
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    LIST_INSERT_HEAD(&connection->requests, request, place);
    return nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, request);
}

static int take_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_length,
                       const uint8_t *value, size_t value_length, uint8_t flags, void *user_data)
{
    (void)flags, (void)user_data;
    struct request *request = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (request == NULL)
        return 0;
    if (name_length == 5 && memcmp(name, ":path", 5) == 0)
        request->has_device = value_length == 74 && memcmp(value, "/3/device/", 10) == 0;
    if (name_length == 7 && memcmp(name, "apns-id", 7) == 0 && value_length <= ID_MOST) {
        memcpy(request->id, value, value_length);
        request->id_length = value_length;
    }
    return 0;
}

static int take_body(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t length,
                     void *user_data)
{
    (void)flags, (void)bytes, (void)user_data;
    struct request *request = nghttp2_session_get_stream_user_data(session, stream);
    if (request != NULL && length > 0)
        request->has_body = true;
    body_bytes += (long)length;
    return 0;
}

static int take_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user_data)
{
    (void)user_data;
    struct request *request = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if ((frame->hd.type != NGHTTP2_DATA && frame->hd.type != NGHTTP2_HEADERS) || request == NULL ||
        (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0)
        return 0;
    bool is_good = request->has_device && request->has_body;
    nghttp2_nv fields[] = {
        {(uint8_t *)":status", (uint8_t *)(is_good ? "200" : "400"), 7, 3, NGHTTP2_NV_FLAG_NONE},
        {(uint8_t *)"apns-id", (uint8_t *)request->id, 7, request->id_length, NGHTTP2_NV_FLAG_NONE},
    };
    answered++;
    bad += !is_good;
    return nghttp2_submit_response(session, frame->hd.stream_id, fields, is_good ? 2 : 1, NULL);
}

static void forget(struct request *request)
{
    LIST_REMOVE(request, place);
    free(request);
}

static int end_request(nghttp2_session *session, int32_t stream, uint32_t code, void *user_data)
{
    (void)code, (void)user_data;
    struct request *request = nghttp2_session_get_stream_user_data(session, stream);
    if (request != NULL)
        forget(request);
    return 0;
}

/* Connections */

/* Whether OpenSSL only waits for the socket: epoll tells when it is ready. */
static bool can_wait(const struct connection *connection, int result)
{
    int reason = SSL_get_error(connection->tls, result);
    /* The queue of errors belongs to all connections: left in it, this one would be taken for another's. */
    ERR_clear_error();
    return reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE;
}

/* Writes what the socket takes, a record at a time. False: the connection is over. */
static bool flush(struct connection *c)
{
    while (true) {
        if (c->output_start == c->output_end) {
            c->output_start = c->output_end = 0;
            while (c->output_end < RECORD) {
                const uint8_t *frame;
                ssize_t length = nghttp2_session_mem_send(c->session, &frame);
                if (length < 0 || (size_t)length > BUFFER - c->output_end)
                    return false;
                if (length == 0)
                    break;
                memcpy(c->output + c->output_end, frame, (size_t)length);
                c->output_end += (size_t)length;
            }
        }
        if (c->output_end == 0)
            return true;
        int written = SSL_write(c->tls, c->output + c->output_start, (int)(c->output_end - c->output_start));
        if (written <= 0)
            return can_wait(c, written);
        c->output_start += (size_t)written;
    }
}

/* Takes all that has come, and answers after each record. False: the connection is over. */
static bool serve(struct connection *connection)
{
    static uint8_t input[BUFFER];
    while (true) {
        int length = SSL_read(connection->tls, input, sizeof input);
        if (length <= 0)
            return can_wait(connection, length) && flush(connection);
        if (nghttp2_session_mem_recv(connection->session, input, (size_t)length) < 0 || !flush(connection))
            return false;
    }
}

static void watch(int descriptor, uint32_t kinds, void *what)
{
    struct epoll_event event = {.events = kinds, .data.ptr = what};
    if (epoll_ctl(events, EPOLL_CTL_ADD, descriptor, &event) != 0)
        err(1, "epoll_ctl");
}

static void accept_connection(int listener)
{
    /* Windows so wide that no sender waits for them. */
    nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1 << 20},
    };
    int on = 1;
    int accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted < 0)
        return;
    setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL)
        errx(1, "out of memory");
    connection->socket = accepted;
    LIST_INIT(&connection->requests);
    connection->tls = SSL_new(context);
    SSL_set_fd(connection->tls, accepted);
    SSL_set_accept_state(connection->tls);
    /* A write that would block may be repeated from where it stopped. */
    SSL_set_mode(connection->tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    nghttp2_session_server_new(&connection->session, callbacks, connection);
    nghttp2_submit_settings(connection->session, NGHTTP2_FLAG_NONE, settings, 2);
    nghttp2_session_set_local_window_size(connection->session, NGHTTP2_FLAG_NONE, 0, 1 << 26);
    /* Edges only: `serve` reads and writes until the socket says to wait. */
    watch(accepted, EPOLLIN | EPOLLOUT | EPOLLET, connection);
    connections++;
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

static int choose_protocol(SSL *tls, const unsigned char **chosen, unsigned char *length, const unsigned char *offered,
                           unsigned offered_length, void *argument)
{
    (void)tls, (void)argument;
    int result = SSL_select_next_proto((unsigned char **)chosen, length, (const unsigned char *)"\2h2", 3, offered,
                                       offered_length);
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static int start_listening(int port)
{
    struct sockaddr_in address = {AF_INET, htons((uint16_t)port), {htonl(INADDR_LOOPBACK)}, {0}};
    int on = 1;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 64) != 0)
        err(1, "port %d", port);
    return listener;
}

int main(int count, char **arguments)
{
    if (count < 4 || count > 5)
        errx(64, "usage: sink PORT CERTIFICATE KEY [STREAMS]");
    if (count == 5)
        streams = (uint32_t)atoi(arguments[4]);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGTERM, end);
    signal(SIGINT, end);
    context = SSL_CTX_new(TLS_server_method());
    if (SSL_CTX_use_certificate_chain_file(context, arguments[2]) != 1 ||
        SSL_CTX_use_PrivateKey_file(context, arguments[3], SSL_FILETYPE_PEM) != 1)
        errx(1, "%s or %s can't be used", arguments[2], arguments[3]);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, begin_request);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, take_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, take_body);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, take_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, end_request);
    events = epoll_create1(EPOLL_CLOEXEC);
    int listener = start_listening(atoi(arguments[1]));
    watch(listener, EPOLLIN, NULL);

    struct epoll_event ready[EVENTS];
    /* Where nobody stops it, it ends after ten minutes without any event. */
    for (int found = 1; found != 0 && !is_over;) {
        found = epoll_wait(events, ready, EVENTS, 600000);
        for (int index = 0; index < found; index++) {
            if (ready[index].data.ptr == NULL)
                accept_connection(listener);
            else if (!serve(ready[index].data.ptr))
                drop(ready[index].data.ptr);
        }
    }
    fprintf(stderr, "{\"answered\":%ld,\"bad\":%ld,\"connections\":%ld,\"body_bytes\":%ld}\n", answered, bad,
            connections, body_bytes);
    return 0;
}
