#pragma once
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdlib.h>

/* libcurl is not linked but loaded when it is needed. It needs two dozen other libraries, which would use memory in
   every daemon. These are the functions that are used, with their names without `curl_`. */
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

/* Returns NULL if the system lacks the library or one of the functions. dlerror() then gives the reason. The table is
   never freed. */
static inline const struct nudged_curl *_Nullable nudged_curl_load(const char *_Nonnull library) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    struct nudged_curl *curl = handle ? malloc(sizeof *curl) : NULL;
    if (!curl) return NULL;
#define NUDGED_CURL_FIND(name) if (!(*(void **)&curl->name = dlsym(handle, "curl_" #name))) { free(curl); return NULL; }
    NUDGED_CURL_FUNCTIONS(NUDGED_CURL_FIND)
#undef NUDGED_CURL_FIND
    return curl;
}

/* Swift can't call variadic functions, so there is one function for each kind of value. */
static inline CURLcode nudged_curl_set_number(const struct nudged_curl *_Nonnull curl, CURL *_Nonnull handle, CURLoption option, long value) {
    return curl->easy_setopt(handle, option, value);
}

/* libcurl copies the text. NULL removes a default. */
static inline CURLcode nudged_curl_set_text(
    const struct nudged_curl *_Nonnull curl, CURL *_Nonnull handle, CURLoption option, const char *_Nullable value
) {
    return curl->easy_setopt(handle, option, value);
}

/* The caller owns the list, which must outlive the transfer. */
static inline CURLcode nudged_curl_set_fields(
    const struct nudged_curl *_Nonnull curl, CURL *_Nonnull handle, const struct curl_slist *_Nullable fields
) {
    return curl->easy_setopt(handle, CURLOPT_HTTPHEADER, fields);
}

/* libcurl copies the body. It must know the size before the bytes. */
static inline CURLcode nudged_curl_set_body(
    const struct nudged_curl *_Nonnull curl, CURL *_Nonnull handle, const void *_Nullable bytes, size_t count
) {
    CURLcode code = curl->easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code == CURLE_OK ? curl->easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes) : code;
}

/* Sets the callbacks for the answer's fields and body. Both get the same context. */
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

/* Returns 0 if libcurl doesn't have this number. */
static inline long nudged_curl_number(const struct nudged_curl *_Nonnull curl, CURL *_Nonnull handle, CURLINFO info) {
    long value = 0;
    return curl->easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

static inline CURLMcode nudged_curl_multi_set_number(
    const struct nudged_curl *_Nonnull curl, CURLM *_Nonnull handle, CURLMoption option, long value
) {
    return curl->multi_setopt(handle, option, value);
}
