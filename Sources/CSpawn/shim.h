#pragma once
#include <spawn.h>

// glibc declares these three under _GNU_SOURCE only, which Swift's Glibc module is built without.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern int pipe2(int ends[2], int flags);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

// As in glibc's spawn.h (2.26 and later), under the same condition there.
enum { nudged_spawn_setsid = 0x80 };
