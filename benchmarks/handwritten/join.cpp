// B3 by hand: two places of 200 tokens (10 flows of 20), joined where flow and sequence number are equal, a delay of 1.
//
// The colours are few: a token is its number, a place a row of flags, the join one look-up, and what a permutation makes of a
// token is read from a table. The delay is always the same, so that the firings in progress are a ring buffer in order of
// their ends. Tokens move only at the instants of ends, so that time averages are brought up once an instant.
#include <algorithm>

#include "common.hpp"

constexpr int flows = 10, length = 20, tokens = flows * length, capacity = 256;
constexpr double delay = 1.0;

struct Firing {
    double end;
    std::int32_t token;
};

struct Place {
    std::uint8_t holds[tokens] = {}, permuted[tokens];
    PlaceFigures figures;
    int size = 0;

    Place(int factor, int offset) {
        for (int token = 0; token < tokens; ++token)
            permuted[token] = static_cast<std::uint8_t>(token / length * length + (factor * (token % length) + offset) % length);
    }

    void pass(double time) {
        figures.integral += size * time;
        figures.nonempty += (size > 0) * time;
    }
};

int main(int count, char** words) {
    const Arguments arguments(count, words);
    static Place left_place(7, 3), right_place(3, 1);
    static Firing firings[capacity];
    static std::int32_t pairs[tokens + 1];  // the last write may be one that does not count
    TransitionFigures join;
    unsigned first = 0, last = 0;
    double now = 0;
    std::int64_t left = arguments.firings;
    const Stopwatch stopwatch;

    int found = tokens;
    for (int token = 0; token < tokens; ++token) {
        left_place.holds[token] = right_place.holds[token] = 1;
        pairs[token] = token;
    }
    left_place.size = right_place.size = tokens;
    left_place.figures.maximum = right_place.figures.maximum = tokens;
    for (;;) {
        found = static_cast<int>(std::min<std::int64_t>(found, left));
        for (int i = 0; i < found; ++i) {
            const std::int32_t token = pairs[i];
            left_place.holds[token] = right_place.holds[token] = 0;
            firings[last++ % capacity] = {now + delay, token};
        }
        left_place.size -= found;
        right_place.size -= found;
        if constexpr (statistics) join.firings += found;
        left -= found;
        if (left <= 0) break;

        const double instant = firings[first % capacity].end;
        if constexpr (statistics) {
            const double time = instant - now;
            left_place.pass(time);
            right_place.pass(time);
            join.in_progress += (last - first) * time;
            join.active += (last != first) * time;
        }
        now = instant;
        found = 0;
        const unsigned earlier = first;
        do {
            const std::int32_t token = firings[first++ % capacity].token;
            const std::int32_t a = left_place.permuted[token], b = right_place.permuted[token];
            left_place.holds[a] = 1;
            pairs[found] = a;
            found += right_place.holds[a];
            right_place.holds[b] = 1;
            pairs[found] = b;
            found += left_place.holds[b];
        } while (first != last && firings[first % capacity].end == now);
        const int ended = static_cast<int>(first - earlier);
        left_place.size += ended;
        right_place.size += ended;
        if constexpr (statistics)
            for (Place* place : {&left_place, &right_place}) {
                place->figures.arrivals += ended;
                place->figures.maximum = std::max<std::int64_t>(place->figures.maximum, place->size);
            }
    }
    const double seconds = stopwatch.seconds(), wall = stopwatch.wall();
    Report report(arguments.firings, seconds, wall, now);
    if constexpr (!statistics) return 0;
    report.place("left", -1, left_place.figures);
    report.place("right", -1, right_place.figures);
    report.transition("join", -1, join);
}
