/* A disk that fails, for tests: preloaded, it makes the n-th write, sync, truncation, renaming or deletion of a file
 * below a folder fail, and all later ones too if the disk stays full.
 *
 * FAILING_BELOW: the folder; FAILING_AT: n, from 1; FAILING_WITH: the error's number; FAILING_STAYS: 1 if all later steps
 * fail too; FAILING_TOLD: a file outside the folder that is made when a step has failed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long steps;

static int below(const char *path) {
    const char *folder = getenv("FAILING_BELOW");
    return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static int of_descriptor(int descriptor) {
    char link[64], path[PATH_MAX + 1];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX);
    if (length < 0) return 0;
    path[length] = 0;
    return below(path);
}

/* Whether this step fails; errno is then set. */
static int fails(int concerned) {
    if (!concerned) return 0;
    const char *at = getenv("FAILING_AT"), *stays = getenv("FAILING_STAYS"), *told = getenv("FAILING_TOLD");
    const char *with = getenv("FAILING_WITH");
    long step = atomic_fetch_add(&steps, 1) + 1, first = at ? atol(at) : 0;
    if (!first || step < first || (step > first && !(stays && *stays == '1'))) return 0;
    if (told) close((int)syscall(SYS_openat, AT_FDCWD, told, O_WRONLY | O_CREAT, 0600));
    errno = with ? atoi(with) : ENOSPC;
    return 1;
}

#define REAL(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

ssize_t write(int fd, const void *data, size_t size) {
    return fails(of_descriptor(fd)) ? -1 : REAL(write, fd, data, size);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    return fails(of_descriptor(fd)) ? -1 : REAL(pwrite, fd, data, size, at);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    return fails(of_descriptor(fd)) ? -1 : REAL(pwrite64, fd, data, size, at);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
    return fails(of_descriptor(fd)) ? -1 : REAL(writev, fd, parts, count);
}
int fsync(int fd) { return fails(of_descriptor(fd)) ? -1 : REAL(fsync, fd); }
int fdatasync(int fd) { return fails(of_descriptor(fd)) ? -1 : REAL(fdatasync, fd); }
int ftruncate(int fd, off_t size) { return fails(of_descriptor(fd)) ? -1 : REAL(ftruncate, fd, size); }
int ftruncate64(int fd, off64_t size) { return fails(of_descriptor(fd)) ? -1 : REAL(ftruncate64, fd, size); }
int rename(const char *old, const char *new) { return fails(below(new)) ? -1 : REAL(rename, old, new); }
int unlink(const char *path) { return fails(below(path)) ? -1 : REAL(unlink, path); }
