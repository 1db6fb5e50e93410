#pragma once
#include <curl/curl.h>

/* Swift can't call variadic functions: one function here for each kind of value. Their names stand in brackets, since libcurl's header
   makes macros of them for some compilers, which check constants only. */
static inline CURLcode nudged_curl_set_number(CURL *handle, CURLoption option, long value) {
    return (curl_easy_setopt)(handle, option, value);
}

/* libcurl copies the text; NULL takes a default away. */
static inline CURLcode nudged_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return (curl_easy_setopt)(handle, option, value);
}

/* The list stays the caller's, and must outlive the transfer. */
static inline CURLcode nudged_curl_set_fields(CURL *handle, const struct curl_slist *fields) {
    return (curl_easy_setopt)(handle, CURLOPT_HTTPHEADER, fields);
}

/* A body of so many bytes, which libcurl copies: the size must be known to it before the bytes. */
static inline CURLcode nudged_curl_set_body(CURL *handle, const void *bytes, size_t count) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code == CURLE_OK ? (curl_easy_setopt)(handle, CURLOPT_COPYPOSTFIELDS, bytes) : code;
}

/* What takes the answer's fields and its body, both with the same context. */
static inline CURLcode nudged_curl_set_takers(CURL *handle, curl_write_callback fields, curl_write_callback body, void *context) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_HEADERFUNCTION, fields);
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_HEADERDATA, context);
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_WRITEFUNCTION, body);
    if (code == CURLE_OK) code = (curl_easy_setopt)(handle, CURLOPT_WRITEDATA, context);
    return code;
}

/* 0 where libcurl knows no such number. */
static inline long nudged_curl_number(CURL *handle, CURLINFO info) {
    long value = 0;
    return (curl_easy_getinfo)(handle, info, &value) == CURLE_OK ? value : 0;
}

static inline CURLMcode nudged_curl_multi_set_number(CURLM *handle, CURLMoption option, long value) {
    return (curl_multi_setopt)(handle, option, value);
}
