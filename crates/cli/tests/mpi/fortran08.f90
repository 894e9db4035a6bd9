! The functions of the module mpi_f08: the same as in fortran.f90, and with and without a place for errors.
program fortran08
  use mpi_f08
  implicit none
  integer :: ierr, rank, n, left, right, i, in, out, own, members, index, sent, all, values(4), more(4)
  type(MPI_Request) :: requests(4)
  type(MPI_Status) :: statuses(4), status
  type(MPI_Comm) :: half
  logical :: flag
  sent = 0
  more = 7
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  right = mod(rank + 1, n)
  left = mod(rank + n - 1, n)
  do i = 1, 5
    call MPI_Irecv(in, 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(values, 4, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Isend(rank, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(3))
    call MPI_Isend(more, 3, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(4), ierr)
    sent = sent + 2
    if (mod(i, 2) == 0) then
      call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
    else
      call MPI_Waitall(4, requests, statuses, ierr)
      if (statuses(2)%MPI_SOURCE /= left .or. statuses(2)%MPI_TAG /= 2) call MPI_Abort(MPI_COMM_WORLD, 2)
    end if
    if (in /= left) call MPI_Abort(MPI_COMM_WORLD, 3)
  end do
  if (rank == 0) then
    do i = 1, n - 1
      call MPI_Recv(in, 1, MPI_INTEGER, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end do
    do i = 1, n - 1
      call MPI_Irecv(in, 1, MPI_INTEGER, i, 5, MPI_COMM_WORLD, requests(1))
      flag = .false.
      if (mod(i, 2) == 0) then
        do while (.not. flag)
          call MPI_Test(requests(1), flag, status)
        end do
        if (status%MPI_SOURCE /= i) call MPI_Abort(MPI_COMM_WORLD, 5)
      else
        ! The module of MPICH 4.0 counts from 0 here.
        call MPI_Waitany(1, requests, index, MPI_STATUS_IGNORE)
      end if
    end do
  else
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 4, MPI_COMM_WORLD)
    call MPI_Ssend(rank, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, ierr)
    sent = sent + 2
  end if
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half)
  call MPI_Comm_rank(half, own)
  call MPI_Comm_size(half, members)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, mod(own + 1, members), 6, in, 1, MPI_INTEGER, &
                    mod(own + members - 1, members), 6, half, status)
  sent = sent + 1
  values(1) = rank
  call MPI_Allreduce(MPI_IN_PLACE, values, 1, MPI_INTEGER, MPI_SUM, half)
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, 1, MPI_INTEGER, half)
  call MPI_Bcast(out, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call MPI_Comm_free(half)
  call MPI_Reduce(sent, all, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(a, i0)', 'messages ', all
  call MPI_Finalize()
end program fortran08
