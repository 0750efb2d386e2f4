// B20 by hand: the parts of an order are three bits, and orders stand by their numbers in a ring buffer, from the oldest
// that is open to the newest.
#include "growing.hpp"

class Assembly {
public:
    double now = 0;
    std::int64_t fired = 1;  // the first order is on its way

    Assembly(unsigned open, std::uint64_t seed) : mean(open), exponentials(seed), agenda(), next(1) {
        next.go(now);
        receive.come(now);
    }

    void step() {
        if (agenda.empty() || next_order < agenda.first().time) {
            now = next_order++;
            order();
        } else {
            now = agenda.first().time;
            const std::int64_t what = agenda.first().what;
            agenda.pop();
            made(what / 4, static_cast<int>(what % 4));
        }
    }

    void figures(Report& report) const {
        const char* names[3][3] = {{"order_a", "make_a", "part_a"}, {"order_b", "make_b", "part_b"}, {"order_c", "make_c", "part_c"}};
        report.place("next", -1, next.place(now));
        report.transition("receive", -1, receive.transition(now));
        report.transition("assemble", -1, {assembled, 0, 0});
        for (int kind = 0; kind < 3; ++kind) {
            report.place(names[kind][0], -1, orders[kind].place(now));
            report.transition(names[kind][1], -1, make[kind].transition(now));
            report.place(names[kind][2], -1, parts[kind].place(now));
        }
    }

private:
    double mean, next_order = 1.0;
    Exponentials exponentials;
    Agenda<std::int64_t> agenda;  // four times the number of the order, and which part of it
    std::vector<std::uint8_t> have = std::vector<std::uint8_t>(64);
    std::int64_t oldest = 0, number = 0, assembled = 0;
    Gauge next, receive, orders[3], make[3], parts[3];

    std::uint8_t& parts_of(std::int64_t order) { return have[static_cast<std::size_t>(order) & (have.size() - 1)]; }

    void order() {
        receive.go(now);
        next.come(now);
        next.go(now);
        receive.come(now);
        fired += 4;
        if (number - oldest == static_cast<std::int64_t>(have.size())) grow();
        parts_of(number) = 0;
        for (int kind = 0; kind < 3; ++kind) {
            orders[kind].come(now);
            orders[kind].go(now);
            make[kind].come(now);
            agenda.push(now + mean * exponentials.next(), 4 * number + kind);
        }
        ++number;
    }

    void made(std::int64_t order, int kind) {
        make[kind].go(now);
        parts[kind].come(now);
        if ((parts_of(order) |= 1 << kind) != 7) return;
        for (Gauge& part : parts) part.go(now);
        ++assembled;
        ++fired;
        while (oldest < number && parts_of(oldest) == 7) ++oldest;
    }

    void grow() {
        std::vector<std::uint8_t> larger(2 * have.size());
        for (std::int64_t i = oldest; i < number; ++i) larger[static_cast<std::size_t>(i) & (larger.size() - 1)] = parts_of(i);
        have = std::move(larger);
    }
};

int main(int count, char** words) { return simulate<Assembly>(count, words); }
