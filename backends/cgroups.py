"""What Linux lets this process still take of memory: it may be in control groups that have limits of their own.

Docker, Kubernetes and systemd limit programs so. What /proc/meminfo says is free is the whole computer's all the same, and who
takes more than a group may have is ended without a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath


@dataclass(frozen=True)
class _Files:
    """Where one version of control groups keeps its numbers. `cached` are the lines of memory.stat for what files hold."""

    mount: str
    limit: str
    used: str
    cached: tuple[str, str]


_V2 = _Files("sys/fs/cgroup", "memory.max", "memory.current", ("inactive_file", "active_file"))
_V1 = _Files(
    "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", ("total_inactive_file", "total_active_file"),
)


def free_bytes(root: Path) -> int | None:
    """The least that any of the control groups leaves; None where none has a limit. `root` is where proc and sys are."""
    try:
        groups = (root / "proc/self/cgroup").read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    return min((left for group in groups for left in _left_in(root, group)), default=None)


def _left_in(root: Path, group: str) -> Iterator[int]:
    """What a group and each that it is in leave; `group` is "hierarchy:controllers:path", without controllers in version 2.

    In a container the path may be the host's, with nothing there; the container's own group is then where all paths begin.
    """
    _, controllers, path = group.split(":", 2)
    if controllers and "memory" not in controllers.split(","):
        return
    files = _V1 if controllers else _V2
    parts = PurePosixPath(path).parts[1:]
    for depth in range(len(parts) + 1):
        left = _left(root.joinpath(files.mount, *parts[:depth]), files)
        if left is not None:
            yield left


def _left(folder: Path, files: _Files) -> int | None:
    """What one group leaves; None where it has no limit or does not tell. Copies of files in memory count as free: they go when
    memory is wanted, and after a download they are as much as the model."""
    try:
        limit, used = (int((folder / name).read_text("ascii")) for name in (files.limit, files.used))
        stat = dict(line.split() for line in (folder / "memory.stat").read_text("ascii").splitlines())
        return max(0, limit - used + sum(int(stat[name]) for name in files.cached))
    except (OSError, ValueError, KeyError):  # Without a limit it is the word "max".
        return None
