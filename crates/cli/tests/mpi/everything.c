/* All ways to pass messages, and operations in several communicators. It counts the messages that it sends and the calls of
 * collective operations that it makes, and prints both. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long n_sent, n_collective;
static int rank, size;

static void send_ways(MPI_Comm comm) {
    int right = (rank + 1) % size, left = (rank + size - 1) % size, in[4], out[4] = {1, 2, 3, 4};
    MPI_Status status;
    MPI_Request request, pair[2];
    /* Blocking calls cannot all wait at once. */
    for (int way = 0; way < 3; way++) {
        MPI_Irecv(in, 4, MPI_INT, left, way, comm, &request);
        if (way == 0) MPI_Send(out, 4, MPI_INT, right, way, comm);
        else if (way == 1) MPI_Ssend(out, 3, MPI_INT, right, way, comm);
        else {
            char buffer[4 * sizeof(int) + MPI_BSEND_OVERHEAD];
            void *detached;
            int length;
            MPI_Buffer_attach(buffer, sizeof buffer);
            MPI_Bsend(out, 4, MPI_INT, right, way, comm);
            MPI_Buffer_detach(&detached, &length);
        }
        n_sent++;
        MPI_Wait(&request, way ? &status : MPI_STATUS_IGNORE);
    }
    MPI_Sendrecv(out, 2, MPI_INT, right, 7, in, 2, MPI_INT, left, 7, comm, &status);
    MPI_Sendrecv_replace(out, 4, MPI_INT, right, 8, left, 8, comm, MPI_STATUS_IGNORE);
    n_sent += 2;
    /* Messages to nobody are none. */
    MPI_Send(out, 1, MPI_INT, MPI_PROC_NULL, 0, comm);
    MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &status);
    /* Receives of one channel that are asked for in the other order. */
    MPI_Irecv(&in[0], 1, MPI_INT, left, 9, comm, &pair[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, left, 9, comm, &pair[1]);
    MPI_Isend(&out[0], 1, MPI_INT, right, 9, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Issend(&out[1], 1, MPI_INT, right, 9, comm, &request);
    n_sent += 2;
    MPI_Wait(&pair[1], MPI_STATUS_IGNORE);
    MPI_Wait(&pair[0], MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    /* A receive that nobody answers. */
    MPI_Irecv(in, 1, MPI_INT, left, 99, comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    /* Persistent requests, three times. */
    MPI_Recv_init(in, 4, MPI_INT, left, 11, comm, &pair[0]);
    MPI_Send_init(out, 4, MPI_INT, right, 11, comm, &pair[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, pair);
        n_sent++;
        MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&pair[0]);
    MPI_Request_free(&pair[1]);
}

/* Rank 0 takes what comes, in several ways; a receive from anybody waits while others are taken. */
static void take_any(MPI_Comm comm) {
    int n = 0, in[256], me = rank, flag, index;
    MPI_Status status;
    MPI_Request requests[256];
    if (rank != 0) {
        for (int i = 0; i < 5; i++) {
            MPI_Send(&me, 1, MPI_INT, 0, i, comm);
            n_sent++;
        }
        MPI_Barrier(comm);
        MPI_Send(&me, 1, MPI_INT, 0, 5, comm);
        n_sent++;
        /* Two of one tag: which of them a receive gets must be known from the order of asking. */
        MPI_Send(&me, 1, MPI_INT, 0, 20, comm);
        MPI_Send(in, 2, MPI_INT, 0, 20, comm);
        n_sent += 2;
        return;
    }
    for (int from = 1; from < size; from++) MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, &status);
    for (int from = 1; from < size; from++) {
        MPI_Probe(MPI_ANY_SOURCE, 1, comm, &status);
        MPI_Recv(in, 1, MPI_INT, status.MPI_SOURCE, 1, comm, MPI_STATUS_IGNORE);
    }
    for (int from = 1; from < size; from++) {
        MPI_Message message;
        MPI_Mprobe(MPI_ANY_SOURCE, 2, comm, &message, &status);
        MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
    for (int from = 1; from < size; from++) {
        MPI_Message message;
        do MPI_Improbe(from, 3, comm, &flag, &message, &status);
        while (!flag);
        MPI_Imrecv(in, 1, MPI_INT, &message, &requests[0]);
        do MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        while (!flag);
    }
    for (int from = 1; from < size; from++) {
        MPI_Irecv(&in[n], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[n]);
        n++;
    }
    for (int left = n; left > 0; left--) MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE);
    /* Those of any tag got what was sent before this. */
    MPI_Barrier(comm);
    n = 0;
    for (int from = 1; from < size; from++) {
        MPI_Irecv(&in[n], 1, MPI_INT, from, 5, comm, &requests[n]);
        n++;
    }
    for (int left = n; left > 0;) {
        int done, indices[256];
        MPI_Waitsome(n, requests, &done, indices, MPI_STATUSES_IGNORE);
        left -= done;
    }
    /* The first asks for anybody's and the second for that of rank 1: the first must get the first of rank 1, if any. The second
     * is waited for first. */
    n = 0;
    for (int i = 1; i < size; i++) {
        MPI_Irecv(&in[n], 2, MPI_INT, MPI_ANY_SOURCE, 20, comm, &requests[n]);
        n++;
    }
    for (int from = 1; from < size; from++) {
        MPI_Irecv(&in[n], 2, MPI_INT, MPI_ANY_SOURCE, 20, comm, &requests[n]);
        n++;
    }
    for (int i = n - 1; i >= 0; i--) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

static void collectives(MPI_Comm comm) {
    int own, n, in[256] = {0}, out[256] = {0}, counts[256], places[256];
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &n);
    for (int i = 0; i < n; i++) counts[i] = 1, places[i] = i;
    MPI_Barrier(comm);
    MPI_Bcast(in, 4, MPI_INT, n - 1, comm);
    MPI_Reduce(in, out, 4, MPI_INT, MPI_SUM, 0, comm);
    MPI_Allreduce(MPI_IN_PLACE, out, 4, MPI_INT, MPI_SUM, comm);
    MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, 0, comm);
    MPI_Gatherv(in, 1, MPI_INT, out, counts, places, MPI_INT, 0, comm);
    MPI_Scatter(in, 1, MPI_INT, out, 1, MPI_INT, 0, comm);
    MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, comm);
    MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm);
    MPI_Alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, comm);
    MPI_Reduce_scatter_block(in, out, 1, MPI_INT, MPI_SUM, comm);
    MPI_Scan(in, out, 1, MPI_INT, MPI_SUM, comm);
    n_collective += 12;
    MPI_Request requests[2];
    MPI_Ibarrier(comm, &requests[0]);
    MPI_Iallreduce(in, out, 1, MPI_INT, MPI_SUM, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    send_ways(MPI_COMM_WORLD);
    take_any(MPI_COMM_WORLD);
    n_collective++;
    collectives(MPI_COMM_WORLD);
    /* Halves, with ranks in the other order; what is sent in one must not be taken for what is sent in another. */
    MPI_Comm half, copy, later, group_comm, between, merged;
    MPI_Request request;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_dup(half, &copy);
    MPI_Comm_idup(half, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm of[3] = {half, copy, later};
    for (int i = 2; i >= 0; i--) {
        int own, n, in = 0, out = rank;
        MPI_Comm_rank(of[i], &own);
        MPI_Comm_size(of[i], &n);
        MPI_Sendrecv(&out, 1, MPI_INT, (own + 1) % n, 5, &in, 1, MPI_INT, (own + n - 1) % n, 5, of[i],
                     MPI_STATUS_IGNORE);
        n_sent++;
        collectives(of[i]);
    }
    /* A communicator of the even ranks that the others know nothing of, twice. */
    MPI_Group world, even;
    int evens[128], n_evens = 0;
    for (int i = 0; i < size; i += 2) evens[n_evens++] = i;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, n_evens, evens, &even);
    for (int i = 0; i < 2 && rank % 2 == 0; i++) {
        int own, in, out = rank;
        MPI_Comm_create_group(MPI_COMM_WORLD, even, 3, &group_comm);
        MPI_Comm_rank(group_comm, &own);
        MPI_Sendrecv(&out, 1, MPI_INT, (own + 1) % n_evens, 5, &in, 1, MPI_INT, (own + n_evens - 1) % n_evens, 5,
                     group_comm, MPI_STATUS_IGNORE);
        n_sent++;
        MPI_Barrier(group_comm);
        n_collective++;
        MPI_Comm_free(&group_comm);
    }
    /* Between the halves, both ways with the same ranks and tags. */
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? (size - 2 + size % 2) : (size - 1 - size % 2), 4, &between);
    int own, there, in = 0, out = rank;
    MPI_Comm_rank(between, &own);
    MPI_Comm_remote_size(between, &there);
    MPI_Sendrecv(&out, 1, MPI_INT, own < there ? own : MPI_PROC_NULL, 6, &in, 1, MPI_INT,
                 own < there ? own : MPI_PROC_NULL, 6, between, MPI_STATUS_IGNORE);
    if (own < there) n_sent++;
    MPI_Intercomm_merge(between, rank % 2, &merged);
    MPI_Barrier(merged);
    n_collective++;
    /* One-sided. */
    int *base;
    MPI_Win window;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&out, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&between);
    MPI_Comm_free(&later);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
    MPI_Group_free(&even);
    MPI_Group_free(&world);
    long own_counts[2] = {n_sent, n_collective + 1}, counts[2] = {0, 0};
    MPI_Reduce(own_counts, counts, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("messages %ld\ncalls of operations %ld\n", counts[0], counts[1]);
    MPI_Finalize();
    return 0;
}
