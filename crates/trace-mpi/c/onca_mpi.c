/* What libonca_mpi.so does around the calls of MPI. The functions that a program calls are generated from calls.txt, and
 * follow this text in the same file.
 *
 * Each call is a state of its process. A message is a link: both ends name it by its communicator, its ranks, its tag and its
 * number among the messages that have these in common, so that nobody has to ask anybody. Messages do not overtake each other, so
 * that receives are numbered in the order in which they were posted; one that takes a message from anybody is numbered
 * when it completes, and receives behind it that might have got the same message wait for their numbers until then.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <onca_trace.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Requests and statuses that fit on the stack. */
#define ROOM 32
/* How often the clock of rank 0 is asked for; the quickest answer counts. */
#define ROUNDS 20
#define LONGEST_NAME 96
/* The numbers of a status in Fortran. */
#define STATUS_SIZE (sizeof(MPI_Status) / sizeof(MPI_Fint))

/* Fortran's module mpi_f08 has functions of its own, which libraries name in their ways. A buffer may come as its descriptor,
 * which begins with the address. Statuses are those of C. */
#if defined(OPEN_MPI)
#define F08_WITH_BUFFERS(NAME) NAME##_f08_
#define F08_ADDRESS(BUFFER) (BUFFER)
#define F08_STATUS_IGNORE ((void *)MPI_F_STATUS_IGNORE)
#define F08_STATUSES_IGNORE ((void *)MPI_F_STATUSES_IGNORE)
#else
#define F08_WITH_BUFFERS(NAME) NAME##_f08ts_
#define F08_ADDRESS(BUFFER) (*(void *const *)(BUFFER))
#define F08_STATUS_IGNORE ((void *)MPI_F08_STATUS_IGNORE)
#define F08_STATUSES_IGNORE ((void *)MPI_F08_STATUSES_IGNORE)
#endif
#define F08(NAME) NAME##_f08_
#define TEXT(NAME) TEXT_OF(NAME)
#define TEXT_OF(NAME) #NAME

/* Is the program between MPI_Init and MPI_Finalize, with an open trace? */
static int is_recording;
static int has_threads;
static int world_rank;
static onca_type process_type, state_type, message_type;
static onca_field communicator_field, instance_field, root_field, bytes_field, tag_field, posted_field, target_field,
    calls_field;
static onca_container process;
static MPI_Comm clock_comm = MPI_COMM_NULL;
static int measures_clock;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Calls of MPI that a call of MPI makes are no calls of the program. */
static __thread int is_inside;
static __thread onca_container own_container;

static void lock(void) {
    if (has_threads) pthread_mutex_lock(&mutex);
}

static void unlock(void) {
    if (has_threads) pthread_mutex_unlock(&mutex);
}

static uint64_t mixed(uint64_t hash, uint64_t with) {
    hash = (hash ^ with) + 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
    return hash ^ hash >> 31;
}

static void *allocated(size_t n, size_t size) {
    void *memory = calloc(n ? n : 1, size);
    if (!memory) {
        fprintf(stderr, "onca: there is no memory left to record in\n");
        abort();
    }
    return memory;
}

/* Numbers by number. */
struct map {
    uint64_t *keys, *values;
    unsigned char *used;
    size_t n, capacity;
};

static size_t place_in(const struct map *map, uint64_t key) {
    size_t at = mixed(0, key) & (map->capacity - 1);
    while (map->used[at] && map->keys[at] != key) at = (at + 1) & (map->capacity - 1);
    return at;
}

static uint64_t *found(const struct map *map, uint64_t key) {
    if (!map->n) return NULL;
    size_t at = place_in(map, key);
    return map->used[at] ? &map->values[at] : NULL;
}

/* The number of a key, 0 at first. */
static uint64_t *entry(struct map *map, uint64_t key) {
    if (2 * (map->n + 1) > map->capacity) {
        struct map old = *map;
        map->capacity = old.capacity ? 2 * old.capacity : 16;
        map->keys = allocated(map->capacity, sizeof *map->keys);
        map->values = allocated(map->capacity, sizeof *map->values);
        map->used = allocated(map->capacity, 1);
        for (size_t i = 0; i < old.capacity; i++) {
            if (!old.used[i]) continue;
            size_t at = place_in(map, old.keys[i]);
            map->used[at] = 1;
            map->keys[at] = old.keys[i];
            map->values[at] = old.values[i];
        }
        free(old.keys), free(old.values), free(old.used);
    }
    size_t at = place_in(map, key);
    if (!map->used[at]) {
        map->used[at] = 1;
        map->keys[at] = key;
        map->values[at] = 0;
        map->n++;
    }
    return &map->values[at];
}

static void removed(struct map *map, uint64_t key) {
    if (!found(map, key)) return;
    size_t mask = map->capacity - 1, hole = place_in(map, key);
    for (size_t at = (hole + 1) & mask; map->used[at]; at = (at + 1) & mask) {
        size_t home = mixed(0, map->keys[at]) & mask;
        /* Whoever could have been put into the hole moves there. */
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            map->keys[hole] = map->keys[at];
            map->values[hole] = map->values[at];
            hole = at;
        }
    }
    map->used[hole] = 0;
    map->n--;
}

static void emptied(struct map *map) {
    free(map->keys), free(map->values), free(map->used);
    memset(map, 0, sizeof *map);
}

/* Handles are numbers in some libraries and pointers in others. */
#define KEY_OF(handle) key_of(&(handle), sizeof(handle))

static uint64_t key_of(const void *handle, size_t size) {
    uint64_t key = 0;
    memcpy(&key, handle, size < sizeof key ? size : sizeof key);
    return key;
}

struct receive;

/* A communicator, with a name on which its members agree without talking: that of the one it was made from, how many were
 * made of that before, and the smallest member. */
struct comm {
    uint64_t id;
    char name[LONGEST_NAME];
    onca_value value;
    int rank, size, is_inter, side;
    /* The places of members in the order of their ranks in MPI_COMM_WORLD; NULL if it is the same. */
    int *places;
    uint64_t n_made, n_operations, n_windows;
    struct map sent, received, made_of_groups;
    /* Receives that have no number yet, in the order of their posting. */
    struct receive *first, *last;
    size_t n_users;
    int is_freed;
};

/* A receive from when it is posted until its link has an end. */
struct receive {
    struct comm *comm;
    int source, tag;
    int is_known, is_numbered, is_complete;
    uint64_t number, posted, ended, bytes;
    onca_container container;
    struct receive *next;
};

/* What is known of a request: a receive under way, and what a persistent one does each time. */
struct request {
    struct receive *receive;
    int is_persistent, sends;
    MPI_Comm comm;
    int peer, tag, count;
    MPI_Datatype datatype;
};

/* A request that a call is given. What is known of it is looked up before the call: after it, another thread may already have got the
 * same handle for a request of its own. */
struct held {
    MPI_Request handle;
    struct request *known;
};

static struct map comms, requests, messages, windows, intercomms;
/* Receives that ended: the next that is posted takes one of them. */
static struct receive *spare;
static uint64_t n_unknown;
static __thread struct receive *asked_last;

/* Who records here: each thread has a container, because its states nest on their own. */
static onca_container container(void) {
    if (!own_container) {
        static int n_threads;
        char name[64];
        snprintf(name, sizeof name, "rank %d thread %d", world_rank, __sync_add_and_fetch(&n_threads, 1));
        own_container = onca_create(process_type, ONCA_ROOT_CONTAINER, name);
    }
    return own_container;
}

static onca_attribute number_of(onca_field field, int64_t number) {
    onca_attribute attribute = {.field = field, .kind = ONCA_INT, .value = {.i = number}};
    return attribute;
}

static onca_attribute text_of(onca_field field, const char *text) {
    onca_attribute attribute = {.field = field, .kind = ONCA_TEXT, .value = {.text = text}};
    return attribute;
}

/* Is this a call of the program that is to be recorded? Whoever gets yes leaves. */
static inline int enters(void) {
    if (is_inside || !is_recording) return 0;
    is_inside = 1;
    return 1;
}

static inline void leave(void) {
    onca_pop(container(), state_type);
    is_inside = 0;
}

static onca_value value_of(int call);

static inline void plain(int call) {
    onca_push(container(), state_type, value_of(call));
}

/* --- Sizes --- */

/* What stands for "the same buffer" in Fortran; which of them there is depends on the library. */
extern int mpi_fortran_in_place_ __attribute__((weak));
extern void *MPIR_F_MPI_IN_PLACE __attribute__((weak));
extern int MPIR_F08_MPI_IN_PLACE __attribute__((weak));

static int in_place(const void *buffer) {
    if (buffer == MPI_IN_PLACE) return 1;
    if (&mpi_fortran_in_place_ && buffer == (const void *)&mpi_fortran_in_place_) return 1;
    if (&MPIR_F08_MPI_IN_PLACE && buffer == (const void *)&MPIR_F08_MPI_IN_PLACE) return 1;
    return &MPIR_F_MPI_IN_PLACE && MPIR_F_MPI_IN_PLACE && buffer == MPIR_F_MPI_IN_PLACE;
}

static int64_t size_of(int64_t count, MPI_Datatype datatype) {
    int size = 0;
    if (count <= 0 || datatype == MPI_DATATYPE_NULL) return 0;
    PMPI_Type_size(datatype, &size);
    return size > 0 ? count * size : 0;
}

/* Where the first buffer is that of the other side, only the other side counts. */
static int64_t size_unless(const void *buffer, int count, MPI_Datatype datatype, int other_count, MPI_Datatype other) {
    return in_place(buffer) ? size_of(other_count, other) : size_of(count, datatype);
}

static int peers_of(MPI_Comm comm) {
    int n = 0, is_inter = 0;
    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter) PMPI_Comm_remote_size(comm, &n);
    else PMPI_Comm_size(comm, &n);
    return n;
}

static int64_t size_of_all(MPI_Comm comm, int64_t each) {
    return each * peers_of(comm);
}

static int64_t size_of_counts(MPI_Comm comm, const int *counts, MPI_Datatype datatype) {
    int64_t n = 0;
    for (int i = 0, end = peers_of(comm); i < end; i++) n += counts[i];
    return size_of(n, datatype);
}

/* --- Communicators --- */

/* The ranks of a group in MPI_COMM_WORLD; those that are not in it are negative. */
static int *world_ranks(MPI_Group group, int n) {
    MPI_Group world;
    int *own = allocated(n, sizeof *own), *ranks = allocated(n, sizeof *ranks);
    for (int i = 0; i < n; i++) own[i] = i;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    if (n > 0) PMPI_Group_translate_ranks(group, n, own, world, ranks);
    PMPI_Group_free(&world);
    free(own);
    return ranks;
}

static int smallest(const int *ranks, int n) {
    int least = n > 0 ? ranks[0] : 0;
    for (int i = 1; i < n; i++) {
        if (ranks[i] < least) least = ranks[i];
    }
    return least;
}

static const int *compared_ranks;

static int by_rank(const void *one, const void *other) {
    int a = compared_ranks[*(const int *)one], b = compared_ranks[*(const int *)other];
    return (a > b) - (a < b);
}

/* The place of each member in the order of ranks; NULL if they stand in it. */
static int *places_of(const int *ranks, int n) {
    int in_order = 1;
    for (int i = 1; i < n; i++) in_order &= ranks[i - 1] < ranks[i];
    if (in_order) return NULL;
    int *order = allocated(n, sizeof *order), *places = allocated(n, sizeof *places);
    for (int i = 0; i < n; i++) order[i] = i;
    compared_ranks = ranks;
    qsort(order, n, sizeof *order, by_rank);
    for (int i = 0; i < n; i++) places[order[i]] = i;
    free(order);
    return places;
}

/* The smallest members of a communicator here and on the other side, and its group as a number. */
struct members {
    int least, least_there;
    uint64_t hash;
    int *places;
};

static struct members members_of(MPI_Comm comm, int is_inter) {
    struct members members = {0, 0, 0, NULL};
    for (int there = 0; there <= is_inter; there++) {
        MPI_Group group;
        int n;
        if (there) PMPI_Comm_remote_group(comm, &group);
        else PMPI_Comm_group(comm, &group);
        PMPI_Group_size(group, &n);
        int *ranks = world_ranks(group, n);
        if (there) {
            members.least_there = smallest(ranks, n);
        } else {
            members.least = smallest(ranks, n);
            members.places = places_of(ranks, n);
            for (int i = 0; i < n; i++) members.hash = mixed(members.hash, (uint64_t)ranks[i]);
        }
        free(ranks);
        PMPI_Group_free(&group);
    }
    return members;
}

static struct comm *named(MPI_Comm handle, MPI_Comm like, const char *name, int is_inter, int side, int *places) {
    struct comm *comm = allocated(1, sizeof *comm);
    uint64_t id = 0;
    for (const char *c = name; *c; c++) id = mixed(id, (unsigned char)*c);
    comm->id = id;
    /* Long lines of descent are told by a number. */
    if (strlen(name) < LONGEST_NAME) strcpy(comm->name, name);
    else snprintf(comm->name, LONGEST_NAME, "communicator %016llx", (unsigned long long)id);
    comm->is_inter = is_inter;
    comm->side = side;
    comm->places = places;
    PMPI_Comm_rank(like, &comm->rank);
    PMPI_Comm_size(like, &comm->size);
    *entry(&comms, KEY_OF(handle)) = (uint64_t)(uintptr_t)comm;
    return comm;
}

static struct comm *comm_of(MPI_Comm handle) {
    static __thread MPI_Comm last_handle;
    static __thread struct comm *last;
    if (last && last_handle == handle && !last->is_freed) return last;
    uint64_t *known = found(&comms, KEY_OF(handle));
    struct comm *comm;
    if (known) {
        comm = (struct comm *)(uintptr_t)*known;
    } else {
        /* It was made by a call that is not recorded: nobody else gives it this name, and its messages have one end. */
        char name[64];
        int is_inter = 0;
        PMPI_Comm_test_inter(handle, &is_inter);
        snprintf(name, sizeof name, "communicator %llu of rank %d", (unsigned long long)n_unknown++, world_rank);
        comm = named(handle, handle, name, is_inter, 0, NULL);
    }
    last_handle = handle;
    last = comm;
    return comm;
}

static void unused(struct comm *comm) {
    if (!comm->is_freed || comm->n_users > 0) return;
    emptied(&comm->sent), emptied(&comm->received), emptied(&comm->made_of_groups);
    free(comm->places);
    comm->places = NULL;
    /* The rest stays: threads remember the communicator that they used last. */
}

/* A communicator was made of another. What it is like can be asked, which it may not be yet itself. */
static void made_as(MPI_Comm from, MPI_Comm handle, MPI_Comm like) {
    char name[LONGEST_NAME + 64];
    lock();
    struct comm *parent = comm_of(from);
    unsigned long long number = parent->n_made++;
    if (handle != MPI_COMM_NULL) {
        int is_inter = 0;
        PMPI_Comm_test_inter(like, &is_inter);
        struct members members = members_of(like, is_inter);
        int is_there = is_inter && members.least_there < members.least;
        int least = is_there ? members.least_there : members.least;
        snprintf(name, sizeof name, "%s.%llu@%d", parent->name, number, least);
        named(handle, like, name, is_inter, is_there, members.places);
    }
    unlock();
}

static void made(MPI_Comm from, MPI_Comm handle) {
    made_as(from, handle, handle);
}

/* The copy is not there yet, but will have the same members. */
static void made_like(MPI_Comm from, MPI_Comm handle) {
    made_as(from, handle, from);
}

/* Others of the communicator do not know that this one is made: members count by themselves. */
static void made_of_group(MPI_Comm from, int tag, MPI_Comm handle) {
    char name[LONGEST_NAME + 64];
    if (handle == MPI_COMM_NULL) return;
    lock();
    struct comm *parent = comm_of(from);
    struct members members = members_of(handle, 0);
    uint64_t group = mixed(members.hash, (uint64_t)tag);
    unsigned long long number = (*entry(&parent->made_of_groups, group))++;
    snprintf(name, sizeof name, "%s.g%016llx.%llu@%d", parent->name, (unsigned long long)group, number, members.least);
    named(handle, handle, name, 0, 0, members.places);
    unlock();
}

static void made_between(int tag, MPI_Comm handle) {
    char name[LONGEST_NAME];
    if (handle == MPI_COMM_NULL) return;
    lock();
    struct members members = members_of(handle, 1);
    int side = members.least > members.least_there;
    int low = side ? members.least_there : members.least, high = side ? members.least : members.least_there;
    uint64_t pair = mixed(mixed(mixed(0, (uint64_t)tag), (uint64_t)low), (uint64_t)high);
    unsigned long long number = (*entry(&intercomms, pair))++;
    snprintf(name, sizeof name, "between %d and %d, tag %d.%llu", low, high, tag, number);
    named(handle, handle, name, 1, side, members.places);
    unlock();
}

static void forget(MPI_Comm handle) {
    lock();
    struct comm *comm = comm_of(handle);
    removed(&comms, KEY_OF(handle));
    comm->is_freed = 1;
    unused(comm);
    unlock();
}

/* --- Messages --- */

static uint64_t message_key(const struct comm *comm, int side, int from, int to, int tag, uint64_t number) {
    uint64_t ranks = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
    return mixed(mixed(mixed(mixed(comm->id, (uint64_t)side), ranks), (uint64_t)(uint32_t)tag), number);
}

/* Communicators without messages are no values of messages. */
static onca_value value_of_messages(struct comm *comm) {
    if (!comm->value) comm->value = onca_value_of(message_type, comm->name, ONCA_NO_COLOR);
    return comm->value;
}

static uint64_t channel(int peer, int tag) {
    return (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag;
}

static void sent(MPI_Comm handle, int to, int tag, int count, MPI_Datatype datatype) {
    if (to == MPI_PROC_NULL) return;
    int64_t bytes = size_of(count, datatype);
    onca_attribute attribute = number_of(tag_field, tag);
    lock();
    struct comm *comm = comm_of(handle);
    uint64_t number = (*entry(&comm->sent, channel(to, tag)))++;
    uint64_t key = message_key(comm, comm->is_inter ? comm->side : 0, comm->rank, to, tag, number);
    onca_link_with(1, container(), message_type, value_of_messages(comm), key, (uint64_t)bytes, 0, &attribute, 1);
    unlock();
}

/* Does a receive come after one that may get its message first? */
static int is_behind(const struct receive *receive) {
    for (const struct receive *before = receive->comm->first; before && before != receive; before = before->next) {
        int may_be = (before->source == MPI_ANY_SOURCE || before->source == receive->source) &&
                     (before->tag == MPI_ANY_TAG || before->tag == receive->tag);
        if (may_be) return 1;
    }
    return 0;
}

static void numbered(struct receive *receive) {
    receive->number = (*entry(&receive->comm->received, channel(receive->source, receive->tag)))++;
    receive->is_numbered = 1;
}

static void done_with(struct receive *receive) {
    struct comm *comm = receive->comm;
    comm->n_users--;
    unused(comm);
    receive->next = spare;
    spare = receive;
}

/* The link of a message ends. */
static void ended(struct receive *receive) {
    struct comm *comm = receive->comm;
    int side = comm->is_inter ? !comm->side : 0;
    uint64_t key = message_key(comm, side, receive->source, comm->rank, receive->tag, receive->number);
    onca_attribute posted = {.field = posted_field, .kind = ONCA_TIME, .value = {.ticks = receive->posted}};
    onca_link_with(0, receive->container, message_type, value_of_messages(comm), key, receive->bytes, receive->ended,
                   &posted, receive->posted != 0);
    done_with(receive);
}

/* Numbers receives that waited for others. At the end nobody is waited for. */
static void swept(struct comm *comm, int at_end) {
    struct receive **place = &comm->first, *last = NULL;
    while (*place) {
        struct receive *receive = *place;
        if (!receive->is_known || (!at_end && is_behind(receive))) {
            last = receive;
            place = &receive->next;
            continue;
        }
        *place = receive->next;
        numbered(receive);
        if (receive->is_complete) ended(receive);
    }
    comm->last = last;
}

/* A receive is posted, at a time if the call does not wait for it. */
static void asked(MPI_Comm handle, int source, int tag, uint64_t posted) {
    asked_last = NULL;
    if (source == MPI_PROC_NULL) return;
    lock();
    struct receive *receive = spare;
    if (receive) spare = receive->next;
    else receive = allocated(1, sizeof *receive);
    struct comm *comm = comm_of(handle);
    *receive = (struct receive){.comm = comm, .source = source, .tag = tag, .posted = posted};
    receive->container = container();
    receive->is_known = source != MPI_ANY_SOURCE && tag != MPI_ANY_TAG;
    comm->n_users++;
    if (receive->is_known && !is_behind(receive)) {
        numbered(receive);
    } else {
        if (comm->last) comm->last->next = receive;
        else comm->first = receive;
        comm->last = receive;
    }
    unlock();
    asked_last = receive;
}

static void given_up(struct receive *receive) {
    struct comm *comm = receive->comm;
    if (receive->is_numbered) {
        /* The number goes to the next, if that has none yet. */
        uint64_t *next = entry(&comm->received, channel(receive->source, receive->tag));
        if (*next == receive->number + 1) --*next;
    } else {
        struct receive **place = &comm->first, *last = NULL;
        while (*place != receive) {
            last = *place;
            place = &(*place)->next;
        }
        *place = receive->next;
        if (comm->last == receive) comm->last = last;
        swept(comm, 0);
    }
    done_with(receive);
}

/* A receive is complete; its status tells whose message it got. */
static void complete(struct receive *receive, const MPI_Status *status) {
    MPI_Status copy = *status;
    int is_cancelled = 0, count = 0;
    /* A receive that is waited for at once cannot be cancelled. */
    if (receive->posted) PMPI_Test_cancelled(&copy, &is_cancelled);
    if (is_cancelled) {
        given_up(receive);
        return;
    }
    PMPI_Get_count(&copy, MPI_BYTE, &count);
    MPI_Count bytes = count;
    /* More than a number of C holds. */
    if (count == MPI_UNDEFINED) PMPI_Get_elements_x(&copy, MPI_BYTE, &bytes);
    if (!receive->is_known) {
        receive->source = copy.MPI_SOURCE;
        receive->tag = copy.MPI_TAG;
        receive->is_known = 1;
    }
    receive->bytes = bytes > 0 ? (uint64_t)bytes : 0;
    receive->ended = onca_now();
    /* Whoever waits may be another thread than whoever asked. */
    receive->container = container();
    receive->is_complete = 1;
    if (receive->is_numbered) ended(receive);
    else swept(receive->comm, 0);
}

static void arrived(const MPI_Status *status) {
    struct receive *receive = asked_last;
    asked_last = NULL;
    if (!receive) return;
    lock();
    complete(receive, status);
    unlock();
}

/* --- Requests --- */

static struct request *request_of(MPI_Request handle) {
    uint64_t *known = handle == MPI_REQUEST_NULL ? NULL : found(&requests, KEY_OF(handle));
    return known ? (struct request *)(uintptr_t)*known : NULL;
}

static struct request *new_request(MPI_Request handle) {
    /* Whoever completes a request that had this handle knows it without the table. */
    struct request *request = allocated(1, sizeof *request);
    *entry(&requests, KEY_OF(handle)) = (uint64_t)(uintptr_t)request;
    return request;
}

static void asked_by(MPI_Request handle) {
    if (!asked_last) return;
    lock();
    new_request(handle)->receive = asked_last;
    unlock();
    asked_last = NULL;
}

static void prepared(int sends, MPI_Request handle, MPI_Comm comm, int peer, int tag, int count, MPI_Datatype datatype) {
    lock();
    struct request *request = new_request(handle);
    *request = (struct request){.is_persistent = 1, .sends = sends, .comm = comm, .peer = peer, .tag = tag};
    request->count = count;
    request->datatype = datatype;
    unlock();
}

static void started(int n, struct held *held) {
    for (int i = 0; i < n; i++) {
        struct request *request = held[i].known;
        if (!request || !request->is_persistent) continue;
        if (request->sends) {
            sent(request->comm, request->peer, request->tag, request->count, request->datatype);
            continue;
        }
        asked(request->comm, request->peer, request->tag, onca_now());
        request->receive = asked_last;
        asked_last = NULL;
    }
}

/* A request is none any more. */
static void forgotten(struct held *held) {
    uint64_t *now = found(&requests, KEY_OF(held->handle));
    if (now && *now == (uint64_t)(uintptr_t)held->known) removed(&requests, KEY_OF(held->handle));
    free(held->known);
    held->known = NULL;
}

/* Of the requests that a call was given, these are complete: all in order, or those that the indices name. */
static void done(struct held *held, int n, const int *indices, int base, const MPI_Status *statuses) {
    lock();
    for (int i = 0; i < n; i++) {
        struct held *one = &held[indices ? indices[i] - base : i];
        if (!one->known) continue;
        struct receive *receive = one->known->receive;
        one->known->receive = NULL;
        if (!one->known->is_persistent) forgotten(one);
        if (receive) complete(receive, &statuses[i]);
    }
    unlock();
}

/* What the first index is called in the module mpi_f08: 1, but 0 in MPICH 4.0, which is a fault of it. A request that is complete
 * is none any more, which tells. */
static int f08_base(int n, const MPI_Fint *now, const struct held *held, const MPI_Fint *index) {
    int is_first = *index >= 1 && *index <= n && held[*index - 1].handle != MPI_REQUEST_NULL &&
                   MPI_Request_f2c(now[*index - 1]) == MPI_REQUEST_NULL;
    int is_next = *index >= 0 && *index < n && held[*index].handle != MPI_REQUEST_NULL &&
                  MPI_Request_f2c(now[*index]) == MPI_REQUEST_NULL;
    return *index < 1 || (is_next && !is_first) ? 0 : 1;
}

/* Nobody will be told when it completes: what it receives has no end. */
static void freed(struct held *held) {
    lock();
    if (held->known) forgotten(held);
    unlock();
}

/* --- Messages that were matched before they are received --- */

static void matched(MPI_Message handle, const MPI_Status *status) {
    struct receive *receive = asked_last;
    asked_last = NULL;
    if (!receive || handle == MPI_MESSAGE_NULL || handle == MPI_MESSAGE_NO_PROC) return;
    lock();
    receive->source = status->MPI_SOURCE;
    receive->tag = status->MPI_TAG;
    receive->is_known = 1;
    swept(receive->comm, 0);
    *entry(&messages, KEY_OF(handle)) = (uint64_t)(uintptr_t)receive;
    unlock();
}

/* The receive of a message that is about to be taken. */
static struct receive *held_message(MPI_Message handle) {
    lock();
    uint64_t *known = found(&messages, KEY_OF(handle));
    struct receive *receive = known ? (struct receive *)(uintptr_t)*known : NULL;
    if (known) removed(&messages, KEY_OF(handle));
    unlock();
    return receive;
}

static void taken(struct receive *receive, const MPI_Status *status) {
    if (!receive) return;
    lock();
    complete(receive, status);
    unlock();
}

static void taken_by(struct receive *receive, MPI_Request request) {
    if (!receive) return;
    lock();
    receive->posted = onca_now();
    new_request(request)->receive = receive;
    unlock();
}

/* --- Collective and one-sided operations --- */

static void numbered_state(int call, const char *name, uint64_t instance, int root, int64_t bytes) {
    onca_attribute attributes[4];
    size_t n = 0;
    attributes[n++] = text_of(communicator_field, name);
    attributes[n++] = number_of(instance_field, (int64_t)instance);
    if (root >= 0) attributes[n++] = number_of(root_field, root);
    if (bytes >= 0) attributes[n++] = number_of(bytes_field, bytes);
    onca_push_with(container(), state_type, value_of(call), 0, attributes, n);
}

static void collective(int call, MPI_Comm handle, int root, int64_t bytes) {
    lock();
    struct comm *comm = comm_of(handle);
    if (root >= 0 && root < comm->size && comm->places && !comm->is_inter) root = comm->places[root];
    if (comm->is_inter) root = -1;
    numbered_state(call, comm->name, comm->n_operations++, root, bytes);
    unlock();
}

struct window {
    char name[LONGEST_NAME + 32];
    uint64_t n_operations;
};

static void opened(MPI_Comm from, MPI_Win handle) {
    struct window *window = allocated(1, sizeof *window);
    lock();
    struct comm *comm = comm_of(from);
    unsigned long long number = comm->n_windows++;
    snprintf(window->name, sizeof window->name, "%s, window %llu", comm->name, number);
    *entry(&windows, KEY_OF(handle)) = (uint64_t)(uintptr_t)window;
    unlock();
}

static void at_window(int call, MPI_Win handle) {
    lock();
    uint64_t *known = found(&windows, KEY_OF(handle));
    if (known) {
        struct window *window = (struct window *)(uintptr_t)*known;
        numbered_state(call, window->name, window->n_operations++, -1, -1);
    } else {
        plain(call);
    }
    unlock();
}

static void closed(MPI_Win handle) {
    lock();
    uint64_t *known = found(&windows, KEY_OF(handle));
    if (known) {
        free((void *)(uintptr_t)*known);
        removed(&windows, KEY_OF(handle));
    }
    unlock();
}

static void transfer(int call, int target, int64_t bytes) {
    onca_attribute attributes[2] = {number_of(target_field, target), number_of(bytes_field, bytes)};
    onca_push_with(container(), state_type, value_of(call), 0, attributes, 2);
}

/* --- What a call was given --- */

static struct held *looked_up(int n, struct held *held) {
    lock();
    for (int i = 0; i < n; i++) held[i].known = request_of(held[i].handle);
    unlock();
    return held;
}

static struct held *held_requests(int n, const MPI_Request *given, struct held *room) {
    struct held *held = n > ROOM ? allocated(n, sizeof *held) : room;
    for (int i = 0; i < n; i++) held[i].handle = given[i];
    return looked_up(n, held);
}

static struct held *held_fortran_requests(int n, const MPI_Fint *given, struct held *room) {
    struct held *held = n > ROOM ? allocated(n, sizeof *held) : room;
    for (int i = 0; i < n; i++) held[i].handle = MPI_Request_f2c(given[i]);
    return looked_up(n, held);
}

static MPI_Status *room_for_statuses(int n, MPI_Status *room) {
    return n > ROOM ? allocated(n, sizeof *room) : room;
}

static MPI_Fint *room_for_fortran_statuses(int n, MPI_Fint *room) {
    return n > ROOM ? allocated(n, STATUS_SIZE * sizeof *room) : room;
}

static MPI_Status *statuses_of_fortran(int n, MPI_Fint *given, MPI_Status *room) {
    for (int i = 0; i < n; i++) MPI_Status_f2c(given + i * STATUS_SIZE, &room[i]);
    return room;
}

static void given_back(void *memory, const void *room) {
    if (memory != room) free(memory);
}

/* --- Clocks --- */

/* What tells whether two processes read the same clock: the machine, since it was started. */
static void read_machine(char machine[64]) {
    memset(machine, 0, 64);
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!file || !fgets(machine, 64, file)) gethostname(machine, 63);
    if (file) fclose(file);
}

/* Compares the clock with that of rank 0. */
static void compare_clocks(int is_first) {
    const char *wanted = getenv("ONCA_MPI_CLOCKS");
    int size;
    PMPI_Comm_size(clock_comm, &size);
    if (is_first) {
        char machine[64], first[64];
        read_machine(machine);
        memcpy(first, machine, sizeof first);
        PMPI_Bcast(first, sizeof first, MPI_CHAR, 0, clock_comm);
        measures_clock = memcmp(first, machine, sizeof first) != 0;
        if (wanted && strcmp(wanted, "measure") == 0) measures_clock = world_rank != 0;
        if (!measures_clock && world_rank != 0) {
            uint64_t now = onca_now();
            onca_clock_pair(0, now, now, 0);
        }
    }
    int *measures = world_rank == 0 ? allocated(size, sizeof *measures) : NULL;
    PMPI_Gather(&measures_clock, 1, MPI_INT, measures, 1, MPI_INT, 0, clock_comm);
    if (world_rank == 0) {
        for (int rank = 1; rank < size; rank++) {
            for (int i = 0; measures[rank] && i < ROUNDS; i++) {
                uint64_t now;
                PMPI_Recv(&now, 1, MPI_UINT64_T, rank, 0, clock_comm, MPI_STATUS_IGNORE);
                now = onca_now();
                PMPI_Send(&now, 1, MPI_UINT64_T, rank, 0, clock_comm);
            }
        }
        free(measures);
    } else if (measures_clock) {
        uint64_t own = 0, other = 0, width = UINT64_MAX;
        for (int i = 0; i < ROUNDS; i++) {
            uint64_t before = onca_now(), there = before;
            PMPI_Send(&before, 1, MPI_UINT64_T, 0, 0, clock_comm);
            PMPI_Recv(&there, 1, MPI_UINT64_T, 0, 0, clock_comm, MPI_STATUS_IGNORE);
            uint64_t after = onca_now();
            if (after - before < width) {
                width = after - before;
                own = before + width / 2;
                other = there;
            }
        }
        onca_clock_pair(0, own, other, width ? width : 1);
    }
}

/* --- The beginning and the end --- */

/* Was this text compiled for the library that the program uses? Handles of another mean something else. */
static int is_our_library(void) {
    static char version[1 << 15];
    int length = 0;
    PMPI_Get_library_version(version, &length);
#if defined(OPEN_MPI)
    const char *own = "Open MPI";
#elif defined(MPICH_VERSION) || defined(MVAPICH2_VERSION) || defined(I_MPI_VERSION)
    const char *own = NULL;
    if (strstr(version, "Open MPI")) own = "MPICH";
#else
    const char *own = NULL;
#endif
    if (!own || strstr(version, own)) return 1;
    version[strcspn(version, "\n,")] = 0;
    fprintf(stderr, "onca: the program uses %s, and the wrapper was built for %s: MPI is not recorded; name the right "
                    "compiler with --mpicc\n", version, own);
    return 0;
}

/* Opens the trace before the library begins, so that its beginning is in it. */
static int opens(uint64_t *begin) {
    is_inside = 1;
    if (!is_our_library()) return 0;
    if (onca_trace_open("process-%r-%p.onct", NULL) != 0) {
        char message[500];
        onca_trace_error(message, sizeof message);
        fprintf(stderr, "onca: MPI is not recorded: %s\n", message);
        return 0;
    }
    *begin = onca_now();
    return onca_trace_enabled();
}

static void begin_with(int call, uint64_t begin) {
    char name[64];
    int provided = MPI_THREAD_SINGLE;
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    PMPI_Query_thread(&provided);
    has_threads = provided == MPI_THREAD_MULTIPLE;
    process_type = onca_container_type(ONCA_ROOT, "Process");
    state_type = onca_state_type(process_type, "MPI");
    message_type = onca_link_type(ONCA_ROOT, "Message", process_type, process_type);
    communicator_field = onca_field_of("communicator");
    instance_field = onca_field_of("instance");
    root_field = onca_field_of("root");
    bytes_field = onca_field_of("bytes");
    tag_field = onca_field_of("tag");
    posted_field = onca_field_of("posted");
    target_field = onca_field_of("target");
    calls_field = onca_field_of("calls");
    snprintf(name, sizeof name, "%d", world_rank);
    onca_property("rank", name);
    snprintf(name, sizeof name, "rank %d", world_rank);
    process = onca_create_at(process_type, ONCA_ROOT_CONTAINER, name, begin);
    own_container = process;
    onca_push_with(process, state_type, value_of(call), begin, NULL, 0);
    named(MPI_COMM_WORLD, MPI_COMM_WORLD, "MPI_COMM_WORLD", 0, 0, NULL);
    snprintf(name, sizeof name, "MPI_COMM_SELF of rank %d", world_rank);
    named(MPI_COMM_SELF, MPI_COMM_SELF, name, 0, 0, NULL);
    PMPI_Comm_dup(MPI_COMM_WORLD, &clock_comm);
    compare_clocks(1);
    is_recording = 1;
    onca_pop(process, state_type);
}

static uint64_t *counts_of(int number, const char **name);

/* Tells of calls that were made and not recorded. */
static void tell_counted(void) {
    onca_type type = onca_event_type(process_type, "Call without a state");
    const char *name = NULL;
    uint64_t *count;
    for (int i = 0; (count = counts_of(i, &name)); i++) {
        if (!*count) continue;
        onca_attribute attribute = number_of(calls_field, (int64_t)*count);
        onca_event_with(container(), type, onca_value_of(type, name, ONCA_NO_COLOR), &attribute, 1);
    }
}

static void finalizing(void) {
    for (size_t i = 0; i < comms.capacity; i++) {
        if (comms.used[i]) swept((struct comm *)(uintptr_t)comms.values[i], 1);
    }
    tell_counted();
    compare_clocks(0);
    PMPI_Comm_free(&clock_comm);
}

static void finalized(void) {
    is_recording = 0;
}

/* The program may end in any way after this. */
static void aborting(void) {
    onca_trace_close();
}

/* What the program would have called. Not every library has a second name for it. */
static void (*next_function(const char *name))(void) {
    void *found = dlsym(RTLD_NEXT, name);
    void (*function)(void) = NULL;
    if (!found) {
        fprintf(stderr, "onca: the MPI of the program has no %s\n", name);
        abort();
    }
    memcpy(&function, &found, sizeof function);
    return function;
}

int MPI_Init(int *argc, char ***argv) {
    uint64_t begin = 0;
    int records = opens(&begin), rc = PMPI_Init(argc, argv);
    if (records && rc == MPI_SUCCESS) begin_with(CALL_Init, begin);
    is_inside = 0;
    return rc;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    uint64_t begin = 0;
    int records = opens(&begin), rc = PMPI_Init_thread(argc, argv, required, provided);
    if (records && rc == MPI_SUCCESS) begin_with(CALL_Init_thread, begin);
    is_inside = 0;
    return rc;
}

extern void pmpi_init_(MPI_Fint *) __attribute__((weak));
extern void pmpi_init_thread_(MPI_Fint *, MPI_Fint *, MPI_Fint *) __attribute__((weak));

void mpi_init_(MPI_Fint *ierror) {
    uint64_t begin = 0;
    int records = opens(&begin);
    pmpi_init_(ierror);
    if (records && *ierror == MPI_SUCCESS) begin_with(CALL_Init, begin);
    is_inside = 0;
}

void mpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror) {
    uint64_t begin = 0;
    int records = opens(&begin);
    pmpi_init_thread_(required, provided, ierror);
    if (records && *ierror == MPI_SUCCESS) begin_with(CALL_Init_thread, begin);
    is_inside = 0;
}

void F08(mpi_init)(MPI_Fint *ierror) {
    void (*real)(MPI_Fint *) = (void (*)(MPI_Fint *))next_function(TEXT(F08(mpi_init)));
    uint64_t begin = 0;
    MPI_Fint error = 0;
    int records = opens(&begin);
    if (!ierror) ierror = &error;
    real(ierror);
    if (records && *ierror == MPI_SUCCESS) begin_with(CALL_Init, begin);
    is_inside = 0;
}

void F08(mpi_init_thread)(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror) {
    void (*real)(MPI_Fint *, MPI_Fint *, MPI_Fint *) =
        (void (*)(MPI_Fint *, MPI_Fint *, MPI_Fint *))next_function(TEXT(F08(mpi_init_thread)));
    uint64_t begin = 0;
    MPI_Fint error = 0;
    int records = opens(&begin);
    if (!ierror) ierror = &error;
    real(required, provided, ierror);
    if (records && *ierror == MPI_SUCCESS) begin_with(CALL_Init_thread, begin);
    is_inside = 0;
}
