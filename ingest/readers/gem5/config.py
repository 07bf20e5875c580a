"""Facts of a simulation from gem5's config.ini."""

from __future__ import annotations

import configparser

from ingest.base import Run
from warehouse.errors import InputError


def facts(text: str) -> Run:
    """Return the program that ran and the CPUs it ran on, from the text of config.ini."""
    parser = configparser.ConfigParser(
        delimiters=("=",), comment_prefixes=(), interpolation=None, strict=False
    )
    try:
        parser.read_string(text)
    except configparser.Error as error:
        line = getattr(error, "lineno", None) or getattr(error, "errors", [(1, "")])[0][0]
        raise InputError(
            "gem5's configuration, next to its statistics, cannot be read",
            where=f"line {line}",
            expected="[section] lines and name=value lines",
            hint="Take it away to ingest the statistics alone.",
        ) from None
    cpus = [section for section in parser.values() if _is_cpu(section)]
    tags = {
        "cpu_type": ", ".join(sorted({cpu["type"] for cpu in cpus})),
        "cpus": str(len({cpu["cpu_id"] for cpu in cpus})) if cpus else "",
        "clock_ticks": ", ".join(sorted({_clock(parser, cpu) for cpu in cpus} - {""})),
        "mem_mode": parser.get("system", "mem_mode", fallback=""),
    }
    program, command = _workload(parser)
    return Run(
        app=program.rsplit("/", 1)[-1] or None,
        tags={name: value for name, value in {**tags, "command": command}.items() if value},
    )


def _is_cpu(section: configparser.SectionProxy) -> bool:
    return section.get("type", "").endswith("CPU") and "cpu_id" in section


def _clock(parser: configparser.ConfigParser, cpu: configparser.SectionProxy) -> str:
    """Return the period of a CPU's clock in ticks."""
    return parser.get(cpu.get("clk_domain", ""), "clock", fallback="")


def _workload(parser: configparser.ConfigParser) -> tuple[str, str]:
    """Return the first process's program and command line; both empty in full-system mode."""
    for section in parser.values():
        if section.get("type") in ("Process", "LiveProcess", "EmulatedProcess"):
            return section.get("executable", ""), section.get("cmd", "")
    return "", ""
