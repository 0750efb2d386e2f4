// What the hand-written programs share: chance, the clock, and how they report.
#pragma once

#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <type_traits>
#include <utility>
#include <vector>

#ifndef STATISTICS
#define STATISTICS 1
#endif

constexpr bool statistics = STATISTICS;  // per place and per transition, as pnsim keeps them

// Standard exponentials, 1024 at a time: xoshiro256+ in eight lanes, and −ln(u) by fdlibm's polynomial without a
// branch, so that the compiler makes vector instructions of both. Faster here than a ziggurat (1.1 ns against 1.9).
class Exponentials {
public:
    explicit Exponentials(std::uint64_t seed) {
        for (auto* row : {a, b, c, d})
            for (int lane = 0; lane < lanes; ++lane) row[lane] = splitmix(seed);
        fill();
    }

    double next() {
        if (position == size) [[unlikely]] fill();
        return values[position++];
    }

private:
    static constexpr int lanes = 8, size = 1024;
    alignas(64) std::uint64_t a[lanes], b[lanes], c[lanes], d[lanes];
    alignas(64) double values[size];
    int position = size;

    static std::uint64_t splitmix(std::uint64_t& state) {
        std::uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    [[gnu::noinline]] void fill() {
        for (int first = 0; first < size; first += lanes)
            for (int i = 0; i < lanes; ++i) {
                const std::uint64_t word = a[i] + d[i], shifted = b[i] << 17;
                c[i] ^= a[i];
                d[i] ^= b[i];
                b[i] ^= c[i];
                a[i] ^= d[i];
                c[i] ^= shifted;
                d[i] = std::rotl(d[i], 45);
                values[first + i] = minus_ln(static_cast<double>(static_cast<std::int64_t>((word >> 11) + 1)) * 0x1p-53);
            }
        position = 0;
    }

    static double minus_ln(double u) {
        constexpr std::uint64_t half = 0x3fe6a09e667f3bcdu;  // sqrt(1/2)
        const std::uint64_t bits = std::bit_cast<std::uint64_t>(u) - half;
        const auto exponent = static_cast<double>(static_cast<std::int64_t>(bits) >> 52);
        const double f = std::bit_cast<double>((bits & 0xfffffffffffffu) + half) - 1.0;
        const double s = f / (2.0 + f), z = s * s;
        const double r = z * (6.666666666666735130e-01 + z * (3.999999999940941908e-01 + z * (2.857142874366239149e-01
                       + z * (2.222219843214978396e-01 + z * (1.818357216161805012e-01 + z * (1.531383769920937332e-01
                       + z * 1.479819860511658591e-01))))));
        const double square = 0.5 * f * f;
        return -(f - (square - s * (square + r)) + exponent * 0.693147180559945309417);
    }
};

// The next event of each of a few servers: a tournament tree of minima. A new time climbs from its leaf to the root, and
// the siblings on the way are loaded side by side. The lowest bits of a time are its leaf's number, so that the least
// time also tells whose it is.
template <int leaves>
class Clocks {
public:
    static constexpr double never = 1e300;

    Clocks() {
        for (double& end : ends) end = never;
        for (int leaf = 0; leaf < leaves; ++leaf) clear(leaf);
    }

    void set(int leaf, double end) {
        double least = std::bit_cast<double>((std::bit_cast<std::uint64_t>(end) & ~mask) | static_cast<unsigned>(leaf));
        int node = leaf + leaves;
        ends[node] = least;
#pragma GCC unroll 16
        for (int level = 1; level < leaves; level *= 2) {
            const double sibling = ends[node ^ 1];
            least = sibling < least ? sibling : least;
            ends[node /= 2] = least;
        }
    }

    void clear(int leaf) { set(leaf, never); }

    double earliest() const { return ends[1]; }

    static int leaf(double end) { return static_cast<int>(std::bit_cast<std::uint64_t>(end) & mask); }

private:
    static constexpr std::uint64_t mask = leaves - 1;
    static_assert((leaves & mask) == 0);
    alignas(64) double ends[2 * leaves];
};

// A queue in a ring buffer that doubles when it is full.
template <typename Item>
class Queue {
public:
    void push(Item packet) {
        if (last - first == row.size()) [[unlikely]] grow();
        row[last++ & (row.size() - 1)] = packet;
    }
    Item pop() { return row[first++ & (row.size() - 1)]; }
    const Item& front() const { return row[first & (row.size() - 1)]; }
    std::size_t size() const { return last - first; }

private:
    std::vector<Item> row = std::vector<Item>(64);
    std::size_t first = 0, last = 0;

    void grow() {
        std::vector<Item> larger(2 * row.size());
        for (std::size_t i = first; i != last; ++i) larger[i & (larger.size() - 1)] = row[i & (row.size() - 1)];
        row = std::move(larger);
    }
};

// Choices among equals (wyrand).
struct Random {
    std::uint64_t state;
    unsigned below(unsigned n) {
        state += 0xa0761d6478bd642fu;
        const auto product = static_cast<unsigned __int128>(state) * (state ^ 0xe7037ed1a0b428dbu);
        const auto word = static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
        return static_cast<unsigned>(((word >> 32) * n) >> 32);
    }
    int bit(std::uint64_t set) {  // any of the bits that are set, all equally likely
        const int count = std::popcount(set);
        unsigned skip = count == 1 ? 0 : below(static_cast<unsigned>(count));
        while (skip--) set &= set - 1;
        return std::countr_zero(set);
    }
    double unit() { return below(1u << 31) * 0x1p-31; }  // at least 0, below 1
};

struct Arguments {
    std::int64_t firings;
    std::uint64_t seed;
    unsigned size;         // of a net that comes in several
    std::int64_t settled;  // firings before those that are timed

    Arguments(int count, char** words)
        : firings(number(count, words, 1, 10'000'000)), seed(number(count, words, 2, 1)),
          size(static_cast<unsigned>(number(count, words, 3, 100))), settled(number(count, words, 4, 0)) {}

private:
    static std::int64_t number(int count, char** words, int index, std::int64_t otherwise) {
        return count > index ? std::atoll(words[index]) : otherwise;
    }
};

// Processor time and wall-clock time since it was made.
class Stopwatch {
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
    std::clock_t clock = std::clock();

public:
    double seconds() const { return static_cast<double>(std::clock() - clock) / CLOCKS_PER_SEC; }
    double wall() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count(); }
};

// The most memory that the process has had in use, in bytes.
inline long long peak_memory() {
    long long kilobytes = 0;
    if (std::FILE* status = std::fopen("/proc/self/status", "r")) {
        for (char line[256]; std::fgets(line, sizeof line, status);)
            if (std::sscanf(line, "VmHWM: %lld", &kilobytes) == 1) break;
        std::fclose(status);
    }
    return kilobytes * 1024;
}

// Figures of one place, or of all transitions alike. Integrals are since time 0.
struct PlaceFigures {
    double integral = 0, nonempty = 0;
    std::int64_t maximum = 0, arrivals = 0;
};

struct TransitionFigures {
    std::int64_t firings = 0;
    double in_progress = 0, active = 0;
};

// The answer as JSON on stdout, in pieces.
class Report {
public:
    Report(std::int64_t firings, double seconds, double wall, double elapsed) : elapsed(elapsed > 0 ? elapsed : 1) {
        std::printf("{\"firings\": %lld, \"seconds\": %.9f, \"wall\": %.9f, \"memory\": %lld, \"elapsed\": %.17g, ",
                    static_cast<long long>(firings), seconds, wall, peak_memory(), elapsed);
        std::printf("\"statistics\": %s, \"figures\": {", statistics ? "true" : "false");
    }

    ~Report() { std::printf("}}\n"); }

    void place(const char* name, int index, const PlaceFigures& f) {
        heading(name, index);
        std::printf("{\"mean\": %.12g, \"occupied\": %.12g, \"maximum\": %lld, \"arrivals\": %lld}", f.integral / elapsed,
                    f.nonempty / elapsed, static_cast<long long>(f.maximum), static_cast<long long>(f.arrivals));
    }

    void transition(const char* name, int index, const TransitionFigures& f) {
        heading(name, index);
        std::printf("{\"firings\": %lld, \"in_progress\": %.12g, \"active\": %.12g}", static_cast<long long>(f.firings),
                    f.in_progress / elapsed, f.active / elapsed);
    }

    // Of an array with two indices.
    template <typename Figures>
    void of(const char* name, unsigned row, unsigned column, const Figures& figures) {
        char text[64];
        std::snprintf(text, sizeof text, "%s[%u][%u]", name, row, column);
        if constexpr (std::is_same_v<Figures, PlaceFigures>) place(text, -1, figures);
        else transition(text, -1, figures);
    }

    void value(const char* name, double value) {
        heading(name, -1);
        std::printf("%.12g", value);
    }

private:
    double elapsed;
    bool first = true;

    void heading(const char* name, int index) {
        std::printf(first ? "\"%s" : ", \"%s", name);
        if (index >= 0) std::printf("[%d]", index);
        std::printf("\": ");
        first = false;
    }
};
