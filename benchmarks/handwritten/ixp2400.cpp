// B4 and B5 by hand: IPv4 on one IXP2400, as nets/ixp2400.net has it with its default parameters, or HOPS of them in a chain.
//
// A thread is a number below 64, eight times its engine plus its place there, so that any set of threads (ready, with a
// command, in the transmit ring) is one word, and a thread at random is one bit of it. The ring's least
// turn is the first bit from the head on. Each server has a leaf in the tournament tree of next events. Nothing is searched:
// every event calls what it may have enabled.
#include <algorithm>
#include <string>

#include "common.hpp"

#ifndef HOPS
#define HOPS 1
#endif

constexpr int hops = HOPS, engines = 8, threads = 64, steps = 9, units = 4, flows = 10, flow_packets = 100;
constexpr int ports = 4, mac_memory = 256, engine_line = 2, elements = 128, entries = 4, output_memory = 4;
constexpr int sram_stages = 16, scratch_stages = 8;
constexpr double cycle = 1000.0 / 600.0, size = 64.0, line = 0.375, load = 2.96 / 3, media = 0.5;  // ns, B, B/ns
constexpr double mac_time = 10 * cycle, command_time = 4 * cycle, hash_time = 8 * cycle, dram_time = 25.6 * cycle;
constexpr double sram_time = 6 * 105 * cycle, scratch_time = 60 * cycle;
constexpr double line_time = size / line, source_time = size / (load * line), media_time = size / media;
constexpr int processed = 6, finish = 8;  // steps: wants an element of the transmit buffer; has its packet there
constexpr double work[steps] = {30 * cycle, 12 * cycle, 12 * cycle, 12 * cycle, 12 * cycle, 12 * cycle, 0, 15 * cycle, 15 * cycle};
enum Unit { dram, sram, hash, scratch };
constexpr int destination[finish] = {dram, dram, hash, sram, dram, scratch, -1, dram};
const char* const step_names[steps] = {"receive", "read_header", "hash", "look_up", "write_header",
                                       "count", "call_asked", "transmit", "finish"};

// Leaves of one router in the tree of next events.
enum Leaf { of_line, of_send, of_enter, of_bus, of_dram, of_hash, of_emit, of_buffer = 8, of_engine = 16, of_scratch = 24, of_sram = 32 };
constexpr int leaves_of_router = 64, leaves = hops == 1 ? leaves_of_router : 16 * leaves_of_router;
using Events = Clocks<leaves>;

static Events events;
static Exponentials* exponentials;
static double now = 0;
static std::int64_t firings = 0;

static Random chance{1};

// Tokens of a place, or firings in progress of a transition, over time.
struct Level {
    std::int64_t tokens = 0, maximum = 0, entered = 0;
    double integral = 0, nonempty = 0;

    explicit Level(int initial = 0) : tokens(initial), maximum(initial) {}

    void put() {
        ++tokens;
        if constexpr (statistics) {
            integral -= now;
            if (tokens == 1) nonempty -= now;
            if (tokens > maximum) maximum = tokens;
            ++entered;
        }
    }
    void take() {
        --tokens;
        if constexpr (statistics) {
            integral += now;
            if (tokens == 0) nonempty += now;
        }
    }
    void pass() {  // put and taken within the instant
        if constexpr (statistics) {
            ++entered;
            if (tokens + 1 > maximum) maximum = tokens + 1;
        }
    }
    double area() const { return integral + static_cast<double>(tokens) * now; }
    double filled() const { return nonempty + (tokens > 0) * now; }
};

struct Packet {
    std::int32_t flow, seq;
    double born;
};

static std::string numbered(const std::string& name, int index) {
    std::string text = name;
    return text.append("[").append(std::to_string(index)).append("]");
}

static void show_place(Report& report, const std::string& name, const Level& level) {
    report.place(name.c_str(), -1, {level.area(), level.filled(), level.maximum, level.entered});
}

static void show_transition(Report& report, const std::string& name, const Level& level) {
    report.transition(name.c_str(), -1, {level.entered, level.area(), level.filled()});
}

// A place that holds its one token whenever its server is idle.
static void show_idle(Report& report, const std::string& name, const Level& server) {
    const double idle = now - server.area();
    report.place(name.c_str(), -1, {idle, idle, 1, server.entered - server.tokens});
}

static void emit();

class Router {
public:
    Router* next = nullptr;
    int first_leaf = 0;
    Level inlet, outlet, delivered;  // `outlet` is the last one's alone
    std::int64_t packets = 0;  // that have left
    Queue<Packet> waiting;  // in `inlet`
    std::uint64_t checksum = 0;
    double delay = 0;  // summed over the packets that have left

    Router() {
        for (int e = 0; e < engines; ++e) {
            rooms[e] = engine_line;
            free_entries[e] = entries;
            idle[e] = Level(threads / engines);
            for (int k = 0; k < threads / engines; ++k) idle_threads[e][k] = static_cast<std::uint8_t>(8 * e + 7 - k);
        }
    }

    void arrive(const Packet& packet) {
        waiting.push(packet);
        inlet.put();
        try_buffer();
    }

    void happen(int leaf) {
        if (leaf >= of_sram) end_access(sram, sram_leaf[leaf - of_sram], leaf);
        else if (leaf >= of_scratch) end_access(scratch, scratch_leaf[leaf - of_scratch], leaf);
        else if (leaf >= of_engine) end_step(leaf - of_engine);
        else if (leaf >= of_buffer) end_buffer(leaf);
        else if (leaf == of_bus) end_transfer();
        else if (leaf == of_dram) end_access(dram, dram_thread, leaf);
        else if (leaf == of_enter) end_enter();
        else if (leaf == of_send) end_send();
        else if (leaf == of_line) end_line();
        else end_access(hash, hash_thread, leaf);
    }

    void report(Report& report, const std::string& name) const;

private:
    // Receive.
    Level port{ports}, memory{mac_memory}, buffered, buffer, passing, enter, element{elements}, freed, room{engines * engine_line};
    Level in_line[engines], idle[engines], rest[engines], accept[engines];
    unsigned free_ports = (1u << ports) - 1;
    std::uint8_t idle_threads[engines][threads / engines];  // the one that was freed last is the last
    Packet in_port[ports];
    Queue<Packet> in_mac, engine_lines[engines];
    bool entering = false;
    Packet entered{};
    int next_engine = 0;
    int rooms[engines];
    // Threads and engines.
    Packet packet[threads];
    std::uint8_t at_step[threads] = {};
    std::uint8_t ready_threads[engines] = {};
    int running[engines] = {-1, -1, -1, -1, -1, -1, -1, -1};  // the thread at work, or one that waits for an entry
    bool blocked[engines] = {};
    Level engine{engines}, assigned, started, ready, at_step_of[steps], step[steps], run, worked, swap_out, finishing, gave;
    // Commands.
    Level entry{engines * entries}, command, queue[units], transfer, access[units];
    int free_entries[engines];
    std::uint64_t commands = 0, queued[units] = {};
    bool bus_busy = false;
    int bus_thread = 0;
    bool dram_busy = false, hash_busy = false;
    int dram_thread = 0, hash_thread = 0;
    int sram_leaf[sram_stages] = {}, scratch_leaf[scratch_stages] = {};
    unsigned free_sram = (1u << sram_stages) - 1, free_scratch = (1u << scratch_stages) - 1;
    Level sram_stage{sram_stages}, scratch_stage{scratch_stages};
    // Transmit.
    std::uint64_t valid_threads = 0;
    unsigned head = 0;
    bool sending_one = false;
    int send_thread = 0;
    Level asked, allocate, finished, valid, validate, select, leaving, send, sending, output_room{output_memory}, transmit;
    Queue<Packet> to_send;
    bool line_busy = false;
    Packet on_line{};

    void begin(Level& transition, int leaf, double time) {
        ++firings;
        transition.put();
        events.set(first_leaf + leaf, now + time);
    }

    void end(Level& transition, int leaf) {
        transition.take();
        events.clear(first_leaf + leaf);
    }

    void immediate(Level& transition) {
        ++firings;
        transition.pass();
    }

    // ---- receive

    void try_buffer() {
        while (waiting.size() && free_ports && memory.tokens) {
            const int slot = std::countr_zero(free_ports);
            free_ports &= free_ports - 1;
            in_port[slot] = waiting.pop();
            inlet.take();
            port.take();
            memory.take();
            begin(buffer, of_buffer + slot, mac_time);
            if (first_leaf == 0) emit();
        }
    }

    void end_buffer(int leaf) {
        const int slot = leaf - of_buffer;
        end(buffer, leaf);
        free_ports |= 1u << slot;
        port.put();
        in_mac.push(in_port[slot]);
        buffered.put();
        try_enter();
        try_buffer();
    }

    void try_enter() {
        if (entering || !in_mac.size() || !room.tokens) return;
        while (!rooms[next_engine]) {
            immediate(passing);
            next_engine = (next_engine + 1) % engines;
        }
        if (!element.tokens) return;
        --rooms[next_engine];
        room.take();
        entered = in_mac.pop();
        buffered.take();
        element.take();
        entering = true;
        begin(enter, of_enter, media_time);
    }

    void end_enter() {
        const int e = next_engine;
        end(enter, of_enter);
        entering = false;
        memory.put();
        next_engine = (e + 1) % engines;
        if (idle[e].tokens) {
            in_line[e].pass();
            idle[e].take();
            start_thread(idle_threads[e][idle[e].tokens], entered);
        } else {
            in_line[e].put();
            engine_lines[e].push(entered);
        }
        try_enter();
        try_buffer();
    }

    void start_thread(int thread, const Packet& one) {
        immediate(accept[thread / 8]);
        ++rooms[thread / 8];
        room.put();
        packet[thread] = one;
        at_step[thread] = 0;
        assigned.pass();
        immediate(started);
        wake(thread);
    }

    void free_thread(int thread) {
        const int e = thread / 8;
        freed.pass();
        immediate(rest[e]);
        if (in_line[e].tokens) {
            idle[e].pass();
            in_line[e].take();
            start_thread(thread, engine_lines[e].pop());
        } else {
            idle_threads[e][idle[e].tokens] = static_cast<std::uint8_t>(thread);
            idle[e].put();
        }
    }

    // ---- engines

    void wake(int thread) {
        const int e = thread / 8, s = at_step[thread];
        at_step_of[s].pass();
        immediate(step[s]);
        ready.put();
        ready_threads[e] = static_cast<std::uint8_t>(ready_threads[e] | 1u << thread % 8);
        if (running[e] < 0) start_step(e);
    }

    void start_step(int e) {
        if (!ready_threads[e]) return;
        const int thread = 8 * e + chance.bit(ready_threads[e]);
        ready_threads[e] = static_cast<std::uint8_t>(ready_threads[e] & ~(1u << thread % 8));
        ready.take();
        engine.take();
        running[e] = thread;
        begin(run, of_engine + e, work[at_step[thread]] * exponentials->next());
    }

    void end_step(int e) {
        const int thread = running[e], s = at_step[thread];
        end(run, of_engine + e);
        if (s == finish) {
            finishing.pass();
            immediate(gave);
            finished.pass();
            immediate(validate);
            valid.put();
            valid_threads |= std::uint64_t{1} << thread;
            release(e);
            try_select();
            return;
        }
        at_step[thread] = static_cast<std::uint8_t>(s + 1);
        if (free_entries[e]) {
            worked.pass();
            issue(e);
            try_transfer();
        } else {
            worked.put();
            blocked[e] = true;
        }
    }

    void release(int e) {
        running[e] = -1;
        engine.put();
        start_step(e);
    }

    void issue(int e) {  // swap out: the command finds an entry, the engine is free
        const int thread = running[e];
        --free_entries[e];
        entry.take();
        immediate(swap_out);
        commands |= std::uint64_t{1} << thread;
        command.put();
        release(e);
    }

    // ---- the bus and the memories

    void try_transfer() {
        if (bus_busy || !commands) return;
        bus_thread = chance.bit(commands);
        commands &= ~(std::uint64_t{1} << bus_thread);
        command.take();
        bus_busy = true;
        begin(transfer, of_bus, command_time);
    }

    void end_transfer() {
        const int e = bus_thread / 8, unit = destination[at_step[bus_thread] - 1];
        end(transfer, of_bus);
        bus_busy = false;
        ++free_entries[e];
        entry.put();
        queued[unit] |= std::uint64_t{1} << bus_thread;
        queue[unit].put();
        if (blocked[e]) {  // its swapping out and the next transfer are enabled at once: either may be first
            if (commands && chance.below(2)) try_transfer();
            blocked[e] = false;
            worked.take();
            issue(e);
        }
        try_access(unit);
        try_transfer();
    }

    void try_access(int unit) {
        if (!queued[unit]) return;
        if (unit == dram) {
            if (dram_busy) return;
            dram_busy = true;
            dram_thread = next_command(dram);
            begin(access[dram], of_dram, dram_time * exponentials->next());
        } else if (unit == sram) {
            if (!free_sram) return;
            const int slot = std::countr_zero(free_sram);
            free_sram &= free_sram - 1;
            sram_stage.take();
            sram_leaf[slot] = next_command(sram);
            begin(access[sram], of_sram + slot, sram_time * exponentials->next());
        } else if (unit == hash) {
            if (hash_busy) return;
            hash_busy = true;
            hash_thread = next_command(hash);
            begin(access[hash], of_hash, hash_time);
        } else {
            if (!free_scratch) return;
            const int slot = std::countr_zero(free_scratch);
            free_scratch &= free_scratch - 1;
            scratch_stage.take();
            scratch_leaf[slot] = next_command(scratch);
            begin(access[scratch], of_scratch + slot, scratch_time);
        }
    }

    int next_command(int unit) {
        const int thread = chance.bit(queued[unit]);
        queued[unit] &= ~(std::uint64_t{1} << thread);
        queue[unit].take();
        return thread;
    }

    void end_access(int unit, int thread, int leaf) {
        end(access[unit], leaf);
        if (unit == dram) dram_busy = false;
        else if (unit == hash) hash_busy = false;
        else if (unit == sram) {
            free_sram |= 1u << (leaf - of_sram);
            sram_stage.put();
        } else {
            free_scratch |= 1u << (leaf - of_scratch);
            scratch_stage.put();
        }
        if (at_step[thread] == processed) {
            at_step_of[processed].pass();
            immediate(step[processed]);
            asked.pass();
            immediate(allocate);
            ++at_step[thread];
        }
        wake(thread);
        try_access(unit);
    }

    // ---- transmit

    void try_select() {
        if (sending_one || !valid_threads || !output_room.tokens) return;
        const unsigned turn = head + static_cast<unsigned>(std::countr_zero(std::rotr(valid_threads, static_cast<int>(head % threads))));
        send_thread = static_cast<int>(turn % threads);
        head = turn + 1;
        valid_threads &= ~(std::uint64_t{1} << send_thread);
        immediate(select);
        valid.take();
        output_room.take();
        leaving.pass();
        sending_one = true;
        begin(send, of_send, media_time);
    }

    void end_send() {
        end(send, of_send);
        sending_one = false;
        to_send.push(packet[send_thread]);
        sending.put();
        element.put();
        free_thread(send_thread);
        try_line();
        try_enter();
        try_select();
    }

    void try_line() {
        if (line_busy || !to_send.size()) return;
        on_line = to_send.pop();
        sending.take();
        line_busy = true;
        begin(transmit, of_line, line_time);
    }

    void end_line() {
        end(transmit, of_line);
        line_busy = false;
        ++packets;
        output_room.put();
        if (next) {
            next->arrive(on_line);
        } else {
            outlet.pass();
            immediate(delivered);
            checksum += static_cast<std::uint64_t>(on_line.flow) * 31 + static_cast<std::uint64_t>(on_line.seq);
            delay += now - on_line.born;
        }
        try_line();
        try_select();
    }
};

void Router::report(Report& report, const std::string& name) const {
    const std::string chip = name + ".chip.", core = chip + "core.", receive = name + ".receive.", out = name + ".transmit.";
    const char* const unit_names[units] = {"dram", "sram", "hash", "scratch"};
    show_place(report, receive + "mac.port_free", port);
    show_place(report, receive + "memory", memory);
    show_place(report, receive + "buffered", buffered);
    show_idle(report, receive + "interface", enter);
    const double waiting_turn = now - enter.area();
    report.place((receive + "next_engine").c_str(), -1, {waiting_turn, waiting_turn, 1, enter.entered - enter.tokens + passing.entered});
    show_place(report, receive + "room", room);
    show_transition(report, receive + "pass", passing);
    show_transition(report, receive + "mac.buffer", buffer);
    show_transition(report, receive + "enter", enter);
    for (int e = 0; e < engines; ++e) {
        show_place(report, numbered(receive + "waiting", e), in_line[e]);
        const std::string threads_of_one = numbered(receive + "line", e);
        show_place(report, threads_of_one + ".idle", idle[e]);
        show_transition(report, threads_of_one + ".rest", rest[e]);
        show_transition(report, threads_of_one + ".accept", accept[e]);
    }
    show_place(report, name + ".thread", freed);
    show_place(report, name + ".element", element);
    show_place(report, name + ".assigned", assigned);
    show_transition(report, chip + "forward.take_start", started);
    for (int s = 0; s < steps; ++s) {
        show_place(report, chip + "forward.at_" + step_names[s], at_step_of[s]);
        show_transition(report, chip + "forward." + step_names[s], step[s]);
    }
    show_place(report, chip + "forward.at_give_finished", finishing);
    show_transition(report, chip + "forward.give_finished", gave);
    show_place(report, chip + "ready", ready);
    show_place(report, core + "engine", engine);
    show_place(report, core + "work.entry", entry);
    show_place(report, core + "work.worked", worked);
    show_place(report, core + "work.command", command);
    show_idle(report, core + "work.bus", transfer);
    show_transition(report, core + "work.run", run);
    show_transition(report, core + "work.swap_out", swap_out);
    show_transition(report, core + "work.transfer", transfer);
    for (int u = 0; u < units; ++u) {
        show_place(report, numbered(core + "queue", u), queue[u]);
        show_transition(report, core + unit_names[u] + ".access", access[u]);
    }
    show_idle(report, core + "dram.channel", access[dram]);
    show_idle(report, core + "hash.unit_free", access[hash]);
    show_place(report, core + "sram.stage", sram_stage);
    show_place(report, core + "scratch.stage", scratch_stage);
    show_place(report, name + ".asked", asked);
    show_transition(report, name + ".allocation.allocate", allocate);
    show_place(report, name + ".finished", finished);
    show_place(report, out + "valid", valid);
    show_place(report, out + "leaving", leaving);
    report.place((out + "head").c_str(), -1, {now, now, 1, select.entered});
    show_idle(report, out + "interface", send);
    show_transition(report, out + "validate", validate);
    show_transition(report, out + "select", select);
    show_transition(report, out + "send", send);
    show_place(report, name + ".sending", sending);
    show_place(report, name + ".output_room", output_room);
    show_idle(report, name + ".output.wire", transmit);
    show_transition(report, name + ".output.transmit", transmit);
}

static Router routers[hops];
static Level emitting;
static bool emits = false;
static Packet emitted;
static struct { std::int32_t number, sent; } flow_states[flows];

// The line leaves the source when the one place before the router is free.
static void emit() {
    if (emits || routers[0].inlet.tokens) return;
    auto& flow = flow_states[chance.below(flows)];
    emitted = {flow.number, flow.sent, now + source_time};
    if (++flow.sent == flow_packets) flow = {flow.number + flows, 0};
    emits = true;
    ++firings;
    emitting.put();
    events.set(of_emit, now + source_time);
}

int main(int count, char** words) {
    const Arguments arguments(count, words);
    exponentials = new Exponentials(arguments.seed);
    chance.state = arguments.seed * 0x9e3779b97f4a7c15u;
    for (int hop = 0; hop < hops; ++hop) {
        routers[hop].first_leaf = hop * leaves_of_router;
        routers[hop].next = hop + 1 < hops ? &routers[hop + 1] : nullptr;
    }
    for (int flow = 0; flow < flows; ++flow) flow_states[flow] = {flow, 0};
    const Stopwatch stopwatch;
    emit();
    while (firings < arguments.firings) {
        now = events.earliest();
        const int leaf = Events::leaf(now);
        if (leaf == of_emit) {
            events.clear(of_emit);
            emitting.take();
            emits = false;
            routers[0].arrive(emitted);
            emit();
        } else {
            routers[leaf / leaves_of_router].happen(leaf % leaves_of_router);
        }
    }
    const double seconds = stopwatch.seconds(), wall = stopwatch.wall();
    Report report(firings, seconds, wall, now);
    report.value("packets", static_cast<double>(routers[hops - 1].packets));
    report.value("delay", routers[hops - 1].delay / static_cast<double>(std::max<std::int64_t>(routers[hops - 1].packets, 1)));
    if constexpr (!statistics) return 0;
    show_idle(report, "source.left", emitting);
    show_transition(report, "source.emit", emitting);
    report.place("source.flow", -1, {flows * now - emitting.area(), now, flows, emitting.entered - emitting.tokens});
    for (int hop = 0; hop < hops; ++hop) {
        show_place(report, hop == 0 ? "line_in" : numbered("link", hop), routers[hop].inlet);
        routers[hop].report(report, hops == 1 ? "router" : hop == 0 ? "first" : numbered("router", hop + 1));
    }
    show_place(report, hops == 1 ? "line_out" : numbered("link", hops), routers[hops - 1].outlet);
    show_transition(report, "sink.deliver", routers[hops - 1].delivered);
}
