/* Threads that pass messages at the same time, each with a tag of its own. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3, ROUNDS = 50 };

static int rank;

static void *talk(void *number) {
    int tag = (int)(size_t)number, other = 1 - rank, in, out = tag;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request request;
        MPI_Irecv(&in, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &request);
        MPI_Send(&out, 1, MPI_INT, other, tag, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return NULL;
}

int main(int argc, char **argv) {
    int provided;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, talk, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("messages %d\n", 2 * THREADS * ROUNDS);
    MPI_Finalize();
    return 0;
}
