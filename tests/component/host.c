/* Runs a net in a program, in steps of time, with tokens of a file; then calls that must be refused; then speeds.
 * host NET.json STEP END: `time value` on each line of stdin goes into `a`; prints what leaves through `z`, and the hash. */
#define _POSIX_C_SOURCE 199309L
#include "pnsim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void must(int code, int wanted, const char *what) {
    if (code != wanted) {
        char text[300];
        pnsim_message(text, sizeof text);
        printf("%s: %d instead of %d: %s\n", what, code, wanted, text);
        exit(1);
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static pnsim load(const char *path) {
    FILE *file = fopen(path, "rb");
    static char text[1 << 22];
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    pnsim net = 0;
    if (file) fclose(file);
    must(pnsim_load(text, length, &net), PNSIM_OK, "load");
    return net;
}

static void drain(pnsim one, uint32_t z) {
    double time, value;
    while (pnsim_take(one, z, &time, &value, 1) == PNSIM_OUTPUT) printf("%.17g %.17g\n", time, value);
}

static void hostile(pnsim net, pnsim one, uint32_t a, uint32_t z, double now) {
    double value = 3, two[2] = {1, 2};
    pnsim other = 0, gone = 0;
    size_t tokens;
    char text[8];
    must(pnsim_put(one, a, now - 1, &value, 1), PNSIM_PAST, "a time that has passed");
    must(pnsim_put(one, a, NAN, &value, 1), PNSIM_HORIZON, "no time");
    must(pnsim_put(one, a, 1e300, &value, 1), PNSIM_HORIZON, "beyond the horizon");
    must(pnsim_put(one, a, now, two, 2), PNSIM_TOKEN, "too many values");
    must(pnsim_put(one, a, now, NULL, 1), PNSIM_ARGUMENT, "no values");
    value = 2.5;
    must(pnsim_put(one, a, now, &value, 1), PNSIM_TOKEN, "a fraction");
    value = 10;
    must(pnsim_put(one, a, now, &value, 1), PNSIM_TOKEN, "out of range");
    value = INFINITY;
    must(pnsim_put(one, a, now, &value, 1), PNSIM_TOKEN, "infinite");
    value = 3;
    must(pnsim_put(one, z, now, &value, 1), PNSIM_NAME, "put into a port out");
    must(pnsim_put(one, 12345, now, &value, 1), PNSIM_NAME, "no such place");
    must(pnsim_put(net, a, now, &value, 1), PNSIM_HANDLE, "a net is no instance");
    must(pnsim_advance(one, now - 1, 0, NULL), PNSIM_PAST, "time that goes back");
    must(pnsim_take(one, a, &value, two, 2), PNSIM_NAME, "take from a port in");
    must(pnsim_take(one, z, &value, two, 0), PNSIM_ARGUMENT, "no room");
    must(pnsim_marking(one, 12345, two, 2, &tokens), PNSIM_NAME, "no such place");
    must(pnsim_figure(one, "mean(", &value), PNSIM_NAME, "no figure");
    must(pnsim_figure(one, NULL, &value), PNSIM_ARGUMENT, "no name");
    must(pnsim_new(0, 1, &other), PNSIM_HANDLE, "no net");
    must(pnsim_new(one, 1, &other), PNSIM_HANDLE, "an instance is no net");
    must(pnsim_new(net, 1, &gone), PNSIM_OK, "new");
    must(pnsim_free(gone), PNSIM_OK, "free");
    must(pnsim_free(gone), PNSIM_HANDLE, "free twice");
    must(pnsim_next(gone, &value), PNSIM_HANDLE, "use after free");
    must(pnsim_restore(one, gone), PNSIM_HANDLE, "restore what is freed");
    must(pnsim_new(net, 1, &other), PNSIM_OK, "new");
    must(pnsim_next(gone, &value), PNSIM_HANDLE, "the row is used again, the handle is not");
    must(pnsim_free(other), PNSIM_OK, "free");
    must(pnsim_load("{", 1, &other), PNSIM_NET, "no net");
    must(pnsim_load("\xff", 1, &other), PNSIM_NET, "no text");
    must(pnsim_load(NULL, 1, &other), PNSIM_ARGUMENT, "nothing");
    must((int)(pnsim_message(text, sizeof text) > sizeof text && strlen(text) == sizeof text - 1), 1, "a short message");
}

static void speeds(const char *path, pnsim net, uint32_t a, uint32_t z) {
    enum { RUNS = 200, PUTS = 200000 };
    double began = seconds(), value = 1, time;
    pnsim one = 0, copy = 0;
    for (int i = 0; i < RUNS; i++) must(pnsim_free(load(path)), PNSIM_OK, "free");
    fprintf(stderr, "load %.1f us\n", 1e6 * (seconds() - began) / RUNS);
    began = seconds();
    for (int i = 0; i < RUNS; i++) {
        must(pnsim_new(net, 1, &one), PNSIM_OK, "new");
        must(pnsim_free(one), PNSIM_OK, "free");
    }
    fprintf(stderr, "new %.1f us\n", 1e6 * (seconds() - began) / RUNS);
    must(pnsim_new(net, 1, &one), PNSIM_OK, "new");
    for (int lap = 0; lap < 2; lap++) {
        began = seconds();
        for (int i = 0; i < PUTS; i++) {
            double at = 100.0 * (lap * PUTS + i);
            pnsim_put(one, a, at, &value, 1);
            pnsim_advance(one, at + 100, 0, NULL);
            pnsim_take(one, z, &time, &value, 1);
            value = 1;
        }
        fprintf(stderr, "put + advance + take %.3f us\n", 1e6 * (seconds() - began) / PUTS);
    }
    must(pnsim_snapshot(one, &copy), PNSIM_OK, "snapshot");
    began = seconds();
    for (int i = 0; i < RUNS; i++) must(pnsim_restore(copy, one), PNSIM_OK, "restore");
    fprintf(stderr, "snapshot into a copy %.1f us\n", 1e6 * (seconds() - began) / RUNS);
    began = seconds();
    for (int i = 0; i < RUNS; i++) {
        pnsim another = 0;
        must(pnsim_snapshot(one, &another), PNSIM_OK, "snapshot");
        must(pnsim_free(another), PNSIM_OK, "free");
    }
    fprintf(stderr, "new snapshot %.1f us\n", 1e6 * (seconds() - began) / RUNS);
}

int main(int count, char **words) {
    double step = atof(words[2]), end = atof(words[3]), now = 0, time, value, next;
    uint32_t a, z;
    size_t slots;
    uint64_t hash, again;
    pnsim net = load(words[1]), one = 0, kept = 0;
    must(pnsim_place(net, "a", &a, &slots), PNSIM_OK, "place");
    must(pnsim_place(net, "z", &z, NULL), PNSIM_OK, "place");
    must(pnsim_place(net, "nowhere", &z, NULL), PNSIM_NAME, "no place");
    must((int)slots, 1, "slots");
    must(pnsim_new(net, 1, &one), PNSIM_OK, "new");
    int more = scanf("%lf %lf", &time, &value) == 2;
    while (now < end) {
        double until = now + step < end ? now + step : end;
        while (more && time < until) {
            must(pnsim_put(one, a, time, &value, 1), PNSIM_OK, "put");
            more = scanf("%lf %lf", &time, &value) == 2;
        }
        must(pnsim_next(one, &next), PNSIM_OK, "next");
        must(next >= now, 1, "next");
        while (pnsim_advance(one, until, 1, &now) == PNSIM_OUTPUT) drain(one, z);
        drain(one, z);
        if (kept == 0) must(pnsim_snapshot(one, &kept), PNSIM_OK, "snapshot");
    }
    hostile(net, one, a, z, now);
    must(pnsim_hash(one, &hash), PNSIM_OK, "hash");
    must(pnsim_restore(one, kept), PNSIM_OK, "restore");
    must(pnsim_hash(one, &again), PNSIM_OK, "hash");
    must(step < end ? again != hash : again == hash, 1, "what a restored instance has");
    must(pnsim_figure(one, "now", &value), PNSIM_OK, "figure");
    printf("hash %llu\n", (unsigned long long)hash);
    if (count > 4) speeds(words[1], net, a, z);
    must(pnsim_free(net), PNSIM_OK, "free");
    must(pnsim_free(one), PNSIM_OK, "free");
    must(pnsim_free(kept), PNSIM_OK, "free");
    return 0;
}
