"""What machine a host is: names of containers and of hosts lent for a day are none."""

from __future__ import annotations

import re

_RANDOM = re.compile(
    r"[0-9a-f]{12}|[0-9a-f]{64}"  # Docker, Podman
    r"|fv-az\d+(?:-\d+)?|runnervm\w+|Mac-\d+(?:\.local)?"  # GitHub's
    r"|runner-[\w-]+-project-\d+-concurrent-\d+[\w-]*"  # GitLab's
    r"|[a-z0-9][\w.-]*-[0-9a-f]{8,10}-[a-z0-9]{5}"  # pods of Kubernetes
)


def machine_of(
    host: str | None, cpu: str | None = None, cores: str | None = None
) -> tuple[str | None, dict[str, str]]:
    """Return the machine, and as a tag the host where that name is random.

    The machine is then what the hardware is: processor and cores, as far as they are known.
    """
    if host is None or not _RANDOM.fullmatch(host):
        return host, {}
    of_cores = f"{cores} core{'' if cores == '1' else 's'}" if cores else None
    return ", ".join(filter(None, (cpu, of_cores))) or None, {"host": host}
