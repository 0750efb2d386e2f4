// B7 by hand: dining philosophers. A philosopher looks at its own two forks when it becomes hungry, and the neighbours
// look when it has eaten; nobody else can be concerned.
#include "growing.hpp"

class Philosophers {
public:
    double now = 0;
    std::int64_t fired = 0;

    Philosophers(unsigned seats, std::uint64_t seed)
        : seats(seats), is_hungry(seats), is_free(seats, 1), exponentials(seed), thinking(seats), forks(seats) {
        for (unsigned p = 0; p < seats; ++p) start_thinking(p);
    }

    void step() {
        const auto [time, what] = agenda.first();
        const unsigned p = what / 2;
        now = time;
        agenda.pop();
        if (what % 2 == 0) {
            think.go(now);
            hungry.come(now);
            is_hungry[p] = 1;
            if (can_eat(p)) start_eating(p);
        } else {
            const unsigned left = p == 0 ? seats - 1 : p - 1, right = after(p);
            eat.go(now);
            thinking.come(now);
            forks.come(now, 2);
            is_free[p] = is_free[right] = 1;
            start_thinking(p);
            const bool both = can_eat(left) && can_eat(right);
            if (both) eating.come(now), eating.come(now), eating.go(now, 2);  // both may take their forks before one eats
            if (can_eat(left)) start_eating(left, both);
            if (can_eat(right)) start_eating(right, both);
        }
    }

    void figures(Report& report) const {
        report.place("thinking", -1, thinking.place(now));
        report.place("fork", -1, forks.place(now));
        report.place("eating", -1, eating.place(now));
        report.place("hungry", -1, hungry.place(now));
        report.transition("think", -1, think.transition(now));
        report.transition("take", -1, {taken, 0, 0});
        report.transition("eat", -1, eat.transition(now));
    }

private:
    unsigned seats;
    std::vector<std::uint8_t> is_hungry, is_free;
    Exponentials exponentials;
    Agenda<unsigned> agenda;  // twice the philosopher, and 1 if it is the end of a meal
    Gauge thinking, forks, eating, hungry, think, eat;
    std::int64_t taken = 0;

    unsigned after(unsigned p) const { return p + 1 == seats ? 0 : p + 1; }
    bool can_eat(unsigned p) const { return is_hungry[p] && is_free[p] && is_free[after(p)]; }

    void start_thinking(unsigned p) {
        thinking.go(now);
        think.come(now);
        ++fired;
        agenda.push(now + 10.0 * exponentials.next(), 2 * p);
    }

    void start_eating(unsigned p, bool counted = false) {
        is_hungry[p] = is_free[p] = is_free[after(p)] = 0;
        hungry.go(now);
        forks.go(now, 2);
        if (!counted) eating.come(now), eating.go(now);
        eat.come(now);
        ++taken;
        fired += 2;
        agenda.push(now + exponentials.next(), 2 * p + 1);
    }
};

int main(int count, char** words) { return simulate<Philosophers>(count, words); }
