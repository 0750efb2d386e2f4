// B19 by hand: four servers take the job that has had the least service, for a lognormal time; a heap of sizes.
#include <cmath>

#include "growing.hpp"

class LeastServed {
public:
    double now = 0;
    std::int64_t fired = 0;

    LeastServed(unsigned jobs, std::uint64_t seed) : random{seed}, queue(jobs), server(servers) {
        for (unsigned i = 0; i < jobs; ++i) waiting.push(0.02 * (i % 100), {});
        for (int i = 0; i < servers; ++i) {
            const double size = waiting.first().time, share = lognormal();
            waiting.pop();
            begin();
            agenda.push(share, size + share);
        }
    }

    void step() {
        double size = agenda.first().what;
        now = agenda.first().time;
        serve.go(now);
        queue.come(now);
        server.come(now);
        if (waiting.first().time < size) {
            const double least = waiting.first().time;
            waiting.replace(size, {});
            size = least;
        }
        const double share = lognormal();
        begin();
        agenda.replace(now + share, size + share);
    }

    void figures(Report& report) {
        report.place("queue", -1, queue.place(now));
        report.place("server", -1, server.place(now));
        report.transition("serve", -1, serve.transition(now));
        double sum = 0, squares = 0;
        int count = 0;
        for (; !waiting.empty(); waiting.pop(), ++count) {
            sum += waiting.first().time;
            squares += waiting.first().time * waiting.first().time;
        }
        report.value("variance", squares / count - sum / count * (sum / count));  // of the sizes that wait
    }

private:
    struct Nothing {};
    static constexpr int servers = 4;
    Random random;
    Agenda<Nothing> waiting;  // by size
    Agenda<double> agenda;    // the ends of the services, and how large their jobs are then
    Gauge queue, server, serve;
    double spare = 0;
    bool is_spare = false;

    void begin() {
        queue.go(now);
        server.go(now);
        serve.come(now);
        ++fired;
    }

    // Mean 1 and coefficient of variation 1, from normals in pairs by the polar method.
    double lognormal() {
        constexpr double variance = 0.693147180559945309417;  // ln(1 + 1)
        const double sigma = std::sqrt(variance);
        double x = spare;
        if (!(is_spare = !is_spare)) return std::exp(sigma * x - variance / 2);
        double y, s;
        do {
            x = 2 * random.unit() - 1;
            y = 2 * random.unit() - 1;
            s = x * x + y * y;
        } while (s >= 1 || s == 0);
        const double factor = std::sqrt(-2 * std::log(s) / s);
        spare = factor * y;
        return std::exp(sigma * factor * x - variance / 2);
    }
};

int main(int count, char** words) { return simulate<LeastServed>(count, words); }
