// B17 by hand: each individual is at home for an exponential time and away for a uniform one, and counts its visits.
// Everybody is always on the way, so that each event replaces itself.
#include "growing.hpp"

class Individuals {
public:
    double now = 0;
    std::int64_t fired = 0;

    Individuals(unsigned people, std::uint64_t seed) : visits(people), exponentials(seed), random{seed}, home(people) {
        for (unsigned person = 0; person < people; ++person) {
            home.go(now);
            leave.come(now);
            agenda.push(3.0 * exponentials.next(), 2 * person);
        }
        fired = people;
    }

    void step() {
        const auto [time, what] = agenda.first();
        const bool back = what % 2 != 0;
        now = time;
        ++fired;
        if (back) {
            ++visits[what / 2];
            pass(comes_back, home, leave);
            agenda.replace(now + 3.0 * exponentials.next(), what - 1);
        } else {
            pass(leave, away, comes_back);
            agenda.replace(now + 0.5 + random.unit(), what + 1);
        }
    }

    void figures(Report& report) const {
        report.place("home", -1, home.place(now));
        report.place("away", -1, away.place(now));
        report.transition("leave", -1, leave.transition(now));
        report.transition("return", -1, comes_back.transition(now));
    }

private:
    std::vector<std::int64_t> visits;
    Exponentials exponentials;
    Random random;
    Agenda<unsigned> agenda;  // twice the individual, and 1 if it comes back
    Gauge home, away, leave, comes_back;

    // One firing ends and gives its token to a place, from which the next takes it at once.
    void pass(Gauge& ends, Gauge& place, Gauge& begins) {
        ends.go(now);
        place.come(now);
        place.go(now);
        begins.come(now);
    }
};

int main(int count, char** words) { return simulate<Individuals>(count, words); }
