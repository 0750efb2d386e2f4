// B2 by a shortcut that first come, first served allows: a recursion from packet to packet (Kiefer and Wolfowitz 1955).
//
// Packet k comes at k + 1 and starts when it is there and a thread is free: start = max(k + 1, least of the threads' ends).
// Nothing else happens in between, so that no event is simulated; every figure follows from the starts and ends.
#include <algorithm>

#include "common.hpp"

constexpr int threads = 8;
constexpr double period = 1.0, service = 6.0;

int main(int count, char** words) {
    const Arguments arguments(count, words);
    static Exponentials exponentials(arguments.seed);
    static Clocks<threads> clocks;
    for (int thread = 0; thread < threads; ++thread) clocks.set(thread, 0.0);
    constexpr std::size_t memory = 1 << 12;  // starts that are remembered, to tell how many packets wait
    static double starts[memory];
    double waited = 0, waiting = 0, served = 0, all_busy = 0, none_busy = 0, latest_end = 0, start = 0;
    std::int64_t maximum = 1, checksum = 0;
    const std::int64_t packets = arguments.firings / 2;
    const Stopwatch stopwatch;
    for (std::int64_t k = 0; k < packets; ++k) {
        const double arrival = static_cast<double>(k + 1) * period, before = start, end = clocks.earliest();
        const int thread = Clocks<threads>::leaf(end);
        start = std::max(arrival, end);
        const double time = service * exponentials.next();
        clocks.set(thread, start + time);
        checksum += k ^ (k % 10);
        if constexpr (statistics) {
            waited += start - arrival;
            waiting += std::max(0.0, start - std::max(arrival, before));
            served += time;
            all_busy += std::max(0.0, clocks.earliest() - start);
            none_busy += std::max(0.0, start - latest_end);
            latest_end = std::max(latest_end, start + time);
            starts[static_cast<std::size_t>(k) % memory] = start;
            if (k >= maximum && maximum < static_cast<std::int64_t>(memory) && starts[static_cast<std::size_t>(k - maximum) % memory] > arrival)
                ++maximum;
        }
    }
    const double seconds = stopwatch.seconds(), wall = stopwatch.wall();
    const double now = static_cast<double>(packets) * period;
    std::int64_t running = 0;  // at the end; the time that they go on does not count
    for (int thread = 0; thread < threads; ++thread) {
        const double end = clocks.earliest();
        if (end > now) {
            served -= end - now;
            ++running;
        }
        clocks.clear(Clocks<threads>::leaf(end));
    }
    Report report(2 * packets, seconds, wall, now);
    report.value("checksum", static_cast<double>(checksum));
    if constexpr (!statistics) return 0;
    report.place("wire", -1, {waited, waiting, maximum, packets});
    report.place("free", -1, {threads * now - served, now - all_busy, threads, packets - running});
    report.place("source", -1, {0, 0, 1, packets});
    report.transition("arrive", -1, {packets + 1, now, now});
    report.transition("process", -1, {packets, served, now - none_busy});
}
