/* Records what a program does, for Onca: states, links, events and variables of containers that come and go.
 *
 * Names are registered once and become numbers; calls that record take numbers, and store 24 bytes into a buffer of
 * the calling thread. Nothing is recorded while no trace is open, or where the environment says ONCA_TRACE=off.
 * Types, values and containers can be defined at any time and stay valid from one trace to the next.
 * Nothing may be recorded in a signal handler. The child of a fork records nothing until it opens a trace.
 */
#ifndef ONCA_TRACE_H
#define ONCA_TRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t onca_type;
typedef uint32_t onca_value;
typedef uint32_t onca_container;
typedef uint32_t onca_field;

/* The type of the root, and the root, in which all others lie. */
#define ONCA_ROOT ((onca_type)0)
#define ONCA_ROOT_CONTAINER ((onca_container)0)
/* A value without a colour of its own. Others are 0xrrggbb. */
#define ONCA_NO_COLOR ((uint32_t)0xffffffff)

/* What happens when the buffer of a thread is full. */
#define ONCA_BLOCK 0 /* the thread waits */
#define ONCA_DROP 1  /* the record is dropped, and counted in the trace */

typedef struct onca_trace_options {
    int overflow;         /* ONCA_BLOCK or ONCA_DROP */
    size_t capacity;      /* records that the buffer of a thread has room for; 0: 65536 */
    uint32_t interval_ms; /* how long a record waits at most to be written; 0: 100 ms */
    int leave_signals;    /* not 0: fatal signals are not caught, and what is in the buffers is lost with them */
} onca_trace_options;

/* Opens a trace. In the path, %p stands for the process id, %r for the rank, %h for the host; NULL is "trace-%p.onct".
 * The options may be NULL. 0 if it is open, or if the environment says ONCA_TRACE=off; else -1. */
int onca_trace_open(const char *path, const onca_trace_options *options);
/* Closes the trace; everything that was recorded is then in the file. Done by itself at exit. 0, or -1. */
int onca_trace_close(void);
/* Waits until everything that was recorded before is in the file. 0, or -1 after ten seconds. */
int onca_trace_flush(void);
int onca_trace_enabled(void);
/* Copies what went wrong last into a buffer; returns the length of the whole text. */
size_t onca_trace_error(char *buffer, size_t size);

/* Types belong to a container type; the same name gives the same type. 0 if there are too many. */
onca_type onca_container_type(onca_type parent, const char *name);
onca_type onca_state_type(onca_type parent, const char *name);
onca_type onca_event_type(onca_type parent, const char *name);
onca_type onca_variable_type(onca_type parent, const char *name);
onca_type onca_link_type(onca_type parent, const char *name, onca_type from, onca_type to);
/* The same where the ends are containers of the type that was last defined below the parent. */
onca_type onca_link_type_within(onca_type parent, const char *name);
/* A value that states, events or links of a type can have; the same name gives the same value. */
onca_value onca_value_of(onca_type type, const char *name, uint32_t color);

/* Each call creates a container of its own. */
onca_container onca_create(onca_type type, onca_container parent, const char *name);
/* The same for one that has been there since a time that onca_now has given. */
onca_container onca_create_at(onca_type type, onca_container parent, const char *name, uint64_t ticks);
/* Ends a container and all in it. */
void onca_destroy(onca_container container);

/* States: open one inside the open one, close the innermost, close all and open one, close all. */
void onca_push(onca_container container, onca_type type, onca_value value);
void onca_pop(onca_container container, onca_type type);
void onca_set(onca_container container, onca_type type, onca_value value);
void onca_reset(onca_container container, onca_type type);
void onca_event(onca_container container, onca_type type, onca_value value);
/* Variables. */
void onca_set_d(onca_container container, onca_type type, double value);
void onca_add_d(onca_container container, onca_type type, double value);
void onca_sub_d(onca_container container, onca_type type, double value);
/* The ends of a link: they pair when type, value and key agree, in whichever processes they are. */
void onca_link_start(onca_container container, onca_type type, onca_value value, uint64_t key, uint64_t bytes);
void onca_link_end(onca_container container, onca_type type, onca_value value, uint64_t key, uint64_t bytes);
/* An end of a link that belongs to a container (owner) in which both ends lie, without a size. */
void onca_link_in(int starts, onca_container owner, onca_container container, onca_type type, onca_value value,
                  uint64_t key, const char *comment);

/* The same with a comment, which may be NULL. Of long ones, 4096 bytes are kept. */
void onca_push_comment(onca_container container, onca_type type, onca_value value, const char *comment);
void onca_pop_comment(onca_container container, onca_type type, const char *comment);
void onca_set_comment(onca_container container, onca_type type, onca_value value, const char *comment);
void onca_reset_comment(onca_container container, onca_type type, const char *comment);
void onca_event_comment(onca_container container, onca_type type, onca_value value, const char *comment);
void onca_set_d_comment(onca_container container, onca_type type, double value, const char *comment);
void onca_add_d_comment(onca_container container, onca_type type, double value, const char *comment);
void onca_sub_d_comment(onca_container container, onca_type type, double value, const char *comment);

/* Fields of records: a number, a time of the clock of records, or a text in UTF-8. Of more than 16, 16 are kept. */
#define ONCA_INT 0
#define ONCA_DOUBLE 1
#define ONCA_TIME 2
#define ONCA_TEXT 3

typedef struct onca_attribute {
    onca_field field;
    int kind;
    union {
        int64_t i;
        double d;
        uint64_t ticks;
        const char *text;
    } value;
} onca_attribute;

onca_field onca_field_of(const char *name);
/* At a time that onca_now has given, or now if that is 0. */
void onca_push_with(onca_container container, onca_type type, onca_value value, uint64_t ticks,
                    const onca_attribute *attributes, size_t n);
void onca_event_with(onca_container container, onca_type type, onca_value value, const onca_attribute *attributes,
                     size_t n);
/* An end of a link, at a time or now. */
void onca_link_with(int starts, onca_container container, onca_type type, onca_value value, uint64_t key,
                    uint64_t bytes, uint64_t ticks, const onca_attribute *attributes, size_t n);

/* What the clock of records shows; the number means something to this process only. */
uint64_t onca_now(void);
/* For who starts parallel programs. A property of the process in the open trace: "rank", "run". */
void onca_property(const char *key, const char *value);
/* When the clock of this process showed one time, that of the process with some rank showed another, to within a
 * width. The reader then shows this process in the time of the other. */
void onca_clock_pair(uint32_t rank, uint64_t own, uint64_t other, uint64_t width);

#ifdef __cplusplus
}
#endif
#endif
