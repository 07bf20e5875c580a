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
    metrics = dict.fromkeys(STATEMENTS, "")
    for node, (seconds, cycles) in (values or {}).items():
        metrics[node] = (
            f'<M n="4" v="{seconds}"/><M n="5" v="{seconds}"/>'
            f'<M n="7" v="{seconds / 2}"/><M n="9" v="{cycles}"/>'
        )
    tree = TREE
    for node, text in metrics.items():
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
