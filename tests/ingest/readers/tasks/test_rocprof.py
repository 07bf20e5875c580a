"""AMD's traces: CSV files of rocprofv3 and rocprof, rocpd of other versions."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

import pytest

from tests.helpers.support import land, rows
from tests.ingest.cases.rocprof import CSV, GOLDEN, SAMPLE
from warehouse.errors import InputError

TASKS = "SELECT worker, name, t_start, t_end FROM tasks ORDER BY t_start, worker"


def test_csv_files_of_a_process_are_one_recording(warehouse):
    (landed,) = land(warehouse, CSV.parent / "238_hip_api_trace.csv")
    assert len(landed.runs) == 1
    for query, expected in GOLDEN:
        assert rows(warehouse, query) == expected
    assert rows(warehouse, "SELECT worker FROM workers ORDER BY 1") == [
        ("Agent 1 stream 0",),
        ("thread 238",),
    ]


def test_kernels_alone(warehouse, tmp_path):
    shutil.copy(CSV, tmp_path / "out_kernel_trace.csv")
    land(warehouse, tmp_path / "out_kernel_trace.csv")
    assert rows(warehouse, "SELECT count(*), min(t_start), any_value(t_submit) FROM tasks") == [
        (8, 0, None)
    ]


def test_results_of_the_older_rocprof(warehouse, tmp_path):
    path = tmp_path / "results.csv"
    path.write_text(
        '"Index","KernelName","gpu-id","queue-id","pid","tid","BeginNs","EndNs","DurationNs"\n'
        '0,"sweep(float*, int) [clone .kd]",0,1,5,5,100,350,250\n1,"norm",1,0,5,5,400,460,60\n'
    )
    land(warehouse, path)
    assert rows(warehouse, TASKS) == [
        ("Agent 0 queue 1", "sweep(float*, int) [clone .kd]", 0, 250),
        ("Agent 1 queue 0", "norm", 300, 360),
    ]


COUNTED = "SELECT region, sample, event, value, unit FROM pmu_samples ORDER BY rowid"


def test_counters_of_the_older_rocprof(warehouse, tmp_path):
    path = tmp_path / "results.csv"
    path.write_text(
        "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,vgpr,sgpr,fbar,sig,obj,"
        "SQ_WAVES,VALUBusy\n"
        '0,"a(int, int)",0,0,0,9,9,64,64,0,0,16,32,0,0x0,0x7f,1024,50.5\n'
        '1,"a(int, int)",0,0,1,9,9,64,64,0,0,16,32,0,0x0,0x7f,512,20.5\n'
    )
    land(warehouse, path)
    assert rows(warehouse, COUNTED) == [
        ("a(int, int)", 0, "SQ_WAVES", 1024.0, None),
        ("a(int, int)", 1, "SQ_WAVES", 512.0, None),
        ("a(int, int)", 0, "VALUBusy", 50.5, "%"),
        ("a(int, int)", 1, "VALUBusy", 20.5, "%"),
    ]
    query = "SELECT event, value FROM counter_summary ORDER BY event"
    assert rows(warehouse, query) == [("SQ_WAVES", 1536.0), ("VALUBusy", 35.5)]


def test_rocprofv2_has_times_and_counters(warehouse, tmp_path):
    path = tmp_path / "results_a.csv"
    path.write_text(
        "Dispatch_ID,GPU_ID,Queue_ID,Queue_Index,PID,TID,GRD,WGR,LDS,SCR,Arch_VGPR,ACCUM_VGPR,SGPR,"
        "Wave_Size,SIG,OBJ,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID,SQ_WAVES\n"
        '1,1,0,0,9,9,64,64,0,0,16,0,32,64,0,0,"a(int, int)",1000,3000,0,1024\n'
        "2,1,0,0,9,9,64,64,0,0,16,0,32,64,0,0,b,4000,5000,0,512\n"
    )
    land(warehouse, path)
    assert rows(warehouse, TASKS) == [
        ("Agent 1 queue 0", "a(int, int)", 0, 2000),
        ("Agent 1 queue 0", "b", 3000, 4000),
    ]
    assert rows(warehouse, COUNTED) == [
        ("a(int, int)", 1, "SQ_WAVES", 1024.0, None),
        ("b", 2, "SQ_WAVES", 512.0, None),
    ]


def test_counter_collection_of_rocprofv3(warehouse, tmp_path):
    path = tmp_path / "7_counter_collection.csv"
    path.write_text(
        '"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size",'
        '"Kernel_Name","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"\n'
        '1,1,1,1,9,9,64,"a(int, int)","SQ_WAVES",1024.000000,1000,2000\n'
        '1,1,1,1,9,9,64,"a(int, int)","GRBM_COUNT",88.000000,1000,2000\n'
        '2,2,1,1,9,9,64,"b","SQ_WAVES",512.000000,3000,4000\n'
    )
    land(warehouse, path)
    assert rows(warehouse, COUNTED) == [
        ("a(int, int)", 1, "SQ_WAVES", 1024.0, None),
        ("a(int, int)", 1, "GRBM_COUNT", 88.0, None),
        ("b", 2, "SQ_WAVES", 512.0, None),
    ]


@pytest.mark.parametrize("end", [-20, -40])
def test_a_table_that_is_cut_is_refused(warehouse, tmp_path, end):
    path = tmp_path / "7_kernel_trace.csv"
    path.write_bytes(CSV.read_bytes()[:end])
    with pytest.raises(InputError):
        land(warehouse, path)


@pytest.mark.parametrize(("old", "new"), [('238,1,9', '238,1'), ("1191915691", "x")])  # fmt: skip
def test_a_table_that_is_damaged_is_refused(warehouse, tmp_path, old, new):
    path = tmp_path / "7_kernel_trace.csv"
    path.write_text(CSV.read_text().replace(old, new))
    with pytest.raises(InputError, match="cannot be read"):
        land(warehouse, path)


def test_version_4_has_times_and_places_in_tables_of_their_own(warehouse, tmp_path):
    path = tmp_path / "v4.db"
    with closing(sqlite3.connect(path)) as con:
        con.executescript("""
            CREATE TABLE rocpd_string (id INTEGER, string TEXT);
            INSERT INTO rocpd_string VALUES (1, 'hipLaunchKernel');
            CREATE TABLE rocpd_info_kernel_symbol (id INTEGER, kernel_name TEXT, display_name TEXT);
            INSERT INTO rocpd_info_kernel_symbol VALUES (1, 'k.kd', '');
            CREATE TABLE rocpd_event (id INTEGER, stack_id INTEGER);
            INSERT INTO rocpd_event VALUES (1, 70), (2, 70);
            CREATE TABLE rocpd_timestamp (id INTEGER, value INTEGER);
            INSERT INTO rocpd_timestamp VALUES (1, 1000), (2, 1100), (3, 1200), (4, 1500);
            CREATE TABLE rocpd_track (id INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER,
                                      queue_id INTEGER, stream_id INTEGER);
            INSERT INTO rocpd_track VALUES (1, 1, 5, NULL, NULL, NULL), (2, 1, NULL, 3, 1, NULL);
            CREATE TABLE rocpd_region (id INTEGER, track_id INTEGER, name_id INTEGER,
                                       start_id INTEGER, end_id INTEGER, event_id INTEGER);
            INSERT INTO rocpd_region VALUES (1, 1, 1, 1, 2, 1);
            CREATE TABLE rocpd_kernel_dispatch (id INTEGER, track_id INTEGER, kernel_id INTEGER,
                                                start_id INTEGER, end_id INTEGER, event_id INTEGER);
            INSERT INTO rocpd_kernel_dispatch VALUES (1, 2, 1, 3, 4, 2);
        """)
    land(warehouse, path)
    assert rows(warehouse, TASKS) == [
        ("thread 5", "hipLaunchKernel", 0, 100),
        ("agent 3 queue 1", "k.kd", 200, 500),
    ]
    assert rows(warehouse, "SELECT data, t_ready FROM task_data") == [("launch 70", 100)]


def test_rocm_profile_data(warehouse, tmp_path):
    path = tmp_path / "trace.rpd"
    with closing(sqlite3.connect(path)) as con:
        con.executescript("""
            CREATE TABLE rocpd_string (id INTEGER, string TEXT);
            INSERT INTO rocpd_string VALUES (1, 'hipLaunchKernel'), (2, 'k'), (3, ''),
                                            (4, 'CopyDeviceToHost'), (5, 'KernelExecution');
            CREATE TABLE rocpd_api (id INTEGER, pid INTEGER, tid INTEGER, start INTEGER,
                                    "end" INTEGER, apiName_id INTEGER);
            INSERT INTO rocpd_api VALUES (11, 9, 9, 1000, 1100, 1);
            CREATE TABLE rocpd_op (id INTEGER, gpuId INTEGER, queueId INTEGER, start INTEGER,
                                   "end" INTEGER, description_id INTEGER, opType_id INTEGER);
            INSERT INTO rocpd_op VALUES (21, 0, 2, 1200, 1500, 2, 5), (22, 0, 2, 1600, 1700, 3, 4);
            CREATE TABLE rocpd_api_ops (id INTEGER, api_id INTEGER, op_id INTEGER);
            INSERT INTO rocpd_api_ops VALUES (1, 11, 21);
        """)
    land(warehouse, path)
    assert rows(warehouse, TASKS) == [
        ("thread 9", "hipLaunchKernel", 0, 100),
        ("GPU 0 queue 2", "k", 200, 500),
        ("GPU 0 queue 2", "CopyDeviceToHost", 600, 700),
    ]
    assert rows(warehouse, "SELECT task, data FROM task_inputs") == [("task 0", "launch 11")]


def test_a_database_without_events_is_refused(warehouse, tmp_path):
    path = shutil.copy(SAMPLE, tmp_path / "empty.db")
    with closing(sqlite3.connect(path)) as con:
        for (name,) in con.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'"
        ).fetchall():
            con.execute(f'DELETE FROM "{name}"')
        con.commit()
    with pytest.raises(InputError, match="neither work of a GPU nor calls"):
        land(warehouse, path)


def test_files_of_a_process_may_differ_in_case(warehouse, tmp_path):
    for part in CSV.parent.glob("238_*.csv"):
        header, rest = part.read_text().split("\n", 1)
        if "kernel" in part.name:
            header = header.upper()
        name = part.name.replace("hip_api", "HIP_API")
        (tmp_path / name).write_text(f"{header}\n{rest}".rstrip("\n"))
    (landed,) = land(warehouse, tmp_path / "238_HIP_API_trace.csv")
    assert len(landed.runs) == 1
    for query, expected in GOLDEN:
        assert rows(warehouse, query) == expected
