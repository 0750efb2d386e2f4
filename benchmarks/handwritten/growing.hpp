// What the programs for nets that come in several sizes share.
#pragma once

#include <algorithm>

#include "common.hpp"

// What will happen, in order of time: a heap with four children to a node, for events whose number is not fixed.
template <typename What>
class Agenda {
public:
    struct Event {
        double time;
        What what;
    };

    bool empty() const { return heap.empty(); }
    const Event& first() const { return heap.front(); }

    void push(double time, What what) {
        std::size_t at = heap.size();
        heap.push_back({time, what});
        for (; at > 0 && time < heap[(at - 1) / 4].time; at = (at - 1) / 4) heap[at] = heap[(at - 1) / 4];
        heap[at] = {time, what};
    }

    void pop() {
        const Event last = heap.back();
        heap.pop_back();
        if (!heap.empty()) replace(last.time, last.what);
    }

    // Take the first event and put another in: cheaper than one after the other.
    void replace(double time, What what) {
        const std::size_t size = heap.size();
        std::size_t at = 0;
        for (std::size_t child = 1; child < size; child = 4 * at + 1) {
            const std::size_t least = child + 4 <= size ? least_of_four(child) : least_of(child, size);
            if (time <= heap[least].time) break;
            heap[at] = heap[least];
            at = least;
        }
        heap[at] = {time, what};
    }

private:
    std::vector<Event> heap;

    // Which is the least cannot be foreseen: a choice without a branch.
    std::size_t least_of_four(std::size_t child) const {
        const std::size_t a = child + (heap[child + 1].time < heap[child].time);
        const std::size_t b = child + 2 + (heap[child + 3].time < heap[child + 2].time);
        return heap[b].time < heap[a].time ? b : a;
    }
    std::size_t least_of(std::size_t child, std::size_t end) const {
        std::size_t least = child;
        while (++child < end) least = heap[child].time < heap[least].time ? child : least;
        return least;
    }
};

// The tokens of a place, or the firings in progress of a transition, at any time. What is not asked for costs nothing.
// The integral of n over time since t0 is n (t - t0), so that a token adds -t when it comes and +t when it goes.
class Gauge {
public:
    explicit Gauge(std::int64_t tokens = 0) : tokens(tokens), maximum(tokens) {}

    void come(double now, std::int64_t n = 1) {
        if constexpr (!statistics) return;
        if (tokens == 0) nonempty -= now;
        tokens += n;
        integral -= static_cast<double>(n) * now;
        maximum = std::max(maximum, tokens);
        arrivals += n;
    }
    void go(double now, std::int64_t n = 1) {
        if constexpr (!statistics) return;
        tokens -= n;
        integral += static_cast<double>(n) * now;
        if (tokens == 0) nonempty += now;
    }
    PlaceFigures place(double now) const { return {area(now), occupied(now), maximum, arrivals}; }
    TransitionFigures transition(double now) const { return {arrivals, area(now), occupied(now)}; }

private:
    std::int64_t tokens, maximum, arrivals = 0;
    double integral = 0, nonempty = 0;

    double area(double now) const { return integral + static_cast<double>(tokens) * now; }
    double occupied(double now) const { return nonempty + (tokens > 0 ? now : 0); }
};

// The main program of a net that comes in several sizes: it has `now`, `fired`, `step()`, which goes on to the next
// event, and `figures(report)`. What happens first, until the net has settled, is not timed.
template <typename Net>
int simulate(int count, char** words) {
    const Arguments arguments(count, words);
    Net net(arguments.size, arguments.seed);
    while (net.fired < arguments.settled) net.step();
    const std::int64_t before = net.fired;
    const Stopwatch stopwatch;
    while (net.fired < before + arguments.firings) net.step();
    const double seconds = stopwatch.seconds(), wall = stopwatch.wall();
    Report report(net.fired - before, seconds, wall, net.now);
    if constexpr (statistics) net.figures(report);
    return 0;
}
