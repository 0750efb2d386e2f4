// B1 by a shortcut that the exponential distribution allows: no firing has a time of its own.
//
// Of b busy stations any is the next to finish, equally likely, after an exponential time of mean 1/b. The process is the
// same in distribution, but nothing here could be changed to another distribution, or tell when a firing in progress ends.
#include <algorithm>

#include "common.hpp"

constexpr int stations = 16, share = 4;

struct Station {
    std::int32_t tokens = share, maximum = share, place = 0;  // `place` in the row of busy stations
    std::int64_t arrivals = 0, firings = 1;
    double integral = 0, nonempty = 0, busy = 0;
};

static void report(std::int64_t firings, const Stopwatch& stopwatch, double now, const Station* station) {
    Report report(firings, stopwatch.seconds(), stopwatch.wall(), now);
    if constexpr (!statistics) return;
    for (int i = 0; i < stations; ++i) {
        const Station& s = station[i];
        const int waiting = std::max(s.tokens - 1, 0), busy = s.tokens > 0;
        const double active = s.busy + busy * now;
        report.place("queue", i, {s.integral + waiting * now, s.nonempty + (waiting > 0) * now, s.maximum, s.arrivals});
        report.place("server", i, {now - active, now - active, 1, s.firings - busy});
        report.transition("serve", i, {s.firings, active, active});
    }
}

int main(int count, char** words) {
    const Arguments arguments(count, words);
    static Exponentials exponentials(arguments.seed);
    static Station station[stations];
    double mean[stations + 1] = {};
    std::int32_t row[stations];
    int busy = stations;
    Random chance{arguments.seed * 0x9e3779b97f4a7c15u};
    for (int i = 0; i < stations; ++i) {
        row[i] = station[i].place = i;
        mean[i + 1] = 1.0 / (i + 1);
    }
    const Stopwatch stopwatch;
    double now = 0;
    for (std::int64_t left = arguments.firings - stations; left > 0;) {
        now += mean[busy] * exponentials.next();
        const int here = row[chance.below(static_cast<unsigned>(busy))], there = (here + 1) % stations;
        Station &from = station[here], &to = station[there];
        if (--from.tokens > 0) {
            --left;
            if constexpr (statistics) {
                ++from.firings;
                from.integral += now;
                if (from.tokens == 1) from.nonempty += now;
            }
        } else {
            const int last = row[--busy];
            row[from.place] = last;
            station[last].place = from.place;
            if constexpr (statistics) from.busy += now;
        }
        if constexpr (statistics) {
            ++to.arrivals;
            to.maximum = std::max(to.maximum, to.tokens + (to.tokens == 0));
        }
        if (++to.tokens == 1) {
            --left;
            to.place = busy;
            row[busy++] = there;
            if constexpr (statistics) {
                ++to.firings;
                to.busy -= now;
            }
        } else if constexpr (statistics) {
            to.integral -= now;
            if (to.tokens == 2) to.nonempty -= now;
        }
    }
    report(arguments.firings, stopwatch, now, station);
}
