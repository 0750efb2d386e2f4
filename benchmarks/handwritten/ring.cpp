// B1 by hand: a closed ring of 16 single-server stations with 64 tokens, exponential service of mean 1.
//
// Every service end is an event, as in the net. The 16 next ends are the leaves of a tournament tree of minima: a
// station's new end climbs four levels, whose siblings are loaded side by side. The lowest four bits of a time are
// the station's number, so that the least time also tells its station. Integrals add the time where a token leaves and subtract it where
// one comes, which is one addition a change; what `server` and `serve` show follows from the busy time at the end.
#include <algorithm>

#include "common.hpp"

constexpr int stations = 16, share = 4, levels = 4;
constexpr double never = 1e300;

class Clocks {
public:
    Clocks() {
        std::fill_n(ends, 2 * stations, never);
        for (int station = 0; station < stations; ++station) set(station, never);
    }

    void set(int station, double end) {
        double least = std::bit_cast<double>((std::bit_cast<std::uint64_t>(end) & ~mask) | static_cast<unsigned>(station));
        int node = station + stations;
        ends[node] = least;
#pragma GCC unroll 4
        for (int level = 0; level < levels; ++level) {
            least = std::min(least, ends[node ^ 1]);
            ends[node /= 2] = least;
        }
    }

    double earliest() const { return ends[1]; }

    static int station(double end) { return static_cast<int>(std::bit_cast<std::uint64_t>(end) & mask); }

private:
    static constexpr std::uint64_t mask = stations - 1;
    alignas(64) double ends[2 * stations];
};

struct Station {
    std::int32_t tokens = share, maximum = share;  // waiting or in service; waiting
    std::int64_t arrivals = 0, firings = 1;
    double integral = 0, nonempty = 0, busy = 0;
};

static void report(std::int64_t firings, double seconds, double now, const Station* station) {
    Report report(firings, seconds, now);
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
    static Clocks clocks;
    const Stopwatch stopwatch;
    for (Station& s : station) {
        s.integral = s.busy = s.nonempty = 0;  // all queues begin with a service and waiting tokens, at time 0
        clocks.set(static_cast<int>(&s - station), exponentials.next());
    }
    double now = 0;
    for (std::int64_t left = arguments.firings - stations; left > 0;) {
        now = clocks.earliest();
        const int here = Clocks::station(now), there = (here + 1) % stations;
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
            clocks.set(here, never);
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
    report(arguments.firings, stopwatch.seconds(), now, station);
}
