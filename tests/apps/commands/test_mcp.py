"""pwh mcp: one session of the SDK's own client over stdio, and questions with known answers."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import socket
import subprocess
import sys
import time
from contextlib import suppress

import pytest

pytest.importorskip("mcp")

import anyio
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client


def cook(name):
    """Return the call of sql with the query of a question of the cookbook."""
    return ("cookbook", name)


# What is asked, how, and what the answer has in it: the first rows, as far as they are stated, or
# parts of a text. What the demo has planted is in apps/demo; the rest is counted from its files.
QUESTIONS = (
    ("how many runs are there?", ("sql", {"query": "SELECT count(*) AS n FROM runs"}), [{"n": 96}]),
    (
        "which programs, and how many runs of each?",
        ("sql", {"query": "SELECT app, count(*) AS n FROM runs GROUP BY app ORDER BY n DESC, app"}),
        [{"app": "stencil", "n": 32}, {"app": "kernels", "n": 20}],
    ),
    (
        "which run of stencil started last?",
        (
            "sql",
            {"query": "SELECT max_by(version, started_at) AS v FROM runs WHERE app='stencil'"},
        ),
        [{"v": "1.30"}],
    ),
    (
        "which functions did heat 1.5 spend its time in?",
        cook("functions_with_most_of_the_time"),
        [{"function": "heat.py(sweep)", "percent": 83.1}],
    ),
    ("what runs has sorter?", ("list_runs", {"app": "sorter"}), [{"app": "sorter"}] * 10),
    ("what got worse?", ("list_events", {}), [{"app": "stencil"}, {"app": "kernels"}]),
    (
        "what is open in kernels?",
        ("list_events", {"app": "kernels", "state": ["new"]}),
        [{"metric": "metric:pack", "version": "3.13", "direction": "worse"}],
    ),
    (
        "did anything of sorter change?",
        ("list_events", {"app": "sorter"}),
        [],
    ),
    (
        "since when is stencil slower, and by how much?",
        ("trend", {"app": "stencil", "metrics": ["wall_seconds"]}),
        ("+17.8 %, worse, since run stencil-1.23", "11.9 s before, 14 s after"),
    ),
    (
        "why is stencil slower?",
        ("explain", {"run": "stencil"}),
        ("sweep takes 25.5 % longer, 86.6 % of the loss", "waits for main memory"),
    ),
    (
        "what made stencil 1.23 slower?",
        ("explain", {"run": "stencil-1.23"}),
        ("17.8 % longer", "125 times the l3_misses at the same instructions"),
    ),
    (
        "is spmv slower than the run before?",
        ("explain", {"run": "spmv-0.9"}),
        ("spmv",),
    ),
    (
        "is sorter 2.10 slower than 2.9?",
        ("compare", {"before": "sorter@2.9", "after": "sorter@2.10"}),
        ("wall_seconds: no change beyond the noise: -0.603 %",),
    ),
    (
        "what did stencil lose from 1.22 to 1.23?",
        (
            "compare",
            {"before": "stencil@1.22", "after": "stencil@1.23", "metrics": ["seconds:sweep"]},
        ),
        ("seconds:sweep",),
    ),
    (
        "which function takes more in stencil 1.23?",
        ("profile_difference", {"before": "stencil-1.22", "after": "stencil-1.23", "rows": 1}),
        [{"function": "sweep", "unit": "s"}],
    ),
    (
        "what limits stencil 1.23?",
        ("report", {"run": "stencil-1.23"}),
        (
            "Mem, main memory (83.5 % of the cycles",
            "starvation 15.5 %",
            "1.41 instructions per cycle",
        ),
    ),
    (
        "where does spmv spend its time?",
        ("report", {"run": "spmv-0.9"}),
        ("multiply takes 80.2 % of the time (3.11 s)",),
    ),
    ("which tables are there?", ("schema", {}), [{"name": "runs", "kind": "table"}]),
    (
        "what is in run_metrics?",
        ("schema", {"name": "run_metrics"}),
        [{"column": "run_id", "type": "varchar"}],
    ),
    (
        "what is frequently asked about scaling?",
        ("cookbook", {"words": "scale worse"}),
        [{"name": "scaling_worse_than_before"}],
    ),
    (
        "which benchmarks got slower?",
        cook("benchmarks_that_changed"),
        [{"benchmark": "pack", "since": "3.13", "direction": "worse", "percent": 7.8}],
    ),
    (
        "which are too noisy?",
        cook("benchmarks_that_hide_changes"),
        [{"benchmark": "flush", "state": "noisy"}],
    ),
    (
        "where did the bottleneck move?",
        cook("bottlenecks_that_moved"),
        [{"region": "sweep", "class_before": "Balance", "version": "1.23", "class": "Mem"}],
    ),
    (
        "at which clock rate did residual run?",
        cook("clock_rate_of_functions"),
        [{"function": "residual", "median_ghz": 2.0}],
    ),
    (
        "more work, or slower work?",
        cook("counters_more_work_or_slower_work"),
        [{"version": "1.23", "instructions": 1.012, "cycles_per_instruction": 1.203}],
    ),
    (
        "what could not be counted?",
        cook("counters_never_counted"),
        [{"machine": "demo-vm", "event": "cycles", "runs": 6}],
    ),
    (
        "did the new compiler help?",
        cook("compiler_change"),
        [{"metric": "wall_seconds", "verdict": "same"}],
    ),
    (
        "how often do inner loops run?",
        cook("code_loop_iterations"),
        [{"kernel": "sweep", "source_line": 13, "iterations": 64.0}],
    ),
    (
        "what is called too often?",
        cook("functions_called_too_often"),
        [{"version": "1.3", "calls": 871200}],
    ),
    (
        "what is slow through what it calls?",
        cook("functions_slow_through_callees"),
        [{"function": "heat.py(run)", "own_percent": 2.4}],
    ),
    (
        "which function lost most?",
        cook("functions_slower_than_last_version"),
        [{"earlier": "1.22", "later": "1.23", "function": "sweep"}],
    ),
    (
        "how far from its best is stencil?",
        cook("history_latest_against_best"),
        [{"app": "stencil", "best_version": "1.11", "percent_slower": 19.2}],
    ),
    (
        "which single runs were slow?",
        cook("history_single_slow_runs"),
        [{"run_id": "heat-1.3", "percent_slower": 62.6}],
    ),
    (
        "what scales worse?",
        cook("scaling_worse_than_before"),
        [{"function": "sweep", "exponent_earlier": -0.97, "exponent_later": -0.72}],
    ),
    (
        "how many processes are worth using?",
        cook("scaling_processes_worth_using"),
        [{"version": "1.22", "processes": 16, "efficiency_percent": 59.0}],
    ),
    (
        "which worker idles most?",
        cook("tasks_idle_workers"),
        [{"worker": "1/t0", "idle_percent": 48.9, "starvation": 18.8}],
    ),
    (
        "which tasks are uneven?",
        cook("tasks_uneven"),
        [{"task_type": "sweep", "tasks": 32, "slowest_task": "sweep-1.1"}],
    ),
    (
        "what lengthened the critical path?",
        cook("tasks_critical_path_of_two_runs"),
        [{"task_type": "sweep", "cause": "compute", "seconds_more": 0.598}],
    ),
    (
        "which thread does most?",
        cook("threads_out_of_balance"),
        [{"busiest_thread": 1, "imbalance": 0.833, "function": "write_number"}],
    ),
    (
        "how fast do data move?",
        cook("transfers_between_nodes"),
        [{"transfers": 15, "megabytes": 6.45, "median_ms": 7.44}],
    ),
)
# Calls that have no answer, and what they are told.
REFUSED = (
    (("sql", {"query": "DELETE FROM runs"}), "DELETE is not possible here"),
    (("sql", {"query": "SELECT 1; SELECT 2"}), "more than one statement"),
    (("sql", {"query": "FROM read_text('/etc/passwd')"}), "files and the network"),
    (("sql", {"query": "SELECT sum(a.i * b.i) FROM range(300000) a(i), range(300000) b(i)",
              "seconds": 0.5}), "took longer than 0.5 s"),
    (("sql", {"query": "SELECT nothing FROM runs"}), "nothing"),
    (("sql", {"query": "FROM runs", "rows": 100_000}), "less than or equal to 2000"),
    (("report", {"run": "nope"}), "there is no run 'nope'"),
    (("explain", {"run": "latest", "against": ["nope"]}), "nope"),
    (("list_events", {"state": ["odd"]}), "there is no state odd"),
    (("plot_history", {"app": "stencil", "metric": "odd"}), "has no series of odd"),
)  # fmt: skip
MORE = (
    ("list_runs", {"rows": 1}),
    ("sql", {"query": "FROM runs ORDER BY run_id", "rows": 3}),
    ("plot_history", {"app": "stencil"}),
)


def key(call):
    return json.dumps(call)


@pytest.fixture(scope="module")
def asked(demo_warehouse):
    """Return the tools, and the answers to all calls, of one session with one server."""

    async def session():
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "apps.cli", "--db", str(demo_warehouse), "mcp"],
            env=dict(os.environ),
        )
        found = {}
        async with stdio_client(server) as streams, ClientSession(*streams) as client:
            await client.initialize()
            tools = (await client.list_tools()).tools
            recipes = (await client.call_tool("cookbook", {})).structured_content["answer"]
            sql = {one["name"]: one["sql"] for one in recipes}
            for call in (*(one[1] for one in QUESTIONS), *(one[0] for one in REFUSED), *MORE):
                name, arguments = call
                if isinstance(arguments, str):
                    name, arguments = "sql", {"query": sql[arguments]}
                found[key(call)] = await client.call_tool(name, arguments)
        return tools, found

    before = hashlib.sha256(demo_warehouse.read_bytes()).digest()
    answers = anyio.run(session)
    assert hashlib.sha256(demo_warehouse.read_bytes()).digest() == before
    return answers


def test_there_are_forty_questions_and_every_tool_is_asked(asked):
    tools, _ = asked
    assert len(QUESTIONS) == 40
    calls = {"sql" if isinstance(arguments, str) else name for _, (name, arguments), _ in QUESTIONS}
    assert calls | {name for name, _ in MORE} == {tool.name for tool in tools}
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert all(tool.description.endswith(".") for tool in tools)


@pytest.mark.parametrize(("call", "known"), [one[1:] for one in QUESTIONS],
                         ids=[one[0] for one in QUESTIONS])  # fmt: skip
def test_a_question_has_the_known_answer_and_its_queries(asked, call, known):
    told = asked[1][key(call)]
    assert not told.is_error, told.content
    answer, queries = (told.structured_content[name] for name in ("answer", "queries"))
    if isinstance(known, tuple):
        assert all(part in answer for part in known), answer
    else:
        shown = [row | wanted for row, wanted in zip(answer, known, strict=False)]
        assert answer[: len(known)] == shown and (known or not answer)
    if call[0] != "cookbook" or isinstance(call[1], str):
        assert queries and all(one["sql"] and "parameters" in one for one in queries)


@pytest.mark.parametrize(("call", "said"), REFUSED, ids=[one[1] for one in REFUSED])
def test_what_has_no_answer_is_told(asked, call, said):
    told = asked[1][key(call)]
    assert told.is_error and said in told.content[0].text


def test_rows_are_limited_and_that_is_told(asked):
    told = asked[1][key(MORE[0])].structured_content
    assert len(told["answer"]) == 1
    told = asked[1][key(MORE[1])].structured_content
    assert (len(told["answer"]), told["more"]) == (3, True)


def test_a_history_is_a_picture_with_its_values_and_query(asked):
    text, picture = asked[1][key(MORE[2])].content
    told = json.loads(text.text)
    assert len(told["answer"]["series"]) == 22 and told["queries"]
    assert (picture.type, picture.mime_type) == ("image", "image/svg+xml")
    svg = base64.b64decode(picture.data).decode()
    assert svg.startswith('<svg xmlns="http://www.w3.org/2000/svg"') and svg.count("<circle") == 22


def test_http_is_served_to_this_computer_alone(demo_warehouse):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "apps.cli", "--db", demo_warehouse, "mcp", "--http", port]
    server = subprocess.Popen([*map(str, command)], stderr=subprocess.DEVNULL)

    async def ask():
        async with (
            streamable_http_client(f"http://127.0.0.1:{port}/mcp") as streams,
            ClientSession(*streams[:2]) as client,
        ):
            await client.initialize()
            return await client.call_tool("sql", {"query": "SELECT count(*) AS n FROM runs"})

    try:
        for _ in range(600):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.1)
        assert anyio.run(ask).structured_content["answer"] == [{"n": 96}]
        with (
            pytest.raises(ConnectionRefusedError),
            socket.create_connection(("127.0.0.2", port), timeout=1),
        ):
            pass
    finally:
        server.terminate()
        server.wait()
