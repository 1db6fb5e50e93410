#pragma once
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdlib.h>

/* libcurl is not linked but loaded, and only where a call is to be made: it brings two dozen libraries along, which a daemon that
   calls nobody would carry in its memory. These are the functions that are used, under their names without `curl_`. */
#define NUDGED_CURL_FUNCTIONS(entry) \
    entry(global_init) entry(free) \
    entry(url) entry(url_set) entry(url_get) entry(url_cleanup) \
    entry(slist_append) entry(slist_free_all) \
    entry(easy_init) entry(easy_setopt) entry(easy_getinfo) entry(easy_strerror) entry(easy_cleanup) \
    entry(multi_init) entry(multi_setopt) entry(multi_add_handle) entry(multi_remove_handle) entry(multi_perform) \
    entry(multi_info_read) entry(multi_poll) entry(multi_wakeup) entry(multi_cleanup)

#define NUDGED_CURL_MEMBER(name) __typeof__(curl_##name) *_Nonnull name;
struct nudged_curl { NUDGED_CURL_FUNCTIONS(NUDGED_CURL_MEMBER) };
#undef NUDGED_CURL_MEMBER

/* NULL where the system has no such library, or one that lacks a function; dlerror() then says why. What is returned stays for good. */
static inline const struct nudged_curl *_Nullable nudged_curl_load(const char *_Nonnull library) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    struct nudged_curl *curl = handle ? malloc(sizeof *curl) : NULL;
    if (!curl) return NULL;
#define NUDGED_CURL_FIND(name) if (!(*(void **)&curl->name = dlsym(handle, "curl_" #name))) { free(curl); return NULL; }
    NUDGED_CURL_FUNCTIONS(NUDGED_CURL_FIND)
#undef NUDGED_CURL_FIND
    return curl;
}

/* Swift can't call variadic functions: one function here for each kind of value. */
static inline CURLcode nudged_curl_set_number(const struct nudged_curl *_Nonnull curl, CURL *_Nonnull handle, CURLoption option, long value) {
    return curl->easy_setopt(handle, option, value);
}

/* libcurl copies the text; NULL takes a default away. */
static inline CURLcode nudged_curl_set_text(
    const struct nudged_curl *_Nonnull curl, CURL *_Nonnull handle, CURLoption option, const char *_Nullable value
) {
    return curl->easy_setopt(handle, option, value);
}

/* The list stays the caller's, and must outlive the transfer. */
static inline CURLcode nudged_curl_set_fields(
    const struct nudged_curl *_Nonnull curl, CURL *_Nonnull handle, const struct curl_slist *_Nullable fields
) {
    return curl->easy_setopt(handle, CURLOPT_HTTPHEADER, fields);
}

/* A body of so many bytes, which libcurl copies: the size must be known to it before the bytes. */
static inline CURLcode nudged_curl_set_body(
    const struct nudged_curl *_Nonnull curl, CURL *_Nonnull handle, const void *_Nullable bytes, size_t count
) {
    CURLcode code = curl->easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code == CURLE_OK ? curl->easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes) : code;
}

/* What takes the answer's fields and its body, both with the same context. */
static inline CURLcode nudged_curl_set_takers(
    const struct nudged_curl *_Nonnull curl, CURL *_Nonnull handle, curl_write_callback _Nonnull fields, curl_write_callback _Nonnull body,
    void *_Nonnull context
) {
    CURLcode code = curl->easy_setopt(handle, CURLOPT_HEADERFUNCTION, fields);
    if (code == CURLE_OK) code = curl->easy_setopt(handle, CURLOPT_HEADERDATA, context);
    if (code == CURLE_OK) code = curl->easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
    if (code == CURLE_OK) code = curl->easy_setopt(handle, CURLOPT_WRITEDATA, context);
    return code;
}

/* 0 where libcurl knows no such number. */
static inline long nudged_curl_number(const struct nudged_curl *_Nonnull curl, CURL *_Nonnull handle, CURLINFO info) {
    long value = 0;
    return curl->easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

static inline CURLMcode nudged_curl_multi_set_number(
    const struct nudged_curl *_Nonnull curl, CURLM *_Nonnull handle, CURLMoption option, long value
) {
    return curl->multi_setopt(handle, option, value);
}
