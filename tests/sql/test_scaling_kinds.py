"""Kinds of functions: MPI calls in all spellings, the user's own rows."""

from __future__ import annotations

from tests.helpers.support import given, rows

BLOCKING = "blocking point-to-point"
NON_BLOCKING = "non-blocking point-to-point"
N_TO_N = "n-to-n collective"
ONE = "n-to-1 and 1-to-n collective"


SPELLINGS = (
    "MPI_Send",
    "PMPI_Send",
    "MPI_Send()",
    "MPI_Send()  ",
    "mpi_send",
    "mpi_send_",
    "mpi_send__",
    "pmpi_send_",
    "MPI_SEND",
    "MPI_SEND_",
    "MPI_Send_c",
    "PMPI_Send_c",
    "mpi_send_f08_",
    "pmpi_send_f08ts_",
    "main => MPI_Send()",
    "main/lulesh/MPI_Send",
    "||mpi_send_(sync)",
    "MPI_SEND(sync)",
    "MPI_Send [THROTTLED]",
    "PMPI_Send@plt",
    "libmpi.so.12!PMPI_Send",
    "MPI::Comm::Send(void const*, int, MPI::Datatype const&, int, int)",
)
KINDS = {
    "MPI_Mrecv": BLOCKING,
    "MPI_Sendrecv_replace": BLOCKING,
    "MPI_Waitall": NON_BLOCKING,
    "MPI_Isendrecv": NON_BLOCKING,
    "MPI_Psend_init": NON_BLOCKING,
    "MPI_Parrived": NON_BLOCKING,
    "MPI_Startall": NON_BLOCKING,
    "MPI_Put": NON_BLOCKING,
    "MPI_Barrier": N_TO_N,
    "MPI_Iallreduce_c": N_TO_N,
    "MPI_Neighbor_alltoallw_init": N_TO_N,
    "MPI_Reduce_scatter_block": N_TO_N,
    "MPI_Exscan": N_TO_N,
    "MPI_Win_fence": N_TO_N,
    "MPI_Comm_split": N_TO_N,
    "MPI_Init": N_TO_N,
    "MPI_Finalize": N_TO_N,
    "MPI_Reduce": ONE,
    "mpi_iscatterv_": ONE,
    "MPI_Bcast_init": ONE,
    "MPI_Comm_rank": "computation",
    "MPI_Type_commit": "computation",
    "MPI_Sender": "computation",
    "my_mpi_send": "computation",
    "solve": "computation",
    "void f(int *, MPI_Comm) C [{a.c}]": "computation",
    "__TOTAL__": "total",
    "MPI_Allreduce(sync)": N_TO_N,
    "ncclAllReduce": N_TO_N,
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)": N_TO_N,
    "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t": NON_BLOCKING,
    "ncclDevKernel_Reduce_Sum_f32_RING_LL": ONE,
    "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL": N_TO_N,
    "nccl:broadcast": ONE,
    "pshmem_barrier_all": N_TO_N,
    "SHMEM_PUT64": BLOCKING,
    "shmem_double_put_nbi": NON_BLOCKING,
    "shmem_int_sum_to_all": N_TO_N,
    "shmem_broadcast32_": ONE,
    "gasnet_get_nb_bulk": NON_BLOCKING,
    "gex_Coll_BarrierNB": N_TO_N,
    "mp_sum_dm3": N_TO_N,
    "mp_sum_root_rv": ONE,
    "mp_bcast_iv": ONE,
    "mp_isendrecv_dv": NON_BLOCKING,
    "mp_allocate_d": "computation",
    "mp_gt_driver": "computation",
    "module_mp_thompson": "computation",
}


def kinds(con, functions):
    con.executemany(
        "INSERT INTO fn_timings (run_id, source_id, function) VALUES ('r', 1, ?)",
        [[function] for function in functions],
    )
    return dict(rows(con, "FROM function_classes"))


def test_every_spelling_of_a_call_is_the_call(warehouse):
    assert kinds(warehouse, SPELLINGS) == dict.fromkeys(SPELLINGS, BLOCKING)


def test_kinds(warehouse):
    assert kinds(warehouse, KINDS) == KINDS


def test_all_collectives_come_in_their_three_forms(warehouse):
    ((count,),) = rows(
        warehouse,
        """
        SELECT count(*) FROM function_kinds AS a
        WHERE a.function LIKE '%\\_init' ESCAPE '\\' AND a.kind LIKE '%collective'
          AND a.function <> 'MPI_Session_init'
          AND (SELECT count(*) FROM function_kinds AS b
               WHERE b.kind = a.kind
                 AND lower(b.function) IN (
                   lower(left(a.function, -5)),
                   'mpi_i' || lower(left(a.function, -5)[5:])
                 )) = 2
        """,
    )
    assert count == 22


def test_a_users_row_wins(warehouse):
    warehouse.execute(
        "INSERT INTO function_kinds (function, kind) VALUES "
        "('MPI_Barrier', 'computation'), ('halo_*', 'non-blocking point-to-point'), "
        "('halo_sum', 'n-to-n collective')"
    )
    expected = {"mpi_barrier_": "computation", "halo_exchange": NON_BLOCKING, "halo_sum": N_TO_N}
    assert kinds(warehouse, expected) == expected, "a name wins over a pattern"


def test_the_last_of_a_users_rows_wins(warehouse):
    for each in ("computation", ONE):
        warehouse.execute("INSERT INTO function_kinds (function, kind) VALUES ('f', ?)", [each])
    assert kinds(warehouse, ["f"]) == {"f": ONE}


def test_what_the_tool_says_wins_where_it_is_a_kind(warehouse):
    given(warehouse, "runs", "run_id ranks\nr1 4")
    given(
        warehouse,
        "fn_timings",
        """
        function  kind  seconds
        exchange  n2n   1
        MPI_Send  mpi   1
        main      user  1
        """,
    )
    assert rows(warehouse, "SELECT function, kind FROM scaling_points ORDER BY ALL") == [
        ("MPI_Send", BLOCKING),
        ("exchange", N_TO_N),
        ("main", "computation"),
    ]
