// B8 by hand: a job takes any machine that is large enough, each pair equally likely. Both are counted by size, in trees
// of sums. Before an event no job fits a machine; so of the pairs after it, each has the job or the machine that came.
#include "growing.hpp"

// How many there are of each size (Fenwick 1994).
class Sizes {
public:
    explicit Sizes(unsigned sizes) : sums(std::bit_ceil(sizes + 1)) {}

    unsigned count() const { return sums.back(); }
    void add(unsigned size, int more) {
        for (std::size_t i = size + 1; i < sums.size(); i += i & -i) sums[i] += static_cast<unsigned>(more);
        sums.back() += static_cast<unsigned>(more);
    }
    unsigned below(unsigned size) const {
        unsigned found = 0;
        for (std::size_t i = size; i > 0; i &= i - 1) found += sums[i];
        return found;
    }
    unsigned at(unsigned rank) const {  // the size of the one that has so many before it
        std::size_t at = 0;
        for (std::size_t step = sums.size() / 2; step > 0; step /= 2)
            if (at + step < sums.size() - 1 && sums[at + step] <= rank) rank -= sums[at += step];
        return static_cast<unsigned>(at);
    }

private:
    std::vector<unsigned> sums;  // the last is the number of all
};

class Matching {
public:
    double now = 0;
    std::int64_t fired = 0;

    Matching(unsigned machines, std::uint64_t seed)
        : sizes(machines), jobs(machines), free(machines), exponentials(seed), random{seed}, job(machines), machine(machines) {
        for (unsigned size = 0; size < machines; ++size) jobs.add(size, 1), free.add(size, 1);
        while (jobs.count() > 0 && jobs.at(0) <= free.at(free.count() - 1)) any_pair();
    }

    void step() {
        const unsigned m = agenda.first().what, j = random.below(sizes);
        now = agenda.first().time;
        agenda.pop();
        work.go(now);
        job.come(now);
        machine.come(now);
        const unsigned before = free.below(j), others = free.count() - before;  // machines that are free for the job
        const unsigned fitting = jobs.below(m + 1);                              // jobs for the machine that is free now
        const unsigned pairs = others + fitting + (j <= m);
        jobs.add(j, 1);
        free.add(m, 1);
        if (pairs == 0) return;
        const unsigned choice = random.below(pairs);
        if (choice == others + fitting) return start(j, m);
        if (choice < others) {
            free.add(m, -1);
            start(j, free.at(before + choice));
            free.add(m, 1);
            if (fitting > 0) start(jobs.at(random.below(fitting)), m);
        } else {
            jobs.add(j, -1);
            start(jobs.at(choice - others), m);
            jobs.add(j, 1);
            if (others > 0) start(j, free.at(before + random.below(others)));
        }
    }

    void figures(Report& report) const {
        report.place("job", -1, job.place(now));
        report.place("machine", -1, machine.place(now));
        report.transition("work", -1, work.transition(now));
    }

private:
    unsigned sizes;
    Sizes jobs, free;
    Exponentials exponentials;
    Random random;
    Agenda<unsigned> agenda;  // the machine
    Gauge job, machine, work;

    void start(unsigned j, unsigned m) {
        jobs.add(j, -1);
        free.add(m, -1);
        job.go(now);
        machine.go(now);
        work.come(now);
        ++fired;
        agenda.push(now + exponentials.next(), m);
    }

    // At time 0: draw among those of which a pair can be, until it is one.
    void any_pair() {
        const unsigned largest = free.at(free.count() - 1), least = jobs.at(0), first = free.below(least);
        const unsigned among_jobs = jobs.below(largest + 1), among_machines = free.count() - first;
        unsigned j, m;
        do {
            j = jobs.at(random.below(among_jobs));
            m = free.at(first + random.below(among_machines));
        } while (m < j);
        start(j, m);
    }
};

int main(int count, char** words) { return simulate<Matching>(count, words); }
