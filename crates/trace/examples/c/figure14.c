/* The program of Figure 14 of the Pajé paper: nodes that compute, exchange what they have, and compute again. A node is a
 * thread here, and a message is a slot that the receiver waits for. Draw its trace to see Figure 15. */
#include <math.h>
#include <paje_user.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 4, ITERATIONS = 6 };

static paje_handle phase_type, message_type, initialization, local_computation, global_computation, data;
static paje_handle node_type, nodes[NODES];
static double slots[ITERATIONS][NODES][NODES];
static int filled[ITERATIONS][NODES][NODES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static double compute(int n) {
    double sum = 0;
    for (int i = 1; i <= n; i++) sum += sin(i) / i;
    return sum;
}

static unsigned long key(int iteration, int from, int to) {
    return ((unsigned long)iteration * NODES + (unsigned long)from) * NODES + (unsigned long)to;
}

static void send_to(int iteration, int from, int to, double value) {
    pajeStartUserLink(message_type, ONCA_ROOT_CONTAINER, nodes[from], data, key(iteration, from, to), NULL);
    pthread_mutex_lock(&mutex);
    slots[iteration][from][to] = value;
    filled[iteration][from][to] = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static double receive(int iteration, int from, int to) {
    pthread_mutex_lock(&mutex);
    while (!filled[iteration][from][to]) pthread_cond_wait(&changed, &mutex);
    double value = slots[iteration][from][to];
    pthread_mutex_unlock(&mutex);
    pajeEndUserLink(message_type, ONCA_ROOT_CONTAINER, nodes[to], data, key(iteration, from, to), NULL);
    return value;
}

static void *node(void *argument) {
    int me = (int)(size_t)argument;
    pajeSetUserState(phase_type, nodes[me], initialization, "");
    double value = compute(20000);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        char comment[16];
        snprintf(comment, sizeof comment, "%d", iteration);
        pajeSetUserState(phase_type, nodes[me], local_computation, comment);
        value += compute(10000 * (me + 1));
        for (int other = 0; other < NODES; other++)
            if (other != me) send_to(iteration, me, other, value);
        for (int other = 0; other < NODES; other++)
            if (other != me) value += receive(iteration, other, me);
        pajeSetUserState(phase_type, nodes[me], global_computation, comment);
        value += compute(10000);
    }
    pajePopUserState(phase_type, nodes[me], NULL);
    return NULL;
}

int main(int argc, char **argv) {
    if (onca_trace_open(argc > 1 ? argv[1] : "figure14.onct", NULL) != 0) {
        char message[200];
        onca_trace_error(message, sizeof message);
        fprintf(stderr, "figure14: %s\n", message);
        return EXIT_FAILURE;
    }
    node_type = pajeDefineUserContainerType(ONCA_ROOT, "Node");
    phase_type = pajeDefineUserStateType(node_type, "Computation phase");
    message_type = pajeDefineUserLinkType(ONCA_ROOT, "Message");
    initialization = pajeNewUserEntityValue(phase_type, "Initialization");
    local_computation = pajeNewUserEntityValue(phase_type, "Local computation");
    global_computation = pajeNewUserEntityValue(phase_type, "Global computation");
    data = pajeNewUserEntityValue(message_type, "data");
    pthread_t threads[NODES];
    for (int i = 0; i < NODES; i++) {
        char name[16];
        snprintf(name, sizeof name, "node %d", i);
        nodes[i] = pajeCreateUserContainer(node_type, name, ONCA_ROOT_CONTAINER);
    }
    for (size_t i = 0; i < NODES; i++) pthread_create(&threads[i], NULL, node, (void *)i);
    for (int i = 0; i < NODES; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < NODES; i++) pajeDestroyUserContainer(nodes[i]);
    return EXIT_SUCCESS;
}
