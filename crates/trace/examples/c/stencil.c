/* Heat on a ring of processes: each has a part of the line, sends its borders to both neighbours in every step, and computes while they
 * travel. Every tenth step all agree on how much has changed. It counts the messages that it sends, to compare with a trace:
 *
 *     mpicc -O2 stencil.c -o stencil -lm
 *     onca run -- mpirun -n 4 ./stencil 200
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 20000, TO_LEFT = 1, TO_RIGHT = 2 };

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int steps = argc > 1 ? atoi(argv[1]) : 100, rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    /* A cell at each end is the neighbour's. */
    double *now = calloc(CELLS + 2, sizeof *now), *next = calloc(CELLS + 2, sizeof *next);
    if (!now || !next) MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0) now[1] = 1e6;
    long sent = 0, all = 0;
    double change = 0, most = 0;
    for (int step = 0; step < steps; step++) {
        MPI_Request requests[4];
        MPI_Irecv(&now[0], 1, MPI_DOUBLE, left, TO_RIGHT, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&now[CELLS + 1], 1, MPI_DOUBLE, right, TO_LEFT, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&now[1], 1, MPI_DOUBLE, left, TO_LEFT, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(&now[CELLS], 1, MPI_DOUBLE, right, TO_RIGHT, MPI_COMM_WORLD, &requests[3]);
        sent += 2;
        for (int i = 2; i < CELLS; i++) next[i] = now[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        next[1] = now[1] + 0.25 * (now[0] - 2 * now[1] + now[2]);
        next[CELLS] = now[CELLS] + 0.25 * (now[CELLS - 1] - 2 * now[CELLS] + now[CELLS + 1]);
        if (step % 10 == 9) {
            change = 0;
            for (int i = 1; i <= CELLS; i++) change = fmax(change, fabs(next[i] - now[i]));
            MPI_Allreduce(&change, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        }
        double *swap = now;
        now = next;
        next = swap;
    }
    MPI_Reduce(&sent, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("messages %ld\nlast change %g\n", all, most);
    free(now);
    free(next);
    MPI_Finalize();
    return 0;
}
