-- Communication that is not MPI's own: NCCL and RCCL, SHMEM, GASNet, and the wrappers of CP2K.

INSERT INTO function_kinds
SELECT unnest(string_split(names, ' ')), kind, true
FROM (
    VALUES
    -- Kernels are named by their collective: ncclDevKernel_AllReduce_Sum_f32_RING_LL.
    (
        'n-to-n collective',
        'nccl*AllReduce* nccl*AllGather* nccl*ReduceScatter* ncclAlltoAll* ncclGroupEnd'
        || ' ncclCommInitRank* ncclCommInitAll ncclCommSplit nccl:all_reduce* nccl:*all_gather*'
        || ' nccl:*reduce_scatter* nccl:all_to_all* nccl:barrier'
    ),
    (
        'n-to-1 and 1-to-n collective',
        'nccl*Broadcast* ncclBcast ncclReduce ncclReduce(* nccl*Kernel_Reduce_* ncclGather'
        || ' ncclScatter nccl:broadcast* nccl:reduce nccl:gather nccl:scatter'
    ),
    ('non-blocking point-to-point', 'ncclSend ncclRecv nccl*SendRecv* nccl:send* nccl:recv*'),
    -- OpenSHMEM 1.5. A put returns when its data may be used again, a get when they are there.
    (
        'n-to-n collective',
        'shmem_barrier* shmem_sync* shmem_*_to_all shmem_*reduce* shmem_*collect* shmem_*alltoall*'
        || ' shmem_init* shmem_finalize shmem_malloc* shmem_calloc shmem_free shmem_team_split*'
        || ' start_pes'
    ),
    ('n-to-1 and 1-to-n collective', 'shmem_*broadcast*'),
    (
        'blocking point-to-point',
        'shmem_*put shmem_*put[0-9]* shmem_putmem shmem_*_p shmem_*iput* shmem_*get'
        || ' shmem_*get[0-9]* shmem_getmem shmem_*_g shmem_*iget* shmem_*put_signal'
        || ' shmem_putmem_signal shmem_*atomic* shmem_*lock'
    ),
    (
        'non-blocking point-to-point',
        'shmem_*_nbi shmem_quiet* shmem_ctx_quiet shmem_fence shmem_ctx_fence shmem_*wait_until*'
        || ' shmem_*_test* shmem_signal_wait_until'
    ),
    -- GASNet 1 and GASNet-EX.
    (
        'n-to-n collective',
        'gasnet_barrier* gasnete_barrier* gasnet*coll_*all* gasnet_attach gasnet_init'
        || ' gex_Coll_Barrier* gex_Coll_ReduceToAll* gex_Client_Init gex_TM_Split'
    ),
    (
        'n-to-1 and 1-to-n collective',
        'gasnet*coll_broadcast* gasnet*coll_gather gasnet*coll_scatter* gasnet*coll_reduce*'
        || ' gex_Coll_Broadcast* gex_Coll_ReduceToOne*'
    ),
    (
        'blocking point-to-point',
        'gasnet_put gasnet_get gasnet_put_bulk gasnet_get_bulk gasnet_put_val gasnet_get_val'
        || ' gex_RMA_PutBlocking* gex_RMA_GetBlocking*'
    ),
    (
        'non-blocking point-to-point',
        'gasnet_put_nb* gasnet_get_nb* gasnet_wait_syncnb* gasnet_try_syncnb* gasnet_AM* gasnet_poll'
        || ' gex_RMA_PutNB* gex_RMA_GetNB* gex_Event_Wait* gex_NBI_Wait gex_AM_*'
    ),
    -- CP2K, whose wrappers end in what they send: mp_sum_dm3. By name, as other programs have
    -- functions of their own that begin with mp_.
    (
        'n-to-n collective',
        'mp_sum_[bdilrcz]* mp_max_[dilrcz]* mp_min_[dilrcz]* mp_maxloc_* mp_minloc_* mp_sync'
        || ' mp_allgather_* mp_allgatherv_* mp_iallgather_* mp_alltoall_* mp_sum_scatter_*'
        || ' mp_isum_* mp_isync mp_comm_dup mp_comm_split* mp_comm_free mp_cart_create mp_cart_sub'
        || ' mp_world_init mp_world_finalize mp_win_create_*'
    ),
    (
        'n-to-1 and 1-to-n collective',
        'mp_bcast_* mp_ibcast_* mp_gather_* mp_gatherv_* mp_igatherv_* mp_scatter_* mp_iscatter_*'
        || ' mp_sum_root_*'
    ),
    (
        'blocking point-to-point',
        'mp_send_* mp_recv_* mp_sendrecv_* mp_shift_* mp_cshift_* mp_probe'
    ),
    (
        'non-blocking point-to-point',
        'mp_isend_* mp_irecv_* mp_isendrecv_* mp_waitall* mp_waitany mp_wait mp_testall* mp_testany*'
        || ' mp_test_* mp_rget_* mp_win_lock_all mp_win_unlock_all mp_win_flush_all'
    )
) AS libraries (kind, names);

COMMENT ON COLUMN function_kinds.function IS 'Name of the function, or a pattern with *, ? and [...], case-sensitive. Calls of MPI and SHMEM match in all their spellings (MPI_Send: pmpi_send_, MPI_SEND, MPI_Send(), MPI_Send_c, MPI::Comm::Send, mpi_send_(sync), libmpi.so!PMPI_Send ...).';
