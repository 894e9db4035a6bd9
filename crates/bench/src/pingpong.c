/* Two processes send a message to and fro. Prints the median and the least time of a message one way, in nanoseconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 200 };

static int compare(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int batches = argc > 1 ? atoi(argv[1]) : 100, rank;
    double *times = malloc(sizeof *times * (batches > 0 ? batches : 1)), message = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!times) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int batch = 0; batch < batches; batch++) {
        double begin = MPI_Wtime();
        for (int i = 0; i < BATCH; i++) {
            if (rank == 0) {
                MPI_Send(&message, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
                MPI_Recv(&message, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else if (rank == 1) {
                MPI_Recv(&message, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(&message, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
            }
        }
        times[batch] = (MPI_Wtime() - begin) / (2 * BATCH) * 1e9;
    }
    qsort(times, batches, sizeof *times, compare);
    if (rank == 0) printf("one way %.1f %.1f\n", times[batches / 2], times[0]);
    free(times);
    MPI_Finalize();
    return 0;
}
