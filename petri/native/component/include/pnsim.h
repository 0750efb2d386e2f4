/* A net in a program: load what `pnsim flat` has written, put tokens into ports in, let time go on, take what leaves.
 *
 * Times and values are in the net's own units, as in its text; a value of an enumeration is its number, counted from 0.
 * Nets, instances and snapshots are handles: numbers that are checked, so one that was freed is refused. Each call may
 * come from any thread; calls for one instance wait for one another. A call that fails changes nothing, returns a
 * negative code, and leaves a sentence for `pnsim_message` of the same thread. */
#ifndef PNSIM_H
#define PNSIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t pnsim; /* a net, or an instance of one; 0 is none */

enum {
    PNSIM_OK = 0,
    PNSIM_OUTPUT = 1,     /* advance: stopped at an output; take: there was a token */
    PNSIM_HANDLE = -1,    /* no such net or instance: it was freed, or is of the other kind */
    PNSIM_NET = -2,       /* the text is not a net that can be run */
    PNSIM_NAME = -3,      /* no such place, port or figure */
    PNSIM_PAST = -4,      /* the instant has passed */
    PNSIM_HORIZON = -5,   /* the instant is no time, or beyond the end of model time */
    PNSIM_TOKEN = -6,     /* the values are none of the port's type */
    PNSIM_MODEL = -7,     /* the model broke a rule, as a run would; the instance has stopped */
    PNSIM_ARGUMENT = -8,  /* a null pointer, or room for too few values */
};

/* Loads a net. It can be freed when instances have been made of it. */
int pnsim_load(const char *text, size_t length, pnsim *net);
/* Makes an instance at time 0, with the random numbers of a seed. */
int pnsim_new(pnsim net, uint64_t seed, pnsim *instance);
/* Frees a net, an instance or a snapshot. */
int pnsim_free(pnsim handle);
/* Finds a place by its name: its number, and how many values its tokens have. */
int pnsim_place(pnsim net_or_instance, const char *name, uint32_t *place, size_t *values);

/* Lets a token come into a port, now or later. */
int pnsim_put(pnsim instance, uint32_t port, double time, const double *values, size_t count);
/* Nothing happens before `time`, unless a token is put that comes earlier; infinity if nothing will. */
int pnsim_next(pnsim instance, double *time);
/* Does all that happens before `until`, and then it is `until`. With `stops`, ends at the instant of an output before
 * (PNSIM_OUTPUT); what is put then at this instant still comes at it. */
int pnsim_advance(pnsim instance, double until, int stops, double *reached);
/* Takes the first token that has left through a port (PNSIM_OUTPUT), if there is one. */
int pnsim_take(pnsim instance, uint32_t port, double *time, double *values, size_t room);

/* Copies an instance, to go on from, or to return to. */
int pnsim_snapshot(pnsim instance, pnsim *snapshot);
/* Lets an instance become as a snapshot is. */
int pnsim_restore(pnsim instance, pnsim snapshot);

/* How many tokens a place has, and the values of the first `room / values` of them. */
int pnsim_marking(pnsim instance, uint32_t place, double *values, size_t room, size_t *tokens);
/* A figure up to now: "now", "firings", or count, in_progress, active of a transition, as "count(serve)", or mean, max,
 * busy, arrivals of a place. */
int pnsim_figure(pnsim instance, const char *figure, double *value);
/* The trajectory hash (R4), which any steps of time, and both engines, have alike. */
int pnsim_hash(pnsim instance, uint64_t *hash);
/* Writes the sentence of the last error of this thread, ended by 0; returns its length. */
size_t pnsim_message(char *text, size_t room);

#ifdef __cplusplus
}
#endif
#endif
