// Reads and writes each line of the last-level cache's size of memory again and again, until its standard input ends. Prints one
// line when it has begun. Its first argument is the size [bytes], if not that of the cache.
#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "common.hpp"

constexpr std::size_t line = 64, fallback = 32 << 20;

int main(int argc, char** argv) {
    std::size_t size = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    if (size == 0) size = static_cast<std::size_t>(std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE)));
#endif
    if (size == 0) size = fallback;
    char* memory = static_cast<char*>(std::calloc(size / line, line));
    pollfd input{STDIN_FILENO, POLLIN, 0};
    for (bool first = true; poll(&input, 1, 0) == 0; first = false) {
        for (std::size_t at = 0; at < size / line * line; at += line) {
            volatile char& byte = memory[at];
            byte = static_cast<char>(byte + 1);
        }
        if (first) {
            std::printf("%zu\n", size);
            std::fflush(stdout);
        }
    }
    std::free(memory);
}
