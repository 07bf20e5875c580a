"""Times by function that other profilers print."""

from __future__ import annotations

import re

import pytest

from tests.helpers.support import land, rows
from tests.ingest.cases.function_tables import SAMPLE
from warehouse.errors import InputError

TIMES = "SELECT function, kind, seconds, inclusive_seconds, calls FROM fn_timings ORDER BY rowid"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Ranges of NVTX lie within each other: no sum over them is the time of anything.
        (
            "nvtx.csv",
            [(":step", "range", None, 3e-3, 3), (":solve, inner", "range", None, 2e-3, 3)],
        ),
        (
            "old.csv",
            [
                ("saxpy(int, float, float *)", "kernel", 1.25e-3, None, 10),
                ("void reduce<int>(int *)", "kernel", 0.75e-3, None, 5),
            ],
        ),
        (
            "nvprof.csv",
            [
                ("saxpy(int, float, float*)", "gpu", 1.25e-3, None, 10),
                ("[CUDA memcpy HtoD]", "gpu", 0.75e-3, None, 5),
                ("cudaMalloc", "api", 0.1234, None, 3),
            ],
        ),
        (
            "nvprof.txt",
            [
                (
                    *("void matrixMulCUDA<int=32>(float*, float*, float*, int, int)", "gpu"),
                    *(1.11524, None, 301),
                ),
                ("[CUDA memcpy HtoD]", "gpu", 406.3e-6, None, 2),
                ("[CUDA memcpy DtoH]", "gpu", 248.29e-6, None, 1),
            ],
        ),
        (
            "rocprof.stats.csv",
            [
                ("matmul(float*, float*)", None, 1e-3, None, 10),
                ("copy.kd", None, 0.6e-3, None, 5),
            ],
        ),
        ("vtune.csv", [("work", None, 12.34, None, None)]),
    ],
)
def test_totals_are_in_seconds(warehouse, name, expected):
    land(warehouse, SAMPLE.with_name(name))
    assert rows(warehouse, TIMES) == [
        (function, kind, pytest.approx(seconds), pytest.approx(inclusive), calls)
        for function, kind, seconds, inclusive, calls in expected
    ]


def test_each_process_of_nvprof_is_a_run(warehouse, tmp_path):
    text = SAMPLE.with_name("nvprof.txt").read_text()
    process = re.search(r"==(\d+)==", text)[1]
    other = text.replace(f"=={process}==", "==7==").replace(f"process {process},", "process 7,")
    (tmp_path / "two.txt").write_text(f"first\n{text}\n\nsecond\n{other}")
    land(warehouse, tmp_path / "two.txt")
    runs = "SELECT count(*), sum(seconds) FROM fn_timings GROUP BY run_id"
    assert rows(warehouse, runs) == [(3, pytest.approx(1.11524 + 654.59e-6))] * 2


def test_times_with_their_units_are_read(warehouse, tmp_path):
    heading = '"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"'
    row = '"API calls",40.5%,276.51us,2,138.25us,135.18us,141.33us,"cudaMalloc"'
    (tmp_path / "nvprof.csv").write_text(f"{heading}\n{row}\n")
    land(warehouse, tmp_path / "nvprof.csv")
    assert rows(warehouse, TIMES) == [("cudaMalloc", "api", pytest.approx(276.51e-6), None, 2)]


def test_a_kernel_of_a_lambda_is_no_call_path(warehouse, tmp_path):
    row = '100.0,6000,2,"k<[lambda(int) -> float (instance 1)]>"'
    text = f"Time (%),Total Time (ns),Instances,Name\n{row}\n"
    (tmp_path / "cuda_gpu_kern_sum.csv").write_text(text)
    land(warehouse, tmp_path / "cuda_gpu_kern_sum.csv")
    totals = rows(warehouse, "SELECT function, own FROM function_totals")
    assert totals == [("k<[lambda(int) \u2192 float (instance 1)]>", 6e-6)]


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("old.csv", "750000,", "", "there are 6 values"),
        ("old.csv", "750000", "many", "'many' was found"),
        ("nvprof.csv", ",%,ms,", ",%,MB,", "the time 'MB' has no known unit"),
        ("nsys.txt", "(cuda_gpu_kern_sum):", "(cuda_api_sum):", "cuda_api_sum is repeated"),
    ],
)
def test_damage(warehouse, tmp_path, name, old, new, message):
    text = SAMPLE.with_name(name).read_text()
    assert old in text
    (tmp_path / name).write_text(text.replace(old, new))
    with pytest.raises(InputError, match=message):
        land(warehouse, tmp_path / name)


@pytest.mark.parametrize("value", ["0,5", "1,234"])
def test_a_decimal_comma_is_no_group_of_thousands(refusal, value):
    message = refusal(f"Function;CPU Time;Module\nwork;{value};a.out\n".encode())
    assert f"{value}' was found" in message and "expected a number" in message
