#pragma once
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

/* memfd_create(2): glibc declares it under _GNU_SOURCE only, which Swift's Glibc module does not set. -1 and errno on failure. */
static inline int nudged_memfd_create(const char *name, unsigned int flags) {
    return (int)syscall(SYS_memfd_create, name, flags);
}

/* The same reason; the declarations are glibc's (posix_spawn_file_actions_addclosefrom_np since 2.34). */
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
extern int pipe2(int ends[2], int flags);

/* As in glibc's spawn.h (2.26 and later), under the same condition there. */
enum { nudged_spawn_setsid = 0x80 };
