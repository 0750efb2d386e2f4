/* Memory that runs out, for tests: preloaded, and armed by `fail_at(n, size, stays)`, it refuses the n-th request of at
 * least `size` bytes, and all later ones too if `stays` is not 0. `requests()` tells how many there were since then.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long counted;
static long at, least, forever;

void fail_at(long n, long size, long stays) {
    counted = 0;
    least = size, forever = stays, at = n;
}

long requests(void) { return counted; }

static int fails(size_t size) {
    if (!at || (long)size < least) return 0;
    long number = atomic_fetch_add(&counted, 1) + 1;
    if (number < at || (number > at && !forever)) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return fails(size) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails(count * size) ? NULL : __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return fails(size) ? NULL : __libc_realloc(block, size); }
void *memalign(size_t align, size_t size) { return fails(size) ? NULL : __libc_memalign(align, size); }
void *aligned_alloc(size_t align, size_t size) { return fails(size) ? NULL : __libc_memalign(align, size); }
int posix_memalign(void **block, size_t align, size_t size) {
    if (fails(size)) return ENOMEM;
    *block = __libc_memalign(align, size);
    return *block ? 0 : ENOMEM;
}
void *mmap(void *start, size_t size, int protection, int flags, int file, off_t offset) {
    if (file < 0 && fails(size)) return MAP_FAILED;
    return ((__typeof__(&mmap))dlsym(RTLD_NEXT, "mmap"))(start, size, protection, flags, file, offset);
}
