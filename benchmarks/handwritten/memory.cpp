// What a load costs that misses the caches: one that the next waits for, one of many at once, and four lines side by side.
// Prints one object for each size of memory. Its first argument is how many loads each figure is of.
#include <sys/mman.h>

#include "common.hpp"

constexpr std::size_t line = 64, huge = 2 << 20;
static volatile std::uint64_t sink;

// Mean nanoseconds of `step`, which is given its own last answer.
template <class Step>
double nanoseconds(std::uint64_t loads, Step step) {
    const auto start = std::chrono::steady_clock::now();
    std::uint64_t last = 1;
    for (std::uint64_t i = 0; i < loads; ++i) last = step(last);
    sink = last;
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    return taken.count() / static_cast<double>(loads);
}

std::uint64_t shuffled(std::uint64_t x) {  // splitmix64's output function
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

int main(int argc, char** argv) {
    const std::uint64_t loads = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
    for (std::size_t megabytes : {1, 4, 16, 64, 256}) {
        const std::size_t size = megabytes << 20, lines = size / line;
        char* memory = static_cast<char*>(std::aligned_alloc(huge, std::max(size, huge)));
#ifdef MADV_HUGEPAGE
        madvise(memory, std::max(size, huge), MADV_HUGEPAGE);
#endif
        std::fill(memory, memory + size, 0);
        const auto load = [&](std::uint64_t number) {
            return *reinterpret_cast<volatile std::uint64_t*>(memory + number % lines * line);
        };
        std::uint64_t i = 0;
        const double chain = nanoseconds(loads, [&](std::uint64_t last) { return shuffled(last + ++i) + load(shuffled(last)); });
        const double apart = nanoseconds(loads, [&](std::uint64_t last) { return last + load(shuffled(++i)); });
        const double four = nanoseconds(loads, [&](std::uint64_t last) {
            const std::uint64_t first = shuffled(++i) / 4 * 4;
            return last + load(first) + load(first + 1) + load(first + 2) + load(first + 3);
        });
        std::printf("{\"megabytes\": %zu, \"chain\": %.1f, \"apart\": %.1f, \"four\": %.1f}\n", megabytes, chain, apart, four);
        std::free(memory);
    }
}
