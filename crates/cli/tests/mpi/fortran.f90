! The entry points of Fortran: blocking and not, any source, statuses that are wanted and not, collective operations.
program fortran
  implicit none
  include 'mpif.h'
  integer :: ierr, rank, n, left, right, i, in, out, half, own, members
  integer :: requests(4), statuses(MPI_STATUS_SIZE, 4), status(MPI_STATUS_SIZE), index
  integer :: sent, all, values(4), world_values(4)
  logical :: flag
  sent = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  right = mod(rank + 1, n)
  left = mod(rank + n - 1, n)
  do i = 1, 5
    call MPI_Irecv(in, 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Irecv(values, 4, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Isend(rank, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Isend(world_values, 3, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(4), ierr)
    sent = sent + 2
    if (mod(i, 2) == 0) then
      call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
    else
      call MPI_Waitall(4, requests, statuses, ierr)
    end if
    if (in /= left) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
  end do
  if (rank == 0) then
    do i = 1, n - 1
      call MPI_Recv(in, 1, MPI_INTEGER, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end do
    do i = 1, n - 1
      call MPI_Irecv(in, 1, MPI_INTEGER, i, 5, MPI_COMM_WORLD, requests(1), ierr)
      flag = .false.
      if (mod(i, 2) == 0) then
        do while (.not. flag)
          call MPI_Test(requests(1), flag, status, ierr)
        end do
      else
        call MPI_Waitany(1, requests, index, MPI_STATUS_IGNORE, ierr)
        if (index /= 1) call MPI_Abort(MPI_COMM_WORLD, 4, ierr)
      end if
    end do
  else
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 4, MPI_COMM_WORLD, ierr)
    call MPI_Ssend(rank, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, ierr)
    sent = sent + 2
  end if
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
  call MPI_Comm_rank(half, own, ierr)
  call MPI_Comm_size(half, members, ierr)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, mod(own + 1, members), 6, in, 1, MPI_INTEGER, &
                    mod(own + members - 1, members), 6, half, status, ierr)
  sent = sent + 1
  values(1) = rank
  call MPI_Allreduce(MPI_IN_PLACE, values, 1, MPI_INTEGER, MPI_SUM, half, ierr)
  call MPI_Bcast(out, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Comm_free(half, ierr)
  call MPI_Reduce(sent, all, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a, i0)', 'messages ', all
  call MPI_Finalize(ierr)
end program fortran
