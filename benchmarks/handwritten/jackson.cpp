// B14 by hand: n single-server stations, four tokens for each, and a token goes on to any of them. What `server` and
// `serve` show follows from the busy time at the end.
#include "growing.hpp"

class Jackson {
public:
    double now = 0;
    std::int64_t fired = 0;

    Jackson(unsigned stations, std::uint64_t seed) : station(stations), exponentials(seed), random{seed} {
        for (unsigned here = 0; here < stations; ++here) start(here);
    }

    void step() {
        const auto [time, here] = agenda.first();
        const unsigned there = random.below(static_cast<unsigned>(station.size()));
        Station &from = station[here], &to = station[there];
        now = time;
        from.busy.go(now);
        --from.tokens;
        to.queue.come(now);
        ++to.tokens;
        if (from.tokens > 0) {
            serve(from);
            agenda.replace(now + exponentials.next(), here);
        } else {
            agenda.pop();
        }
        if (to.tokens == 1 && here != there) start(there);
    }

    void figures(Report& report) const {
        for (int i = 0; const Station& s : station) {
            const TransitionFigures serve = s.busy.transition(now);
            const std::int64_t ends = serve.firings - (s.tokens > 0);
            report.place("queue", i, s.queue.place(now));
            report.place("server", i, {now - serve.active, now - serve.active, 1, ends});
            report.transition("serve", i++, serve);
        }
    }

private:
    struct Station {
        std::int32_t tokens = 4;  // waiting or in service
        Gauge queue{4}, busy;
    };
    std::vector<Station> station;
    Exponentials exponentials;
    Random random;
    Agenda<unsigned> agenda;

    void serve(Station& s) {
        s.queue.go(now);
        s.busy.come(now);
        ++fired;
    }

    void start(unsigned here) {
        serve(station[here]);
        agenda.push(now + exponentials.next(), here);
    }
};

int main(int count, char** words) { return simulate<Jackson>(count, words); }
