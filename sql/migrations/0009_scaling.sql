-- Kinds of functions, by which their scaling is modelled.

CREATE TABLE function_kinds (
    function VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE function_kinds IS 'One row says of what kind a function is. A row of the user''s wins over those that pwh brings; of two equal ones the last wins.';
COMMENT ON COLUMN function_kinds.function IS 'Name of the function, or a pattern with * and ?. MPI calls are meant in all their spellings (MPI_Send: pmpi_send_, MPI_SEND, MPI_Send(), MPI_Send_c ...).';
COMMENT ON COLUMN function_kinds.kind IS 'computation, blocking point-to-point, non-blocking point-to-point, n-to-n collective, n-to-1 and 1-to-n collective, or total: the time of a whole run, that no function is part of.';
COMMENT ON COLUMN function_kinds.shipped IS 'Whether the row came with pwh.';

-- MPI 4.1, chapters 3 to 15. Calls that wait for all processes of a communicator count as n-to-n
-- collectives, whatever else they do; one-sided transfers and requests as non-blocking; calls
-- that do not communicate are left out: they are computation.
INSERT INTO function_kinds
SELECT 'MPI_' || unnest(string_split(calls, ' ')), kind, true
FROM (
    VALUES
    (
        'blocking point-to-point',
        'Send Recv Bsend Ssend Rsend Sendrecv Sendrecv_replace Probe Mprobe Mrecv'
        || ' Buffer_attach Buffer_detach Buffer_flush Comm_attach_buffer Comm_detach_buffer'
        || ' Comm_flush_buffer Session_attach_buffer Session_detach_buffer Session_flush_buffer'
    ),
    (
        'non-blocking point-to-point',
        'Isend Ibsend Issend Irsend Irecv Imrecv Isendrecv Isendrecv_replace Iprobe Improbe'
        || ' Wait Waitany Waitall Waitsome Test Testany Testall Testsome Cancel Test_cancelled'
        || ' Request_free Request_get_status Request_get_status_any Request_get_status_all'
        || ' Request_get_status_some Send_init Bsend_init Ssend_init Rsend_init Recv_init'
        || ' Start Startall Psend_init Precv_init Pready Pready_range Pready_list Parrived'
        || ' Buffer_iflush Comm_iflush_buffer Session_iflush_buffer Grequest_start'
        || ' Grequest_complete Put Get Accumulate Get_accumulate Fetch_and_op Compare_and_swap'
        || ' Rput Rget Raccumulate Rget_accumulate Win_lock Win_lock_all Win_unlock'
        || ' Win_unlock_all Win_flush Win_flush_all Win_flush_local Win_flush_local_all Win_sync'
        || ' Win_start Win_complete Win_post Win_wait Win_test'
    ),
    (
        'n-to-n collective',
        'Barrier Ibarrier Barrier_init Allgather Iallgather Allgather_init Allgatherv'
        || ' Iallgatherv Allgatherv_init Alltoall Ialltoall Alltoall_init Alltoallv Ialltoallv'
        || ' Alltoallv_init Alltoallw Ialltoallw Alltoallw_init Allreduce Iallreduce'
        || ' Allreduce_init Reduce_scatter Ireduce_scatter Reduce_scatter_init'
        || ' Reduce_scatter_block Ireduce_scatter_block Reduce_scatter_block_init Scan Iscan'
        || ' Scan_init Exscan Iexscan Exscan_init Neighbor_allgather Ineighbor_allgather'
        || ' Neighbor_allgather_init Neighbor_allgatherv Ineighbor_allgatherv'
        || ' Neighbor_allgatherv_init Neighbor_alltoall Ineighbor_alltoall'
        || ' Neighbor_alltoall_init Neighbor_alltoallv Ineighbor_alltoallv'
        || ' Neighbor_alltoallv_init Neighbor_alltoallw Ineighbor_alltoallw'
        || ' Neighbor_alltoallw_init Win_fence Win_create Win_allocate Win_allocate_shared'
        || ' Win_create_dynamic Win_free Comm_dup Comm_dup_with_info Comm_idup'
        || ' Comm_idup_with_info Comm_create Comm_create_group Comm_create_from_group'
        || ' Comm_split Comm_split_type Comm_free Comm_disconnect Comm_accept Comm_connect'
        || ' Comm_join Comm_spawn Comm_spawn_multiple Intercomm_create Intercomm_merge'
        || ' Intercomm_create_from_groups Cart_create Cart_sub Graph_create'
        || ' Dist_graph_create Dist_graph_create_adjacent Init Init_thread Finalize Abort'
        || ' Session_init Session_finalize File_open File_close File_sync File_set_size'
        || ' File_preallocate File_set_view File_read_all File_write_all File_iread_all'
        || ' File_iwrite_all File_read_at_all File_write_at_all File_iread_at_all'
        || ' File_iwrite_at_all File_read_ordered File_write_ordered File_read_all_begin'
        || ' File_read_all_end File_write_all_begin File_write_all_end File_read_at_all_begin'
        || ' File_read_at_all_end File_write_at_all_begin File_write_at_all_end'
        || ' File_read_ordered_begin File_read_ordered_end File_write_ordered_begin'
        || ' File_write_ordered_end File_seek_shared'
    ),
    (
        'n-to-1 and 1-to-n collective',
        'Bcast Ibcast Bcast_init Gather Igather Gather_init Gatherv Igatherv Gatherv_init'
        || ' Scatter Iscatter Scatter_init Scatterv Iscatterv Scatterv_init Reduce Ireduce'
        || ' Reduce_init'
    )
) AS mpi (kind, calls);

INSERT INTO function_kinds
SELECT unnest(['__TOTAL__', '__total__', 'TOTAL', 'Total', 'total']), 'total', true;
