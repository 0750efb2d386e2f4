// Steps a net and a FIFO in RTL together, cycle by cycle. fifo NET.json CYCLES: prints when each byte leaves the FIFO.
#include "Vfifo.h"
#include "pnsim.h"
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>

static void must(int code) {
    char text[300];
    if (code == PNSIM_OK || code == PNSIM_OUTPUT) return;
    pnsim_message(text, sizeof text);
    std::printf("%s\n", text);
    std::exit(1);
}

int main(int, char **words) {
    std::string text;
    FILE *file = std::fopen(words[1], "rb");
    for (int c; file && (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
    pnsim net, ends;
    uint32_t sent, got;
    must(pnsim_load(text.data(), text.size(), &net));
    must(pnsim_new(net, 1, &ends));
    must(pnsim_place(net, "sent", &sent, nullptr));
    must(pnsim_place(net, "got", &got, nullptr));
    Vfifo fifo;
    auto clock = [&](int rst) {
        fifo.rst = rst;
        fifo.clk = 0;
        fifo.eval();
        fifo.clk = 1;
        fifo.eval();
    };
    clock(1);
    std::deque<int> waiting;
    for (int cycle = 0, end = std::atoi(words[2]); cycle < end; cycle++) {
        double time, value, token[4];
        size_t tokens;
        must(pnsim_advance(ends, cycle + 1, 0, nullptr));  // all that happens in this cycle has happened
        while (pnsim_take(ends, sent, &time, &value, 1) == PNSIM_OUTPUT) waiting.push_back(static_cast<int>(value));
        must(pnsim_marking(ends, got, token, 4, &tokens));
        fifo.in_valid = !waiting.empty();
        fifo.in = waiting.empty() ? 0 : waiting.front();
        fifo.out_ready = tokens == 0;
        fifo.rst = 0;
        fifo.eval();
        bool goes = fifo.in_valid && fifo.in_ready, comes = fifo.out_valid && fifo.out_ready;
        value = fifo.out;
        clock(0);
        if (goes) waiting.pop_front();
        if (comes) {
            must(pnsim_put(ends, got, cycle + 1, &value, 1));
            std::printf("%d %d\n", cycle, static_cast<int>(value));
        }
    }
    return 0;
}
