// B1 by hand: a closed ring of 16 single-server stations with 64 tokens, exponential service of mean 1.
//
// Every service end is an event, as in the net. Integrals add the time where a token leaves and subtract it where one
// comes, which is one addition a change; what `server` and `serve` show follows from the busy time at the end.
#include <algorithm>

#include "common.hpp"

constexpr int stations = 16, share = 4;

struct Station {
    std::int32_t tokens = share, maximum = share;  // waiting or in service; waiting
    std::int64_t arrivals = 0, firings = 1;
    double integral = 0, nonempty = 0, busy = 0;
};

static void report(std::int64_t firings, double seconds, double wall, double now, const Station* station) {
    Report report(firings, seconds, wall, now);
    if constexpr (!statistics) return;
    for (int i = 0; i < stations; ++i) {
        const Station& s = station[i];
        const int waiting = std::max(s.tokens - 1, 0), busy = s.tokens > 0;
        const double active = s.busy + busy * now;
        const std::int64_t ends = s.firings - busy;
        report.place("queue", i, {s.integral + waiting * now, s.nonempty + (waiting > 0) * now, s.maximum, s.arrivals});
        report.place("server", i, {now - active, now - active, 1, ends});
        report.transition("serve", i, {s.firings, active, active});
    }
}

int main(int count, char** words) {
    const Arguments arguments(count, words);
    static Exponentials exponentials(arguments.seed);
    static Station station[stations];
    static Clocks<stations> clocks;
    const Stopwatch stopwatch;
    for (Station& s : station) {
        s.integral = s.busy = s.nonempty = 0;  // all queues begin with a service and waiting tokens, at time 0
        clocks.set(static_cast<int>(&s - station), exponentials.next());
    }
    double now = 0;
    for (std::int64_t left = arguments.firings - stations; left > 0;) {
        now = clocks.earliest();
        const int here = Clocks<stations>::leaf(now), there = (here + 1) % stations;
        Station &from = station[here], &to = station[there];
        if (--from.tokens > 0) {
            clocks.set(here, now + exponentials.next());
            --left;
            if constexpr (statistics) {
                ++from.firings;
                from.integral += now;
                if (from.tokens == 1) from.nonempty += now;
            }
        } else {
            clocks.clear(here);
            if constexpr (statistics) from.busy += now;
        }
        if constexpr (statistics) {
            ++to.arrivals;
            to.maximum = std::max(to.maximum, to.tokens + (to.tokens == 0));
        }
        if (++to.tokens == 1) {
            clocks.set(there, now + exponentials.next());
            --left;
            if constexpr (statistics) {
                ++to.firings;
                to.busy -= now;
            }
        } else if constexpr (statistics) {
            to.integral -= now;
            if (to.tokens == 2) to.nonempty -= now;
        }
    }
    report(arguments.firings, stopwatch.seconds(), stopwatch.wall(), now, station);
}
