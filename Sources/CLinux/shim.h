#pragma once
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/stat.h>
#include <spawn.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* memfd_create(2). glibc declares it only with _GNU_SOURCE, which Swift's Glibc module doesn't set. Returns -1 and sets
   errno on failure. */
static inline int nudged_memfd_create(const char *name, unsigned int flags) {
    return (int)syscall(SYS_memfd_create, name, flags);
}

/* Sends one datagram, with a copy of an open descriptor unless `attachment` is -1 (SCM_RIGHTS, unix(7)). Swift doesn't
   import the macros that lay such a message out. Returns 0, or errno. */
static inline int nudged_send(int socket, const struct sockaddr *to, socklen_t length, const void *bytes, size_t count,
                              int attachment, int flags) {
    /* sendmsg(2) only reads through these pointers. */
    struct iovec part = {(void *)bytes, count};
    struct msghdr message = {(void *)to, length, &part, count > 0, NULL, 0, 0};
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {{0}};
    if (attachment >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        control.head.cmsg_len = CMSG_LEN(sizeof attachment);
        memcpy(CMSG_DATA(&control.head), &attachment, sizeof attachment);
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, flags | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? errno : 0;
}

/* glibc declares these only with _GNU_SOURCE. The declarations are glibc's (posix_spawn_file_actions_addclosefrom_np
   since 2.34). */
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
extern int pipe2(int ends[2], int flags);

/* POSIX_SPAWN_SETSID of glibc's spawn.h (2.26 and later), which needs _GNU_SOURCE too. */
enum { nudged_spawn_setsid = 0x80 };

/* O_PATH of glibc's fcntl.h, for the same reason. */
enum { nudged_open_path = 010000000 };

/* Whether an open folder is the root of a mount that is read-only here. glibc declares statx(2) only with _GNU_SOURCE.
   Kernels before 5.8 don't tell roots: then the answer is no. */
static inline int nudged_is_read_only_mount(int folder) {
    struct statvfs mount;
    struct statx facts;
    memset(&facts, 0, sizeof facts);
    /* AT_EMPTY_PATH, which needs _GNU_SOURCE too. */
    return fstatvfs(folder, &mount) == 0 && mount.f_flag & ST_RDONLY &&
           syscall(SYS_statx, folder, "", 0x1000, 0, &facts) == 0 && facts.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

/* prctl(2) is variadic. */
static inline int nudged_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

/* Overwrites bytes that are not used any more. The compiler leaves out a plain memset(3). */
static inline void nudged_cleanse(void *bytes, size_t count) { explicit_bzero(bytes, count); }

/* What glibc's link.h declares only with _GNU_SOURCE. */
struct dl_phdr_info {
    ElfW(Addr) dlpi_addr;
    const char *dlpi_name;
    const ElfW(Phdr) *dlpi_phdr;
    ElfW(Half) dlpi_phnum;
};
extern int dl_iterate_phdr(int (*each)(struct dl_phdr_info *object, size_t size, void *data), void *data);

static inline int nudged_drop_parts(struct dl_phdr_info *object, size_t size, void *data) {
    (void)size, (void)data;
    size_t page = getauxval(AT_PAGESZ);
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
        size_t start = object->dlpi_addr + part->p_vaddr, begin = start & ~(page - 1);
        madvise((void *)begin, start + part->p_filesz - begin, MADV_DONTNEED);
    }
    return 0;
}

/* Drops the pages of the code of the program and its libraries from its memory. They are private mappings of files that
   don't change, so the kernel reads them again when they are needed. Parts that can be written to are kept: they would
   lose what was written. */
static inline void nudged_drop_code(void) { dl_iterate_phdr(nudged_drop_parts, NULL); }
