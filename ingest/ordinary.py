"""Which files are ordinary. Devices, pipes and files of the kernel may block, or never end."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from functools import cache
from pathlib import Path

# Types of file systems (Linux) that are no storage: the kernel answers, perhaps for ever.
_OF_KERNEL = frozenset(
    {
        *("bpf", "cgroup", "cgroup2", "configfs", "cpuset", "debugfs", "devpts", "devtmpfs"),
        *("efivarfs", "fusectl", "mqueue", "proc", "pstore", "resctrl", "securityfs", "selinuxfs"),
        *("sysfs", "tracefs"),
    }
)


def not_ordinary(found: os.stat_result) -> str | None:
    """Return what a file or folder is that is not to be read, None for an ordinary one."""
    is_folder = stat.S_ISDIR(found.st_mode)
    if not is_folder and not stat.S_ISREG(found.st_mode):
        return "this is neither a file nor a folder"
    if found.st_dev in _kernel_devices():
        return f"this is a {'folder' if is_folder else 'file'} of the kernel, as those in /proc"
    return None


@cache
def _kernel_devices() -> frozenset[int]:
    """Return the device numbers of mounted file systems of the kernel; none on other systems."""
    found = set()
    with suppress(OSError, ValueError):
        for line in Path("/proc/self/mountinfo").read_text(errors="replace").splitlines():
            mounted, _, kind = line.partition(" - ")
            if kind.partition(" ")[0] in _OF_KERNEL:
                found.add(os.makedev(*map(int, mounted.split()[2].split(":"))))
    return frozenset(found)
