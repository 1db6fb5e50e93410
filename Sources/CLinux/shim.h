#pragma once
#include <link.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/mman.h>
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

/* The pages of the program's code leave its memory until they are run again. The code is a private mapping of a file that nobody writes to:
   what is dropped is read again where it is needed. Nothing else is dropped: a page that was written to would lose that. */
static inline void nudged_drop_code(void) {
    const ElfW(Phdr) *parts = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    size_t count = getauxval(AT_PHNUM), page = getauxval(AT_PAGESZ), placed = 0;
    /* The headers say where they wanted to be themselves. */
    for (size_t i = 0; parts && i < count; i++)
        if (parts[i].p_type == PT_PHDR) placed = (size_t)parts - parts[i].p_vaddr;
    for (size_t i = 0; placed && i < count; i++) {
        if (parts[i].p_type != PT_LOAD || !(parts[i].p_flags & PF_X) || parts[i].p_flags & PF_W) continue;
        size_t start = placed + parts[i].p_vaddr, begin = start & ~(page - 1);
        madvise((void *)begin, start + parts[i].p_filesz - begin, MADV_DONTNEED);
    }
}
