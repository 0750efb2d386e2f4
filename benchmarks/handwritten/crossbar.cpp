// B16 by hand: a crossbar of up to 64 ports. The queues of an input that hold a packet, and those that have room, are the
// bits of a word, and so are the inputs that hold a packet for an output; transfers take 1, so that they end in the
// order in which they began.
#include "growing.hpp"

class Crossbar {
public:
    double now = 0;
    std::int64_t fired = 0;

    Crossbar(unsigned ports, std::uint64_t seed)
        : ports(ports), port(ports), pair(ports * ports), exponentials(seed), random{seed},
          free_inputs(all()), free_outputs(all()) {
        for (Port& p : port) p.room = all();
        for (unsigned i = 0; i < ports; ++i) expect(i);
    }

    void step() {
        if (transfers.size() == 0 || (!arrivals.empty() && arrivals.first().time < transfers.front().time)) {
            const auto [time, what] = arrivals.first();
            const unsigned i = what / ports, j = what % ports;
            now = time;
            arrivals.pop();
            pair[what].arrive.go(now);
            pair[what].queue.come(now);
            port[i].outside.come(now);
            ++pair[what].tokens;
            port[i].holds |= bit(j);
            port[j].held |= bit(i);
            expect(i);
            if (has(free_inputs, i) && has(free_outputs, j)) start(i, j);
        } else {
            std::uint64_t inputs = 0, outputs = 0;
            now = transfers.front().time;
            while (transfers.size() > 0 && transfers.front().time == now) {
                const unsigned what = transfers.pop().what;
                end(what);
                inputs |= bit(what / ports);
                outputs |= bit(what % ports);
            }
            go_on(inputs, outputs);
        }
    }

    void figures(Report& report) const {
        for (unsigned i = 0; i < ports; ++i) {
            report.place("outside", static_cast<int>(i), port[i].outside.place(now));
            report.place("input", static_cast<int>(i), port[i].input.place(now));
            report.place("output", static_cast<int>(i), port[i].output.place(now));
            for (unsigned j = 0; j < ports; ++j) {
                report.of("queue", i, j, pair[i * ports + j].queue.place(now));
                report.of("arrive", i, j, pair[i * ports + j].arrive.transition(now));
                report.of("transfer", i, j, pair[i * ports + j].transfer.transition(now));
            }
        }
    }

private:
    struct Port {
        std::uint64_t holds = 0, room = 0, held = 0;  // queues with a packet, and with room; inputs that hold one for it
        Gauge outside{1}, input{1}, output{1};
    };
    struct Pair {
        int tokens = 0, promised = 0;  // packets, and with those that are arriving
        Gauge queue, arrive, transfer;
    };
    struct Transfer {
        double time;
        unsigned what;
    };
    static constexpr int capacity = 8;
    unsigned ports;
    std::vector<Port> port;
    std::vector<Pair> pair;
    Exponentials exponentials;
    Random random;
    std::uint64_t free_inputs, free_outputs;
    Agenda<unsigned> arrivals;
    Queue<Transfer> transfers;

    static std::uint64_t bit(unsigned i) { return std::uint64_t{1} << i; }
    static bool has(std::uint64_t set, unsigned i) { return set >> i & 1; }
    std::uint64_t all() const { return ~std::uint64_t{0} >> (64 - ports); }

    // The next packet of a line: the queue that it is for keeps room for it.
    void expect(unsigned i) {
        if (port[i].room == 0) return;  // it waits outside
        const auto j = static_cast<unsigned>(random.bit(port[i].room));
        Pair& to = pair[i * ports + j];
        if (++to.promised == capacity) port[i].room &= ~bit(j);
        port[i].outside.go(now);
        to.arrive.come(now);
        ++fired;
        arrivals.push(now + 1.25 * exponentials.next(), i * ports + j);
    }

    void start(unsigned i, unsigned j) {
        Pair& from = pair[i * ports + j];
        free_inputs &= ~bit(i);
        free_outputs &= ~bit(j);
        if (--from.tokens == 0) port[i].holds &= ~bit(j), port[j].held &= ~bit(i);
        from.queue.go(now);
        port[i].input.go(now);
        port[j].output.go(now);
        from.transfer.come(now);
        ++fired;
        transfers.push({now + 1.0, i * ports + j});
        const bool waits = port[i].room == 0;
        if (from.promised-- == capacity) port[i].room |= bit(j);
        if (waits) expect(i);
    }

    void end(unsigned what) {
        pair[what].transfer.go(now);
        port[what / ports].input.come(now);
        port[what % ports].output.come(now);
        free_inputs |= bit(what / ports);
        free_outputs |= bit(what % ports);
    }

    // Start what has become possible through these inputs and outputs; each is equally likely to be the first.
    void go_on(std::uint64_t inputs, std::uint64_t outputs) {
        for (;;) {
            inputs &= free_inputs;
            outputs &= free_outputs;
            unsigned possible = 0;
            for (std::uint64_t set = inputs; set; set &= set - 1) possible += count(from_input(set));
            for (std::uint64_t set = outputs; set; set &= set - 1) possible += count(to_output(set) & ~inputs);
            if (possible == 0) return;
            start_one(inputs, outputs, random.below(possible));
        }
    }

    void start_one(std::uint64_t inputs, std::uint64_t outputs, unsigned choice) {
        for (std::uint64_t set = inputs; set; set &= set - 1) {
            const std::uint64_t there = from_input(set);
            if (choice < count(there)) return start(lowest(set), nth(there, choice));
            choice -= count(there);
        }
        for (std::uint64_t set = outputs; set; set &= set - 1) {
            const std::uint64_t here = to_output(set) & ~inputs;
            if (choice < count(here)) return start(nth(here, choice), lowest(set));
            choice -= count(here);
        }
    }

    std::uint64_t from_input(std::uint64_t set) const { return port[lowest(set)].holds & free_outputs; }
    std::uint64_t to_output(std::uint64_t set) const { return port[lowest(set)].held & free_inputs; }
    static unsigned count(std::uint64_t set) { return static_cast<unsigned>(std::popcount(set)); }
    static unsigned lowest(std::uint64_t set) { return static_cast<unsigned>(std::countr_zero(set)); }
    static unsigned nth(std::uint64_t set, unsigned skip) {
        while (skip--) set &= set - 1;
        return lowest(set);
    }
};

int main(int count, char** words) { return simulate<Crossbar>(count, words); }
