/*
 * The limit for a sender: pushes to one server, over one connection, with as little code around nghttp2 and OpenSSL as
 * HTTP/2 allows. `scripts/bench` holds nudged's sender against it.
 *
 * usage: flood PORT CA COUNT STREAMS PAYLOAD_FILE     prints one JSON object; exit code 1 where a push was not accepted
 * build: cc -O2 -Wall -Wextra -Werror flood.c -o flood -lnghttp2 -lssl -lcrypto
 */
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Frames are gathered until they fill a TLS record. The last one may be as large again. */
enum { RECORD = 16384, BUFFER = 4 * RECORD };

struct push {
    size_t sent;
    bool is_accepted;
};

static uint8_t payload[8192];
static size_t payload_length;
static int connection;
static SSL *tls;
static nghttp2_session *session;
static uint8_t output[BUFFER];
static size_t output_start, output_end;
static long total, streams, started, finished, accepted;

/* What nghttp2 calls */

static ssize_t give_payload(nghttp2_session *s, int32_t stream, uint8_t *buffer, size_t room, uint32_t *flags,
                            nghttp2_data_source *source, void *user_data)
{
    (void)s, (void)stream, (void)user_data;
    struct push *push = source->ptr;
    size_t left = payload_length - push->sent;
    size_t count = left < room ? left : room;

    memcpy(buffer, payload + push->sent, count);
    push->sent += count;
    if (push->sent == payload_length)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)count;
}

static int take_header(nghttp2_session *s, const nghttp2_frame *frame, const uint8_t *name, size_t name_length,
                       const uint8_t *value, size_t value_length, uint8_t flags, void *user_data)
{
    (void)flags, (void)user_data;
    struct push *push = nghttp2_session_get_stream_user_data(s, frame->hd.stream_id);

    if (push != NULL && name_length == 7 && memcmp(name, ":status", 7) == 0)
        push->is_accepted = value_length == 3 && memcmp(value, "200", 3) == 0;
    return 0;
}

static int end_push(nghttp2_session *s, int32_t stream, uint32_t code, void *user_data)
{
    (void)code, (void)user_data;
    struct push *push = nghttp2_session_get_stream_user_data(s, stream);

    if (push == NULL)
        return 0;
    accepted += push->is_accepted;
    finished++;
    free(push);
    return 0;
}

/* The pushes, with all the fields that a real one has */

static nghttp2_nv field(const char *name, const char *value, uint8_t flags)
{
    return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value), flags};
}

/* SplitMix64 of a number: different for different numbers. */
static uint64_t mixed(uint64_t value)
{
    uint64_t word = (value + 1) * 0x9E3779B97F4A7C15;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
    word = (word ^ word >> 27) * 0x94D049BB133111EB;
    return word ^ word >> 31;
}

/* Token and id differ from push to push: equal ones would be cheaper to compress. */
static void submit_push(void)
{
    static char path[] = "/3/device/0000000000000000000000000000000000000000000000000000000000000000";
    static char id[] = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx";
    static char authorization[] = "bearer " /* and 180 characters, like a real provider token */
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    static const char pattern[] = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx";
    char *token = path + strlen("/3/device/");

    for (int digit = 0; digit < 64; digit++)
        token[digit] = "0123456789abcdef"[mixed((uint64_t)started * 4 + digit / 16) >> digit % 16 * 4 & 15];
    for (int place = 0; pattern[place] != '\0'; place++)
        id[place] = pattern[place] == 'x' ? token[place] : pattern[place];

    nghttp2_nv fields[] = {
        field(":method", "POST", 0),
        field(":scheme", "https", 0),
        field(":authority", "localhost", 0),
        field(":path", path, 0),
        field("apns-topic", "com.example.App", 0),
        field("apns-push-type", "alert", 0),
        field("apns-priority", "10", 0),
        field("apns-expiration", "1795300000", 0),
        /* In the header table it would only push out others. */
        field("apns-id", id, NGHTTP2_NV_FLAG_NO_INDEX),
        field("authorization", authorization, 0),
    };
    struct push *push = calloc(1, sizeof *push);
    nghttp2_data_provider body = {.source.ptr = push, .read_callback = give_payload};

    if (push == NULL || nghttp2_submit_request(session, NULL, fields, sizeof fields / sizeof *fields, &body, push) < 0)
        errx(1, "a request is refused by nghttp2");
    started++;
}

/* The flow of bytes */

/* Writes all there is, a record at a time. False: the socket takes no more for now. */
static bool flush(void)
{
    while (true) {
        if (output_start == output_end) {
            output_start = output_end = 0;
            while (output_end < RECORD) {
                const uint8_t *frame;
                ssize_t length = nghttp2_session_mem_send(session, &frame);
                if (length < 0 || (size_t)length > BUFFER - output_end)
                    errx(1, "nghttp2: %zd", length);
                if (length == 0)
                    break;
                memcpy(output + output_end, frame, (size_t)length);
                output_end += (size_t)length;
            }
        }
        if (output_end == 0)
            return true;
        int written = SSL_write(tls, output + output_start, (int)(output_end - output_start));
        if (written <= 0)
            return false;
        output_start += (size_t)written;
    }
}

/* Takes one record. Where there is none, it waits. */
static void receive(bool is_blocked)
{
    static uint8_t input[BUFFER];
    int length = SSL_read(tls, input, sizeof input);

    if (length > 0) {
        if (nghttp2_session_mem_recv(session, input, (size_t)length) < 0)
            errx(1, "the server breaks the protocol");
        return;
    }
    if (SSL_get_error(tls, length) != SSL_ERROR_WANT_READ)
        errx(1, "the connection broke after %ld pushes", finished);
    struct pollfd wait = {.fd = connection, .events = POLLIN | (is_blocked ? POLLOUT : 0)};
    if (poll(&wait, 1, 30000) == 0)
        errx(1, "the server has said nothing for 30 s, after %ld pushes", finished);
}

static void open_connection(int port, const char *ca)
{
    struct sockaddr_in address = {AF_INET, htons((uint16_t)port), {htonl(INADDR_LOOPBACK)}, {0}};
    int on = 1;

    connection = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0)
        err(1, "connect to port %d", port);

    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_alpn_protos(context, (const uint8_t *)"\2h2", 3);
    if (SSL_CTX_load_verify_locations(context, ca, NULL) != 1)
        errx(1, "%s can't be used", ca);
    tls = SSL_new(context);
    SSL_set_fd(tls, connection);
    SSL_set1_host(tls, "localhost");
    if (SSL_connect(tls) != 1)
        errx(1, "the TLS handshake failed");
    /* A write that would block may be repeated from where it stopped. */
    SSL_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    fcntl(connection, F_SETFL, O_NONBLOCK);

    nghttp2_session_callbacks *callbacks;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, take_header);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, end_push);
    nghttp2_session_client_new(&session, callbacks, NULL);
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, NULL, 0);
}

static double seconds(long whole, long part, double parts_per_second) { return (double)whole + part / parts_per_second; }

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return seconds(time.tv_sec, time.tv_nsec, 1e9);
}

int main(int count, char **arguments)
{
    if (count != 6)
        errx(64, "usage: flood PORT CA COUNT STREAMS PAYLOAD_FILE");
    total = atol(arguments[3]);
    streams = atol(arguments[4]);
    FILE *file = fopen(arguments[5], "rb");
    if (file == NULL || (payload_length = fread(payload, 1, sizeof payload, file)) == 0)
        err(1, "%s", arguments[5]);
    signal(SIGPIPE, SIG_IGN);
    open_connection(atoi(arguments[1]), arguments[2]);

    double start = now();
    while (finished < total) {
        /* As many in flight as asked, and as the server allows. */
        long allowed = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
        while (started < total && started - finished < streams && started - finished < allowed)
            submit_push();
        receive(!flush());
    }
    double elapsed = now() - start;
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    double cpu = seconds(used.ru_utime.tv_sec, used.ru_utime.tv_usec, 1e6) +
                 seconds(used.ru_stime.tv_sec, used.ru_stime.tv_usec, 1e6);
    printf("{\"accepted\":%ld,\"pushes_per_second\":%.0f,\"cpu_us_per_push\":%.2f,\"max_rss_kb\":%ld}\n", accepted,
           total / elapsed, cpu * 1e6 / total, used.ru_maxrss);
    return accepted == total ? 0 : 1;
}
