/*
 * The limit for a sender: pushes to one server, over one connection, with as little code around nghttp2 and OpenSSL as
 * HTTP/2 allows. `scripts/bench` holds nudged's sender against it.
 *
 * usage: flood PORT CA COUNT STREAMS PAYLOAD_FILE     prints one JSON object; exit code 1 where a push was not accepted
 * build: cc -O2 -Wall -Wextra -Werror flood.c -o flood -lnghttp2 -lssl -lcrypto
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    USAGE_CODE = 64,
    PAYLOAD_MOST = 8192,
    /* Frames are gathered until they fill a TLS record. The last one may be as large again. */
    RECORD = 16384,
    BUFFER = 4 * RECORD,
    CONNECT_SECONDS = 10,
    STALL_MILLISECONDS = 30000,
    TOKEN_DIGITS = 64,
    ID_LENGTH = 36,
    PROVIDER_TOKEN_LENGTH = 180,
};

static const char device_path[] = "/3/device/";
static const char bearer[] = "bearer ";
static const char id_pattern[] = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx";

enum { PATH_LENGTH = sizeof device_path - 1 + TOKEN_DIGITS };
enum { AUTHORIZATION_LENGTH = sizeof bearer - 1 + PROVIDER_TOKEN_LENGTH };
enum { FIELD_PATH = 3, FIELD_ID = 8, FIELDS = 10 };

/* One push on its way. */
struct push {
    size_t sent;
    bool is_accepted;
};

struct flood {
    /* What was asked. */
    uint16_t port;
    const char *ca;
    long total;
    uint32_t streams;
    uint8_t payload[PAYLOAD_MOST];
    size_t payload_length;

    /* The connection. */
    SSL_CTX *context;
    SSL *tls;
    int socket;
    nghttp2_session *session;
    uint8_t output[BUFFER];
    size_t output_start;
    size_t output_end;

    /* The request: only the token and the id change from push to push. */
    nghttp2_nv fields[FIELDS];
    char path[PATH_LENGTH];
    char id[ID_LENGTH];
    char authorization[AUTHORIZATION_LENGTH];

    /* How far it is. */
    long started;
    long finished;
    long accepted;
};

static _Noreturn void fail_tls(const char *what)
{
    ERR_print_errors_fp(stderr);
    errx(1, "%s", what);
}

/* What was asked */

static long number(const char *text, long least, long most, const char *name)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < least || value > most)
        errx(USAGE_CODE, "%s is a number from %ld to %ld", name, least, most);
    return value;
}

static void read_payload(struct flood *flood, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        err(1, "%s", path);
    flood->payload_length = fread(flood->payload, 1, sizeof flood->payload, file);
    if (ferror(file))
        err(1, "%s", path);
    /* The server refuses an empty body, and a cut one would not be what was asked. */
    if (flood->payload_length == 0 || fgetc(file) != EOF)
        errx(1, "%s: a payload has 1 to %d bytes", path, PAYLOAD_MOST);
    fclose(file);
}

static void read_arguments(struct flood *flood, int count, char **arguments)
{
    if (count != 6) {
        fprintf(stderr, "usage: flood PORT CA COUNT STREAMS PAYLOAD_FILE\n");
        exit(USAGE_CODE);
    }
    flood->port = (uint16_t)number(arguments[1], 1, UINT16_MAX, "PORT");
    flood->ca = arguments[2];
    flood->total = number(arguments[3], 1, LONG_MAX, "COUNT");
    flood->streams = (uint32_t)number(arguments[4], 1, INT_MAX, "STREAMS");
    read_payload(flood, arguments[5]);
}

/* The connection */

static void open_socket(struct flood *flood)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(flood->port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    /* They end a handshake that hangs. Later the socket doesn't block, and `await` has its own limit. */
    struct timeval limit = {.tv_sec = CONNECT_SECONDS};
    int on = 1;

    flood->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (flood->socket < 0)
        err(1, "socket");
    if (setsockopt(flood->socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0 ||
        setsockopt(flood->socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
        setsockopt(flood->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0)
        err(1, "setsockopt");
    if (connect(flood->socket, (struct sockaddr *)&address, sizeof address) != 0)
        err(1, "connect to port %d", flood->port);
}

static void start_tls(struct flood *flood)
{
    static const uint8_t protocols[] = {2, 'h', '2'};
    const uint8_t *chosen;
    unsigned length;

    flood->context = SSL_CTX_new(TLS_client_method());
    if (flood->context == NULL || SSL_CTX_load_verify_locations(flood->context, flood->ca, NULL) != 1)
        fail_tls(flood->ca);
    SSL_CTX_set_verify(flood->context, SSL_VERIFY_PEER, NULL);
    /* Alone of OpenSSL's functions, this one returns 0 for success. */
    if (SSL_CTX_set_alpn_protos(flood->context, protocols, sizeof protocols) != 0)
        fail_tls("ALPN");
    flood->tls = SSL_new(flood->context);
    if (flood->tls == NULL || SSL_set_fd(flood->tls, flood->socket) != 1 || SSL_set1_host(flood->tls, "localhost") != 1)
        fail_tls("TLS");
    if (SSL_connect(flood->tls) != 1)
        fail_tls("TLS handshake");
    SSL_get0_alpn_selected(flood->tls, &chosen, &length);
    if (length != 2 || memcmp(chosen, "h2", 2) != 0)
        errx(1, "the server doesn't speak HTTP/2");
    /* A write that would block may be repeated from where it stopped. */
    SSL_set_mode(flood->tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    if (fcntl(flood->socket, F_SETFL, O_NONBLOCK) != 0)
        err(1, "fcntl");
}

/* What nghttp2 calls */

static ssize_t give_payload(nghttp2_session *session, int32_t stream, uint8_t *buffer, size_t room, uint32_t *flags,
                            nghttp2_data_source *source, void *user_data)
{
    struct flood *flood = user_data;
    struct push *push = source->ptr;
    size_t left = flood->payload_length - push->sent;
    size_t count = left < room ? left : room;
    (void)session;
    (void)stream;

    memcpy(buffer, flood->payload + push->sent, count);
    push->sent += count;
    if (push->sent == flood->payload_length)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)count;
}

static int take_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_length,
                       const uint8_t *value, size_t value_length, uint8_t flags, void *user_data)
{
    (void)flags;
    (void)user_data;
    if (name_length != 7 || memcmp(name, ":status", 7) != 0)
        return 0;
    if (value_length != 3 || memcmp(value, "200", 3) != 0)
        return 0;
    struct push *push = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (push != NULL)
        push->is_accepted = true;
    return 0;
}

static int end_push(nghttp2_session *session, int32_t stream, uint32_t code, void *user_data)
{
    struct flood *flood = user_data;
    struct push *push = nghttp2_session_get_stream_user_data(session, stream);
    (void)code;

    if (push == NULL)
        return 0;
    flood->accepted += push->is_accepted;
    flood->finished++;
    free(push);
    return 0;
}

static void start_session(struct flood *flood)
{
    nghttp2_session_callbacks *callbacks;

    if (nghttp2_session_callbacks_new(&callbacks) != 0)
        errx(1, "out of memory");
    nghttp2_session_callbacks_set_on_header_callback(callbacks, take_header);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, end_push);
    if (nghttp2_session_client_new(&flood->session, callbacks, flood) != 0)
        errx(1, "out of memory");
    nghttp2_session_callbacks_del(callbacks);
    /* An empty SETTINGS frame: every client starts with one. */
    if (nghttp2_submit_settings(flood->session, NGHTTP2_FLAG_NONE, NULL, 0) != 0)
        errx(1, "SETTINGS refused by nghttp2");
}

/* The pushes */

static nghttp2_nv field(const char *name, const char *value, size_t length, uint8_t flags)
{
    return (nghttp2_nv){
        .name = (uint8_t *)name,
        .value = (uint8_t *)value,
        .namelen = strlen(name),
        .valuelen = length,
        .flags = flags,
    };
}

static nghttp2_nv constant(const char *name, const char *value)
{
    return field(name, value, strlen(value), NGHTTP2_NV_FLAG_NONE);
}

/* All the fields that a real push has. */
static void prepare_fields(struct flood *flood)
{
    memcpy(flood->path, device_path, sizeof device_path - 1);
    memcpy(flood->authorization, bearer, sizeof bearer - 1);
    memset(flood->authorization + sizeof bearer - 1, 'x', PROVIDER_TOKEN_LENGTH);

    flood->fields[0] = constant(":method", "POST");
    flood->fields[1] = constant(":scheme", "https");
    flood->fields[2] = constant(":authority", "localhost");
    flood->fields[FIELD_PATH] = field(":path", flood->path, PATH_LENGTH, NGHTTP2_NV_FLAG_NONE);
    flood->fields[4] = constant("apns-topic", "com.example.App");
    flood->fields[5] = constant("apns-push-type", "alert");
    flood->fields[6] = constant("apns-priority", "10");
    flood->fields[7] = constant("apns-expiration", "1795300000");
    /* Different each time: in the header table it would only push out others. */
    flood->fields[FIELD_ID] = field("apns-id", flood->id, ID_LENGTH, NGHTTP2_NV_FLAG_NO_INDEX);
    flood->fields[9] = field("authorization", flood->authorization, AUTHORIZATION_LENGTH, NGHTTP2_NV_FLAG_NONE);
}

/* SplitMix64 of a number: different for different numbers. */
static uint64_t mixed(uint64_t value)
{
    uint64_t word = (value + 1) * 0x9E3779B97F4A7C15;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
    word = (word ^ word >> 27) * 0x94D049BB133111EB;
    return word ^ word >> 31;
}

/* A token and an id that no other push has: equal ones would be cheaper to compress. */
static void address_push(struct flood *flood)
{
    static const char digits[] = "0123456789abcdef";
    char *token = flood->path + sizeof device_path - 1;

    for (int part = 0; part < TOKEN_DIGITS / 16; part++) {
        uint64_t word = mixed((uint64_t)flood->started * 4 + (uint64_t)part);
        for (int digit = 0; digit < 16; digit++)
            token[part * 16 + digit] = digits[word >> digit * 4 & 15];
    }
    for (int place = 0; place < ID_LENGTH; place++)
        flood->id[place] = id_pattern[place] == 'x' ? token[place] : id_pattern[place];
}

static void submit_push(struct flood *flood)
{
    struct push *push = calloc(1, sizeof *push);
    if (push == NULL)
        errx(1, "out of memory");
    nghttp2_data_provider body = {.source.ptr = push, .read_callback = give_payload};

    address_push(flood);
    int32_t stream = nghttp2_submit_request(flood->session, NULL, flood->fields, FIELDS, &body, push);
    if (stream < 0)
        errx(1, "request refused by nghttp2: %s", nghttp2_strerror(stream));
    flood->started++;
}

/* As many in flight as asked, and as the server allows. */
static void refill(struct flood *flood)
{
    uint32_t allowed = nghttp2_session_get_remote_settings(flood->session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
    long most = allowed < flood->streams ? allowed : flood->streams;

    while (flood->started < flood->total && flood->started - flood->finished < most)
        submit_push(flood);
}

/* The flow of bytes */

/* Takes frames from nghttp2 until a record is full or none is left. */
static void gather(struct flood *flood)
{
    flood->output_start = 0;
    flood->output_end = 0;
    while (flood->output_end < RECORD) {
        const uint8_t *frame;
        ssize_t length = nghttp2_session_mem_send(flood->session, &frame);
        if (length < 0)
            errx(1, "nghttp2: %s", nghttp2_strerror((int)length));
        if (length == 0)
            return;
        if ((size_t)length > BUFFER - flood->output_end)
            errx(1, "a frame of %zd bytes", length);
        memcpy(flood->output + flood->output_end, frame, (size_t)length);
        flood->output_end += (size_t)length;
    }
}

/* Writes all there is. False: the socket takes no more for now. */
static bool flush(struct flood *flood)
{
    while (true) {
        if (flood->output_start == flood->output_end)
            gather(flood);
        if (flood->output_end == 0)
            return true;
        int left = (int)(flood->output_end - flood->output_start);
        int written = SSL_write(flood->tls, flood->output + flood->output_start, left);
        if (written > 0) {
            flood->output_start += (size_t)written;
            continue;
        }
        int reason = SSL_get_error(flood->tls, written);
        if (reason != SSL_ERROR_WANT_WRITE && reason != SSL_ERROR_WANT_READ)
            fail_tls("the connection broke during a write");
        return false;
    }
}

static void await(const struct flood *flood, short events)
{
    struct pollfd wait = {.fd = flood->socket, .events = events};
    int ready = poll(&wait, 1, STALL_MILLISECONDS);

    if (ready < 0 && errno != EINTR)
        err(1, "poll");
    if (ready == 0)
        errx(1, "the server has said nothing for %d s, after %ld pushes", STALL_MILLISECONDS / 1000, flood->finished);
}

/* Takes one record. Where there is none, it waits. */
static void receive(struct flood *flood, bool is_blocked)
{
    static uint8_t input[BUFFER];
    int length = SSL_read(flood->tls, input, sizeof input);

    if (length > 0) {
        ssize_t taken = nghttp2_session_mem_recv(flood->session, input, (size_t)length);
        if (taken < 0)
            errx(1, "nghttp2: %s", nghttp2_strerror((int)taken));
        return;
    }
    switch (SSL_get_error(flood->tls, length)) {
    case SSL_ERROR_WANT_READ:
        await(flood, is_blocked ? POLLIN | POLLOUT : POLLIN);
        return;
    case SSL_ERROR_WANT_WRITE:
        await(flood, POLLIN | POLLOUT);
        return;
    default:
        fail_tls("the connection broke during a read");
    }
}

/* What it took */

static double now(void)
{
    struct timespec time;
    if (clock_gettime(CLOCK_MONOTONIC, &time) != 0)
        err(1, "clock_gettime");
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* The processor time is the whole process's, with its start: the more pushes, the less that matters. */
static void report(const struct flood *flood, double elapsed)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        err(1, "getrusage");
    double rate = (double)flood->total / elapsed;
    double cost = (seconds(usage.ru_utime) + seconds(usage.ru_stime)) * 1e6 / (double)flood->total;

    printf("{\"accepted\":%ld,\"pushes_per_second\":%.0f,\"cpu_us_per_push\":%.2f,\"max_rss_kb\":%ld}\n",
           flood->accepted, rate, cost, usage.ru_maxrss);
    if (fflush(stdout) != 0)
        err(1, "standard output");
}

static void close_all(struct flood *flood)
{
    /* The server sees the end of the connection in any case: that this one is clean is a courtesy. */
    (void)SSL_shutdown(flood->tls);
    nghttp2_session_del(flood->session);
    SSL_free(flood->tls);
    SSL_CTX_free(flood->context);
    close(flood->socket);
}

int main(int count, char **arguments)
{
    static struct flood flood;

    /* A connection that breaks is an error with a message, not a signal. */
    if (signal(SIGPIPE, SIG_IGN) == SIG_ERR)
        err(1, "signal");
    read_arguments(&flood, count, arguments);
    prepare_fields(&flood);
    open_socket(&flood);
    start_tls(&flood);
    start_session(&flood);

    double start = now();
    while (flood.finished < flood.total) {
        refill(&flood);
        bool is_blocked = !flush(&flood);
        receive(&flood, is_blocked);
    }
    report(&flood, now() - start);
    close_all(&flood);
    return flood.accepted == flood.total ? 0 : 1;
}
