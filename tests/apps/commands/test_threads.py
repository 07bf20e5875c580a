"""`pwh threads` and `pwh fit behaviour`: verdicts, tables, pictures, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import shutil
import struct
import zlib

import pytest

import warehouse
from apps.reports.pictures import graph_dot, grey_png, largest_blocks
from tests.helpers.support import keep, shared

# Four threads; threads 2 and 3 go around the loop of block 1 more often.
VISITS = """run_id,launch,kernel,block,warp,thread,bb,visits,instructions
r,0,loop,0,0,0,0,1,4
r,0,loop,0,0,0,1,1,3
r,0,loop,0,0,1,0,1,4
r,0,loop,0,0,1,1,1,3
r,0,loop,0,0,2,0,1,4
r,0,loop,0,0,2,1,9,27
r,0,loop,0,0,3,0,1,4
r,0,loop,0,0,3,1,9,27
r,1,loop,4,0,0,0,1,4
r,1,loop,4,0,1,0,1,4
"""
BLOCKS = """run_id,kernel,bb,size,barriers,source_file,source_line
r,loop,0,4,0,loop.ptx,10
r,loop,1,3,1,loop.ptx,20
"""
EDGES = """run_id,launch,kernel,src,dst,count
r,0,loop,0,1,4
r,0,loop,1,1,16
"""
LAUNCHES = """run_id,launch,kernel,warp_size,granularity
r,0,loop,4,thread
r,1,loop,4,thread
"""
TABLES = {
    "bb_visits": VISITS,
    "bb_blocks": BLOCKS,
    "bb_edges": EDGES,
    "bb_launches": LAUNCHES,
}


@pytest.fixture(scope="module")
def ingested_once(ingested, folder):
    """Land one small run of two launches."""
    for name, text in TABLES.items():
        (folder / f"{name}.csv").write_text(text)
    return ingested(*(folder / f"{name}.csv" for name in TABLES))


def test_verdicts_come_first_with_figures_and_their_meaning(pwh):
    code, out, err = pwh("threads", "r", "--launch", "0")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[2:8] == [
        "* loop, launch 0: branch divergence and synchronisation are both prominent.",
        "  SIMT efficiency 0.613, at most (divergent below 0.797), the mean share of active lanes "
        "in a warp: lanes of a warp part and wait for each other.",
        "  Warps whose lanes part: 1 of 1; worst: 0 of block 0.",
        "  Fluctuation rate 0.333 (prominent over 0.171): neighbouring threads take different "
        "paths.",
        "  Synchronisation rate 0.833 (prominent over 0.0707): barriers per visit of a basic "
        "block, 26.3 % of the executed instructions; 33.3 % of thread pairs execute the same "
        "barriers equally often.",
        "  2 different basic-block vectors among 4 threads; two threads of a thread "
        "block are 5.33 visits apart on "
        "average.",
    ]
    assert "Thread blocks of launch 0, euclidean distances" in out


def test_several_launches_have_a_verdict_on_the_program_and_its_kernels(pwh):
    _, out, _ = pwh("threads", "r")
    assert out.splitlines()[2:4] == [
        "* The program, over 2 launches weighted by instructions: branch divergence and "
        "synchronisation are both prominent.",
        "  Divergent launches: 1 of 2, with 90.5 % of the instructions.",
    ]
    _, out, _ = pwh("threads", "r", "--kernels", "-f", "json")
    assert [(row["scope"], row["kernel"], row["verdict"]) for row in json.loads(out)] == [
        ("program", None, "both"),
        ("kernel", "loop", "both"),
    ]
    _, out, _ = pwh("threads", "r", "--kernels")
    assert "(program)" in out.partition("Kernels")[2]


def test_launches_of_one_kernel_and_verdict_are_grouped(run, tmp_path):
    path = tmp_path / "v.csv"
    lines = [f"r,{launch},k,0,{t},0,1" for launch in range(9) for t in range(4)]
    path.write_text("run_id,launch,kernel,block,thread,bb,visits\n" + "\n".join(lines) + "\n")
    run("ingest", path)
    _, out, _ = run("threads", "r")
    assert "* k, launches 0, 1, 2, 3, 4, 5 and 3 more: branch divergence is not prominent; " in out
    assert "All 4 threads have the same basic-block vector." in out


def test_rows_for_programs(pwh):
    _, out, _ = pwh("threads", "r", "--format", "json")
    first, second = json.loads(out)
    assert (first["launch"], first["verdict"], first["barriers"]) == (0, "both", 20)
    assert (second["launch"], second["verdict"], second["threads"]) == (1, "neither", 2)
    _, out, _ = pwh("threads", "r", "--launch", "0", "--block", "0", "-f", "json")
    assert json.loads(out)[0]["mean_distance"] == pytest.approx(16 / 3)
    _, out, _ = pwh("threads", "r", "--groups", "-f", "csv")
    groups = [row for row in csv.DictReader(io.StringIO(out)) if row["launch"] == "0"]
    assert [(row["behaviour_group"], row["threads"], row["thread"]) for row in groups] == [
        ("1", "2", "0"),
        ("2", "2", "2"),
    ]


def test_groups_and_the_worst_warps(pwh):
    _, out, _ = pwh("threads", "r", "--launch", "0", "--groups")
    _, _, after = out.partition("Groups of similar threads")
    assert [line.split() for line in after.splitlines()[3:5]] == [
        ["0", "1", "2", "50", "%", "1", "block", "0,", "thread", "0", "0"],
        ["0", "2", "2", "50", "%", "1", "block", "0,", "thread", "2", "0"],
    ]
    assert "Warps that lose most to divergence" in after


def test_phases_are_those_of_threads_over_time(run, tmp_path):
    path = tmp_path / "v.csv"
    lines = [f"r,0,1,{i},{i // 6},100" for i in range(12)]
    path.write_text("run_id,launch,thread,interval,bb,instructions\n" + "\n".join(lines) + "\n")
    run("ingest", path)
    _, out, _ = run("threads", "r", "--phases", "-f", "json")
    assert [(row["phase"], row["weight"], row["first_interval"]) for row in json.loads(out)] == [
        (0, 0.5, 0),
        (1, 0.5, 6),
    ]
    _, out, _ = run("threads", "r", "--phases")
    assert "Phases over time" in out


def pixels(path):
    """Return the pixels of a grey PNG as rows, by what the standard says of it."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        (check,) = struct.unpack(">I", data[at + 8 + size : at + 12 + size])
        assert check == zlib.crc32(kind + body)
        chunks[kind], at = body, at + 12 + size
    width, height, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert rest == [8, 0, 0, 0, 0]
    raw = zlib.decompress(chunks[b"IDAT"])
    rows = [raw[y * (width + 1) :][: width + 1] for y in range(height)]
    assert {row[0] for row in rows} == {0}
    return [row[1:] for row in rows]


def test_the_matrix_is_a_picture_of_brightness(pwh, tmp_path):
    code, _, err = pwh("threads", "r", "--matrix", "m.png")
    assert code == 0
    assert err == (
        "pwh: m.png: launch 0, block 0, threads: 4; black: equal, white: far apart (euclidean)\n"
    )
    found = pixels(tmp_path / "m.png")
    assert (len(found), len(found[0])) == (512, 512)
    assert [row[64::128].hex() for row in found[64::128]] == [
        "0000ffff",
        "0000ffff",
        "ffff0000",
        "ffff0000",
    ]


def test_the_matrix_of_barriers(pwh, tmp_path):
    code, _, err = pwh("threads", "r", "--matrix", "m.png", "--vectors", "barriers")
    assert code == 0 and "white: far apart (euclidean, barriers)" in err
    assert [row[64::128].hex() for row in pixels(tmp_path / "m.png")[64::128]] == [
        *["0000ffff"] * 2,
        *["ffff0000"] * 2,
    ]


def test_barriers_that_are_not_recorded_have_no_matrix(run, tmp_path):
    (tmp_path / "bb_visits.csv").write_text(VISITS)
    run("ingest", "bb_visits.csv")
    code, _, err = run("threads", "r", "--matrix", "m.png", "--vectors", "barriers")
    assert code == 5 and "no threads whose barriers to compare" in err


OPCODES = """run_id,launch,kernel,bb,opcode,count
copy,0,copy,0,ld.global.f32,40
copy,0,copy,0,st.global.f32,40
copy,0,copy,0,add.s32,20
fma,0,fma,0,fma.rn.f32,95
fma,0,fma,0,ld.global.f32,5
"""
OF_TWO = """run_id,launch,kernel,block,warp,thread,bb,visits,instructions
copy,0,copy,0,0,0,0,1,100
fma,0,fma,0,0,0,0,1,100
"""


def test_two_programs_are_compared(run, tmp_path):
    (tmp_path / "bb_opcodes.csv").write_text(OPCODES)
    (tmp_path / "bb_visits.csv").write_text(OF_TWO)
    run("ingest", "bb_opcodes.csv", "bb_visits.csv")
    code, out, _ = run("threads", "copy", "fma")
    assert code == 0
    lines = out.splitlines()
    assert lines[2].startswith(
        "* copy is data-bound: 80 % of its instructions access memory; fma is compute-bound: 5 % of"
    )
    assert lines[3] == "* copy accesses memory 16 times as often per instruction."
    assert [line.split() for line in lines if line.startswith("memory")] == [
        ["memory", "accesses", "per", "instruction", "0.8", "0.05", "0.0625"]
    ]
    _, out, _ = run("threads", "copy", "fma", "-f", "json")
    assert [(r["scope"], r["run_id"], r["bound"]) for r in json.loads(out)] == [
        ("program", "copy", "data-bound"),
        ("program", "fma", "compute-bound"),
        ("kernel", "copy", "data-bound"),
        ("kernel", "fma", "compute-bound"),
    ]
    assert run("threads", "copy", "copy")[0] == run("threads", "copy", "fma", "--groups")[0] == 2


def test_a_picture_of_many_threads_is_not_enlarged(tmp_path):
    rows = [bytes([y % 256] * 600) for y in range(600)]
    (tmp_path / "m.png").write_bytes(grey_png(rows))
    assert pixels(tmp_path / "m.png") == rows


def test_the_control_flow_as_dot(pwh, tmp_path):
    code, _, err = pwh("threads", "r", "--cfg", "flow.dot")
    assert (code, err) == (0, "pwh: flow.dot: control flow of launch 0, basic blocks: 2\n")
    dot = (tmp_path / "flow.dot").read_text()
    assert 'label="loop, launch 0 of r"' in dot
    assert '1 [label="block 1\\n3 instructions, 20 visits, 1 barrier\\nloop.ptx:20"' in dot
    assert '0 -> 1 [label=" 1 ", probability="1", count=4' in dot
    assert '1 -> 1 [label=" 1 ", probability="1", count=16' in dot


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_names_from_traces_mean_nothing_in_dot_and_svg(run, tmp_path):
    from xml.etree import ElementTree

    name = """<b>"x\\N\\"] & &lt;script>"""
    visits = [f"r,0,k,0,{t},{bb},1" for t in range(2) for bb in range(2)]
    (tmp_path / "v.csv").write_text(
        "run_id,launch,kernel,block,thread,bb,visits\n" + "\n".join(visits) + "\n"
    )
    (tmp_path / "e.csv").write_text("run_id,launch,kernel,src,dst,count\nr,0,k,0,1,2\n")
    run("ingest", "v.csv", "e.csv")
    with warehouse.connect(tmp_path / "pwh.duckdb") as con:
        for table in ("bb_visits", "bb_edges"):
            con.execute(f"UPDATE {table} SET kernel = ?", [name])
        keep(con)
    code, _, err = run("threads", "r", "--cfg", "flow.svg")
    assert code == 0, err
    found = ElementTree.parse(tmp_path / "flow.svg")
    texts = [element.text for element in found.iter() if element.tag.endswith("}text")]
    assert f"{name}, launch 0 of r" in [text.replace("\xa0", " ") for text in texts]
    assert not [element for element in found.iter() if "script" in element.tag]
    code, _, err = run("threads", "r", "--cfg", "flow.png")
    assert (tmp_path / "flow.png").read_bytes().startswith(b"\x89PNG")


def test_without_graphviz_only_dot_is_written(pwh, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, err = pwh("threads", "r", "--cfg", "flow.svg")
    assert code == 2
    assert "needs Graphviz" in err and "Install the package graphviz" in err
    assert pwh("threads", "r", "--cfg", "flow.dot")[0] == 0


def test_of_many_blocks_those_are_drawn_that_execute_nearly_all():
    def block(bb, instructions):
        return {"bb": bb, "instructions": instructions, "visits": 1}

    few = [block(bb, 1) for bb in range(100)]
    assert largest_blocks(few) == few
    assert len(largest_blocks([block(bb, 1000 if bb < 30 else 1) for bb in range(200)])) == 30
    assert len(largest_blocks([block(bb, 1) for bb in range(5000)])) == 100
    assert len(largest_blocks([block(bb, 0 if bb else 10**9) for bb in range(5000)])) == 16


def test_probabilities_near_one_are_not_rounded_to_it():
    keys = ("bb", "visits", "instructions", "size", "barriers", "function", "source_file")
    blocks = [dict.fromkeys([*keys, "source_line"]) | {"bb": bb} for bb in (0, 1)]
    edges = [
        {"src": 0, "dst": 0, "count": 999_999, "probability": 0.999999},
        {"src": 0, "dst": 1, "count": 1, "probability": 0.000001},
    ]
    dot = graph_dot("t", blocks, edges)
    assert '0 -> 0 [label=" >0.999 ", probability="0.999999"' in dot
    assert '0 -> 1 [label=" 1e-06 ", probability="1e-06"' in dot


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--launch", "7"), 5, "the run r has no launch 7"),
        (("--launch", "0", "--block", "3"), 5, "launch 0 of r has no thread block 3"),
        (("--cfg", "flow.pdf"), 2, "End its name in .dot or .svg or .png."),
        (("--matrix", "m.jpg"), 2, "End its name in .png."),
        (("--matrix", "nowhere/m.png"), 2, "there is no folder nowhere"),
        (("--phases",), 5, "the trace of r has no intervals"),
        (("--groups", "--phases", "-f", "csv"), 2, "of which csv can hold one"),
        (("--kernels", "--groups", "-f", "json"), 2, "of which json can hold one"),
        (("--imbalance",), 5, "the run r has no functions that several CPU threads share"),
        (("--kernels", "--launch", "0"), 2, "--kernels is over all launches"),
        (("--metric", "cosine"), 2, "cosine"),
    ],
)
def test_what_is_refused(options, code, message, pwh):
    found, out, err = pwh("threads", "r", *options)
    assert (found, out) == (code, "")
    assert message in err and "Traceback" not in err


def test_runs_without_block_traces(run, tmp_path):
    (tmp_path / "t.csv").write_text("run_id,function,seconds\nr,f,1\n")
    run("ingest", "t.csv")
    code, _, err = run("threads", "r")
    assert code == 5
    assert "the run r has no traces of basic blocks" in err


def test_cpu_threads_without_blocks_have_an_imbalance(run, tmp_path):
    lines = ["r,1,work,Ir,100000", "r,2,work,Ir,300000", "r,2,more,Ir,0", "r,3,work,Ir,200000"]
    (tmp_path / "p.csv").write_text("run_id,thread,region,event,value\n" + "\n".join(lines) + "\n")
    assert run("ingest", "p.csv")[0] == 0
    code, out, err = run("threads", "r")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "Run r",
        "",
        "* The 3 threads execute 200 k instructions on average, the busiest, thread 2, 300 k "
        "instructions, an imbalance of 50 %.",
        "* Most of the imbalance is in work: 300 k instructions on thread 2, 200 k instructions on "
        "average, 100 % of its excess.",
    ]
    (row,) = json.loads(run("threads", "r", "-f", "json")[1])
    assert (row["threads"], row["imbalance"]) == (3, 0.5)
    _, out, _ = run("threads", "r", "--imbalance", "-f", "json")
    assert [(row["function"], row["excess"]) for row in json.loads(out)] == [
        ("work", 100000),
        ("more", 0),
    ]
    assert "Functions by the excess" in run("threads", "r", "--imbalance")[1]
    code, _, err = run("threads", "r", "--groups")
    assert (code, "has no traces of basic blocks" in err) == (5, True)


def test_one_working_thread_has_nothing_to_compare_it_with(run, tmp_path):
    (tmp_path / "p.csv").write_text(
        "run_id,thread,region,event,value\nr,1,main,Ir,100\nr,2,work,Ir,90000\n"
    )
    run("ingest", "p.csv")
    code, out, _ = run("threads", "r")
    assert code == 0
    assert out.splitlines()[2:] == [
        "* Imbalance between threads in instructions: one thread works: nothing to compare it "
        "with.",
        "* Thread 1 is left out, as it takes hardly any part in the work of the others: 100 "
        "instructions.",
    ]


def test_vectors_without_edges_have_no_control_flow(run, tmp_path):
    rows = [f"r,0,{t},{bb},5" for t in range(3) for bb in range(2)]
    (tmp_path / "v.csv").write_text(
        "run_id,launch,thread,bb,instructions\n" + "\n".join(rows) + "\n"
    )
    run("ingest", "v.csv")
    code, _, err = run("threads", "r", "--cfg", "flow.dot")
    assert code == 5
    assert "no control flow is recorded for launch 0 of r" in err
    assert run("threads", "r", "--matrix", "m.png")[0] == 0
    code, _, err = run("threads", "r", "--block", "0")
    assert (code, "in no thread block" in err) == (5, True)


def test_too_many_threads_for_a_picture_are_refused_with_a_message(run, tmp_path):
    rows = [f"r,0,{t},0,5" for t in range(9000)]
    (tmp_path / "v.csv").write_text("run_id,launch,thread,bb,visits\n" + "\n".join(rows) + "\n")
    run("ingest", "v.csv")
    code, _, err = run("threads", "r", "--matrix", "m.png")
    assert code == 2
    assert "9000 threads are too many for one matrix" in err
    assert "UDF" not in err and ".py" not in err


def test_report_gives_the_verdict(pwh):
    _, out, _ = pwh("report", "r")
    assert (
        "* loop, launch 0: branch divergence and synchronisation are both prominent; threads 4; "
        "basic blocks 2; fluctuation rate 0.333; SIMT efficiency 0.613; synchronisation rate "
        "0.833; barriers per instruction 0.263."
    ) in out


@pytest.mark.usefixtures("changeable")
def test_thresholds_follow_from_known_behaviours(pwh):
    def threshold(rate):
        rows = json.loads(pwh("fit", "behaviour", "-f", "json")[1])
        return next(row["threshold"] for row in rows if row["rate"] == rate)

    before = threshold("fluctuation")
    code, _, err = pwh("fit", "behaviour", "r", "divergent", "--launch", "1", "--by", "me")
    assert code == 0
    assert err.startswith("pwh: stored: r, launch 1 is divergent (fluctuation 0, ")
    assert threshold("fluctuation") < before


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("r", "divergent"), 2, "the run r has 2 launches"),
        (("r", "--launch", "1"), 2, "no behaviour of r is named"),
        (("r", "slow", "--launch", "0"), 2, "there is no behaviour 'slow'"),
        (("r", "divergent", "--launch", "9"), 5, "has no launch 9"),
        (("s", "divergent"), 5, "there is no run 's'"),
    ],
)
@pytest.mark.usefixtures("changeable")
def test_behaviours_that_are_refused(arguments, code, message, pwh):
    found, _, err = pwh("fit", "behaviour", *arguments)
    assert found == code
    assert message in err


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("vecadd.log.gz", "neither"),
        ("reduce.log.gz", "synchronising"),
        ("diverge4.log.gz", "divergent"),
        ("bitonic.log.zst", "both"),
    ],
)
def test_verdicts_of_recordings(name, verdict, run):
    run("ingest", shared(f"bb/gpgpusim/{name}"))
    _, out, _ = run("threads", "latest", "-f", "json")
    assert [row["verdict"] for row in json.loads(out)] == [verdict]


def test_a_barrier_in_a_long_block_is_too_rare_to_matter(run, tmp_path):
    """One for each visit, as where threads synchronise, but 1 of 5,000 instructions."""
    (tmp_path / "bb_blocks.csv").write_text("run_id,kernel,bb,size,barriers\nr,k,0,5000,1\n")
    visits = "".join(f"r,0,k,0,0,{thread},0,10,50000\n" for thread in range(32))
    head = "run_id,launch,kernel,block,warp,thread,bb,visits,instructions\n"
    (tmp_path / "bb_visits.csv").write_text(head + visits)
    run("ingest", tmp_path)
    _, out, _ = run("threads", "r")
    assert "neither branch divergence nor synchronisation is prominent" in out
    assert "0.02 % of the executed instructions, too few to matter" in out
