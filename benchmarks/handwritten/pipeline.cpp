// B2 by hand: a packet every 1.0, eight threads that hold a packet for an exponential time of mean 6.
//
// Every arrival and every finish is an event. The next arrival is one number, the ends of the eight threads are in a
// tournament tree. Packets wait in a ring buffer; free threads are a bit mask.
#include <algorithm>

#include "common.hpp"

constexpr int threads = 8;
constexpr double period = 1.0, service = 6.0;

struct Packet {
    std::int64_t flow, seq;
};

int main(int count, char** words) {
    const Arguments arguments(count, words);
    static Exponentials exponentials(arguments.seed);
    static Clocks<threads> clocks;
    Queue<Packet> wire;
    Packet held[threads] = {};
    unsigned free = (1u << threads) - 1;
    PlaceFigures waiting, idle;   // integrals: + t where a token leaves, − t where one comes
    double all_free = 0, now = 0, next_arrival = period;
    std::int64_t sequence = 0, starts = 0, checksum = 0;
    waiting.maximum = arguments.firings > 0;
    const Stopwatch stopwatch;

    // One firing is an arrival's or a service's start; the source's first has started at time 0.
    for (std::int64_t left = arguments.firings - 1; left > 0;) {
        const double end = clocks.earliest();
        if (next_arrival < end) {
            now = next_arrival;
            const Packet packet{sequence % 10, sequence};
            ++sequence;
            next_arrival += period;
            --left;
            if (free) {
                const int thread = std::countr_zero(free);
                if constexpr (statistics) {
                    idle.integral += now;
                    if (free == (1u << threads) - 1) all_free += now;
                    if ((free & (free - 1)) == 0) idle.nonempty += now;
                    ++starts;
                }
                free &= free - 1;
                held[thread] = packet;
                clocks.set(thread, now + service * exponentials.next());
                --left;
            } else {
                wire.push(packet);
                if constexpr (statistics) {
                    const auto size = static_cast<std::int64_t>(wire.size());
                    waiting.integral -= now;
                    if (size == 1) waiting.nonempty -= now;
                    waiting.maximum = std::max(waiting.maximum, size);
                }
            }
        } else {
            now = end;
            const int thread = Clocks<threads>::leaf(end);
            checksum += held[thread].seq ^ held[thread].flow;
            if (wire.size()) {
                held[thread] = wire.pop();
                clocks.set(thread, now + service * exponentials.next());
                --left;
                if constexpr (statistics) {
                    waiting.integral += now;
                    if (!wire.size()) waiting.nonempty += now;
                    ++starts;
                }
            } else {
                clocks.clear(thread);
                if constexpr (statistics) {
                    idle.integral -= now;
                    if (!free) idle.nonempty -= now;
                }
                free |= 1u << thread;
                if constexpr (statistics)
                    if (free == (1u << threads) - 1) all_free -= now;
            }
        }
    }
    const double seconds = stopwatch.seconds(), wall = stopwatch.wall();
    Report report(arguments.firings, seconds, wall, now);
    report.value("packets", static_cast<double>(sequence));
    report.value("checksum", static_cast<double>(checksum));
    if constexpr (!statistics) return 0;
    const int size = static_cast<int>(wire.size()), unused = std::popcount(free);
    waiting.integral += size * now;
    waiting.nonempty += (size > 0) * now;
    waiting.arrivals = sequence;
    idle.integral += unused * now;
    idle.nonempty += (unused > 0) * now;
    idle.maximum = threads;
    idle.arrivals = starts - (threads - unused);
    all_free += (unused == threads) * now;
    report.place("source", -1, {0, 0, 1, sequence});
    report.place("wire", -1, waiting);
    report.place("free", -1, idle);
    report.transition("arrive", -1, {sequence + 1, now, now});
    report.transition("process", -1, {starts, threads * now - idle.integral, now - all_free});
}
