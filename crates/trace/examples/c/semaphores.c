/* Producers and consumers around a bounded buffer: what threads do and wait for, how many items the buffer holds, who takes
 * an item that who has made, and semaphores as containers of their own with the number of free places. */
#include <onca_trace.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAIRS = 2, ITEMS = 20, PLACES = 4 };

static onca_type thread_type, semaphore_type, doing, items, value_type, mark;
static onca_value working, waiting, item, finished;
static onca_container buffer, free_places, full_places;
static sem_t free_semaphore, full_semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int stored[PLACES], n_stored, n_made;

static void work(int n) {
    volatile double sum = 0;
    for (int i = 0; i < n; i++) sum += i;
}

/* The state goes on until the caller has what it waited for, so that the link that brings it ends in the state. */
static void wait_for(onca_container me, sem_t *semaphore, onca_container of) {
    onca_push(me, doing, waiting);
    while (sem_wait(semaphore) != 0) {}
    onca_sub_d(of, value_type, 1);
}

static void post(sem_t *semaphore, onca_container of) {
    onca_add_d(of, value_type, 1);
    sem_post(semaphore);
}

static onca_container create(const char *kind, size_t number) {
    char name[32];
    snprintf(name, sizeof name, "%s %zu", kind, number);
    return onca_create(thread_type, ONCA_ROOT_CONTAINER, name);
}

static void *produce(void *number) {
    onca_container me = create("producer", (size_t)number);
    for (int i = 0; i < ITEMS; i++) {
        onca_push(me, doing, working);
        work(20000);
        onca_pop(me, doing);
        wait_for(me, &free_semaphore, free_places);
        onca_pop(me, doing);
        pthread_mutex_lock(&mutex);
        int made = n_made++;
        stored[n_stored++] = made;
        onca_add_d(buffer, items, 1);
        onca_link_start(me, item, onca_value_of(item, "item", ONCA_NO_COLOR), (uint64_t)made, sizeof made);
        pthread_mutex_unlock(&mutex);
        post(&full_semaphore, full_places);
    }
    onca_event_comment(me, mark, finished, "all are made");
    return NULL;
}

static void *consume(void *number) {
    onca_container me = create("consumer", (size_t)number);
    for (int i = 0; i < ITEMS; i++) {
        wait_for(me, &full_semaphore, full_places);
        pthread_mutex_lock(&mutex);
        int taken = stored[--n_stored];
        onca_sub_d(buffer, items, 1);
        onca_link_end(me, item, onca_value_of(item, "item", ONCA_NO_COLOR), (uint64_t)taken, sizeof taken);
        onca_pop(me, doing);
        pthread_mutex_unlock(&mutex);
        post(&free_semaphore, free_places);
        onca_push(me, doing, working);
        work(30000);
        onca_pop(me, doing);
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (onca_trace_open(argc > 1 ? argv[1] : "semaphores.onct", NULL) != 0) {
        char message[200];
        onca_trace_error(message, sizeof message);
        fprintf(stderr, "semaphores: %s\n", message);
        return EXIT_FAILURE;
    }
    thread_type = onca_container_type(ONCA_ROOT, "Thread");
    semaphore_type = onca_container_type(ONCA_ROOT, "Semaphore");
    doing = onca_state_type(thread_type, "Doing");
    mark = onca_event_type(thread_type, "Mark");
    items = onca_variable_type(semaphore_type, "Items");
    value_type = onca_variable_type(semaphore_type, "Value");
    item = onca_link_type(ONCA_ROOT, "Item", thread_type, thread_type);
    working = onca_value_of(doing, "working", 0x009e73);
    waiting = onca_value_of(doing, "waiting", 0xd55e00);
    finished = onca_value_of(mark, "finished", ONCA_NO_COLOR);
    buffer = onca_create(semaphore_type, ONCA_ROOT_CONTAINER, "buffer");
    free_places = onca_create(semaphore_type, ONCA_ROOT_CONTAINER, "free places");
    full_places = onca_create(semaphore_type, ONCA_ROOT_CONTAINER, "full places");
    sem_init(&free_semaphore, 0, PLACES);
    sem_init(&full_semaphore, 0, 0);
    onca_set_d(free_places, value_type, PLACES);
    onca_set_d(full_places, value_type, 0);
    onca_set_d(buffer, items, 0);
    pthread_t threads[2 * PAIRS];
    for (size_t i = 0; i < PAIRS; i++) {
        pthread_create(&threads[2 * i], NULL, produce, (void *)i);
        pthread_create(&threads[2 * i + 1], NULL, consume, (void *)i);
    }
    for (int i = 0; i < 2 * PAIRS; i++) pthread_join(threads[i], NULL);
    return EXIT_SUCCESS;
}
