"""Databases of HPCToolkit as hpcprof-mpi writes them, for tests: a few procedures and threads."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

HEAD = """\
<?xml version="1.0"?>
<!DOCTYPE HPCToolkitExperiment [
<!ELEMENT HPCToolkitExperiment (Header, (SecCallPathProfile|SecFlatProfile)*)>
]>
<HPCToolkitExperiment version="2.2">
<Header n="stencil">
  <Info/>
</Header>
<SecCallPathProfile i="0" n="stencil">
<SecHeader>
  <MetricTable>
    <Metric i="4" n="CPUTIME (sec):Sum (I)" v="derived-incr" t="inclusive" partner="5"/>
    <Metric i="5" n="CPUTIME (sec):Sum (E)" v="derived-incr" t="exclusive" partner="4"/>
    <Metric i="7" n="CPUTIME (sec):Mean (E)" v="derived-incr" t="exclusive" partner="6"/>
    <Metric i="9" n="PAPI_TOT_CYC:Sum (E)" v="derived-incr" t="exclusive" partner="8"/>
  </MetricTable>
{stored}  <LoadModuleTable>
    <LoadModule i="2" n="/home/u/stencil"/>
    <LoadModule i="3" n="/usr/lib/libc.so.6"/>
  </LoadModuleTable>
  <ProcedureTable>
    <Procedure i="10" n="&lt;program root&gt;"/>
    <Procedure i="11" n="main"/>
    <Procedure i="12" n="relax"/>
    <Procedure i="13" n="at&lt;double&gt;"/>
    <Procedure i="14" n="&lt;unknown procedure&gt;"/>
  </ProcedureTable>
</SecHeader>
<SecCallPathProfileData>
"""
STORED = """\
  <MetricDBTable>
    <MetricDB i="0" n="CPUTIME (sec) (I)" t="inclusive" db-id="0" db-num-metrics="3"/>
    <MetricDB i="1" n="CPUTIME (sec) (E)" t="exclusive" db-id="1" db-num-metrics="3"/>
    <MetricDB i="2" n="PAPI_TOT_CYC (E)" t="exclusive" db-id="2" db-num-metrics="3"/>
  </MetricDBTable>
"""
TREE = """\
<PF i="2" s="10" n="10" lm="2"><C i="3" l="0">
<PF i="4" s="11" n="11" lm="2" l="7"><S i="5" l="8">{5}</S><L i="6" l="9"><C i="7" l="10">
<PF i="8" s="12" n="12" lm="2" l="20"><M n="5" v="99"/><S i="9" l="21">{9}</S><S i="10" l="22">{10}</S>
<Pr i="11" s="13" n="13" lm="2" a="1"><S i="12" l="30">{12}</S></Pr></PF></C></L>
<C i="13" l="11"><PF i="14" s="14" n="14" lm="3"><S i="15" l="0">{15}</S></PF></C></PF>
</C></PF>
"""  # noqa: E501
END = """\
</SecCallPathProfileData>
</SecCallPathProfile>
</HPCToolkitExperiment>
"""
STATEMENTS = (5, 9, 10, 12, 15)
NODES = 15


def experiment(values: Mapping[int, tuple[float, float]] | None = None, times: int = 1) -> str:
    """Return an experiment.xml; with seconds and cycles of statements, those are in it."""
    held = dict.fromkeys(STATEMENTS, "")
    for node, (seconds, cycles) in (values or {}).items():
        held[node] = (
            f'<M n="4" v="{seconds}"/><M n="5" v="{seconds}"/>'
            f'<M n="7" v="{seconds / 2}"/><M n="9" v="{cycles}"/>'
        )
    tree = TREE
    for node, text in held.items():
        tree = tree.replace(f"{{{node}}}", text)
    trees = (tree.replace('n="10"', f'n="root {copy}"') if copy else tree for copy in range(times))
    return HEAD.replace("{stored}", "" if values else STORED) + "".join(trees) + END


def thread_file(values: Mapping[int, tuple[float, float]], nodes: int = NODES) -> bytes:
    """Return a .metric-db with seconds and cycles of statements."""
    rows: list[Sequence[float]] = [
        (values.get(node, (0, 0))[0], *values.get(node, (0.0, 0.0))) for node in range(1, nodes + 1)
    ]
    data = b"".join(struct.pack(">3d", *row) for row in rows)
    return b"HPCPROF-metricdb__00.10b" + struct.pack(">2i", nodes, 3) + data


def write(
    folder: Path, threads: Mapping[tuple[int, int], Mapping[int, tuple[float, float]]]
) -> Path:
    """Write a database with values of threads by rank and thread; return its experiment.xml."""
    main = folder / "experiment.xml"
    main.write_text(experiment())
    for (rank, thread), values in threads.items():
        name = f"stencil-{rank:06}-{thread:03}-a8c00270-{160443 + rank}-0.metric-db"
        (folder / name).write_bytes(thread_file(values))
    return main


class _Bytes:
    """A file that is written from its start, with the places of what was written."""

    def __init__(self, header: int) -> None:
        self.data = bytearray(header)

    def add(self, data: bytes) -> int:
        self.data += b"\0" * (-len(self.data) % 8)
        self.data += data
        return len(self.data) - len(data)

    def text(self, text: str) -> int:
        return self.add(text.encode() + b"\0")

    def sections(self, kind: bytes, sections: Sequence[tuple[int, int]]) -> bytes:
        """Write the header and the end, and return the file."""
        header = b"HPCTOOLKIT" + kind + b"\4\0"
        for begin, end in sections:
            header += struct.pack("<QQ", end - begin, begin)
        self.data[: len(header)] = header
        self.add(b"_" + kind + b".db")
        return bytes(self.data)


KINDS = ("SUMMARY", "NODE", "RANK", "THREAD", "GPUDEVICE", "GPUCONTEXT", "GPUSTREAM", "CORE")
# Function, line in it, and what is called there: of contexts 2, 4, 6 and 8 a function.
INCLUSIVE, EXCLUSIVE, CYCLES = 1, 2, 5


def meta_db() -> bytes:
    """Return a meta.db: main calls relax, into which at<double> is inlined, and a function of libc.

    Each section begins with its own structure, and contains what that refers to.
    """
    file = _Bytes(0x90)
    sections: list[tuple[int, int]] = []

    def fill(place: int, form: str, *values: int) -> None:
        struct.pack_into(form, file.data, place, *values)
        sections.append((place, len(file.data)))

    general = file.add(bytes(16))
    fill(general, "<QQ", file.text("stencil"), file.text("made for a test"))
    id_names = file.add(bytes(9))
    names = [file.text(kind) for kind in KINDS]
    fill(id_names, "<QB", file.add(struct.pack(f"<{len(names)}Q", *names)), len(names))
    described = file.add(bytes(0x1B))
    execution, function = (file.text(name) for name in ("execution", "function"))
    scopes = file.add(struct.pack("<QBB6xQBB6x", execution, 2, 255, function, 3, 0))
    metrics = b""
    for name, instances in (
        ("CPUTIME (sec)", ((scopes, INCLUSIVE), (scopes + 16, EXCLUSIVE))),
        ("perf::CYCLES", ((scopes, CYCLES),)),
    ):
        own = b"".join(struct.pack("<QH6x", scope, number) for scope, number in instances)
        summary = struct.pack("<QQBxH4x", scopes, file.text("$$"), 0, 100 + instances[0][1])
        places = file.text(name), file.add(own), file.add(summary)
        metrics += struct.pack("<QQQHH4x", *places, len(instances), 1)
    fill(described, "<QI3BxQHB", file.add(metrics), 2, 32, 16, 24, scopes, 2, 16)
    texts = file.add(b"")
    called = [file.text(name) for name in ("main", "relax", "at<double>", "main thread")]
    library, written = file.text("/usr/lib/libc.so.6"), file.text("src/stencil.c")
    all_texts = (texts, len(file.data))
    modules = file.add(bytes(14))
    module = file.add(struct.pack("<I4xQ", 0, library))
    all_modules = (modules, len(file.data))
    struct.pack_into("<QIH", file.data, modules, module, 1, 16)
    files = file.add(bytes(14))
    source = file.add(struct.pack("<I4xQ", 0, written))
    all_files = (files, len(file.data))
    struct.pack_into("<QIH", file.data, files, source, 1, 16)
    functions = file.add(bytes(14))
    main, relax, at = (
        file.add(struct.pack("<QQQQII", name, module, 0, source, 1, 0)) for name in called[:3]
    )
    nameless = file.add(struct.pack("<QQQQII", 0, module, 0x40, 0, 0, 0))
    all_functions = (functions, len(file.data))
    struct.pack_into("<QIH", file.data, functions, main, 4, 40)
    contexts = file.add(bytes(11))

    def function_of(number: int, place: int, relation: int, children: bytes) -> bytes:
        below = file.add(children) if children else 0
        return struct.pack("<QQI4BH6xQ", len(children), below, number, 1, relation, 0, 1, 0, place)

    def line_of(number: int, children: bytes) -> bytes:
        below = file.add(children) if children else 0
        words = struct.pack("<QI4x", source, number)
        return struct.pack("<QQI4BH6x", len(children), below, number, 2, 0, 2, 2, 0) + words

    relaxed = line_of(7, function_of(8, at, 2, b"")) + line_of(9, b"")
    body = line_of(5, function_of(6, relax, 1, relaxed) + function_of(10, nameless, 1, b""))
    top = function_of(4, main, 1, body)
    entry = struct.pack("<QQIH2xQ", len(top), file.add(top), 2, 1, called[3])
    fill(contexts, "<QHB", file.add(entry), 1, 32)
    return file.sections(b"meta", [*sections, all_texts, all_modules, all_files, all_functions])


def profile_db(threads: Mapping[tuple[int, int], Mapping[int, Mapping[int, float]]]) -> bytes:
    """Return a profile.db with values by context and metric, of threads by rank and thread."""
    file = _Bytes(0x30)
    places = len(file.data)
    tuples = [0]
    for rank, thread in threads:
        ids = ((1, 1, 0, 0xA8C0), (2, 0, rank, rank), (3, 0, thread, thread))
        packed = b"".join(struct.pack("<BxHIQ", *one) for one in ids)
        tuples.append(file.add(struct.pack("<H6x", len(ids)) + packed))
    placed = len(file.data)
    described = b""
    total: dict[int, dict[int, float]] = {}
    for values in threads.values():
        for context, numbers in values.items():
            for metric, value in numbers.items():
                sums = total.setdefault(context, {})
                sums[100 + metric] = sums.get(100 + metric, 0.0) + value
    for place, values in zip(tuples, (total, *threads.values()), strict=True):
        pairs, indices, count = b"", b"", 0
        for context in sorted(values):
            indices += struct.pack("<IQ", context, count)
            for metric in sorted(values[context]):
                pairs += struct.pack("<Hd", metric, values[context][metric])
                count += 1
        block = count, file.add(pairs), len(values), file.add(indices)
        described += struct.pack("<QQI4xQQI4x", *block, place, int(not place))
    header = file.add(bytes(13))
    first = file.add(described)
    struct.pack_into("<QIB", file.data, header, first, len(tuples), 48)
    return file.sections(b"prof", [(header, len(file.data)), (places, placed)])


def write_database(folder: Path) -> Path:
    """Write a database of version 4 of two threads; return its meta.db."""
    threads = {
        (0, 0): {
            2: {INCLUSIVE: 4.0, CYCLES: 400.0},
            4: {INCLUSIVE: 4.0, EXCLUSIVE: 0.5, CYCLES: 400.0},
            5: {INCLUSIVE: 4.0, EXCLUSIVE: 0.5},
            6: {INCLUSIVE: 3.25, EXCLUSIVE: 1.25, CYCLES: 325.0},
            8: {INCLUSIVE: 2.0, EXCLUSIVE: 2.0, CYCLES: 200.0},
            10: {INCLUSIVE: 0.25, EXCLUSIVE: 0.25},
        },
        (0, 1): {2: {INCLUSIVE: 1.5}, 4: {INCLUSIVE: 1.5}, 6: {INCLUSIVE: 1.5, EXCLUSIVE: 1.5}},
    }
    (folder / "profile.db").write_bytes(profile_db(threads))
    (folder / "meta.db").write_bytes(meta_db())
    return folder / "meta.db"
