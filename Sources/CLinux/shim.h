#pragma once
#include <sys/syscall.h>
#include <unistd.h>

/* memfd_create(2): glibc declares it under _GNU_SOURCE only, which Swift's Glibc module does not set. -1 and errno on failure. */
static inline int nudged_memfd_create(const char *name, unsigned int flags) {
    return (int)syscall(SYS_memfd_create, name, flags);
}
