"""What control groups leave, from files laid out as Linux does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from backends.cgroups import free_bytes

V2 = "sys/fs/cgroup"
V1 = "sys/fs/cgroup/memory"
NO_LIMIT_OF_V1 = (1 << 63) - 4096
"""A limit of version 1 that nobody has set, in whole pages."""


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)


def v2(folder: str, limit: str, used: int, inactive: int = 0, active: int = 0) -> dict[str, str]:
    """The files of a group in version 2."""
    stat = f"anon 77\nfile 99\ninactive_anon 77\nactive_anon 0\ninactive_file {inactive}\nactive_file {active}\n"
    return {f"{folder}/memory.max": f"{limit}\n", f"{folder}/memory.current": f"{used}\n", f"{folder}/memory.stat": stat}


def v1(folder: str, limit: int, used: int, cached: int = 0) -> dict[str, str]:
    """The files of a group in version 1, where only the lines that begin with total_ count the groups inside."""
    stat = f"inactive_file 5\nactive_file 5\ntotal_inactive_file {cached}\ntotal_active_file 0\n"
    return {
        f"{folder}/memory.limit_in_bytes": f"{limit}\n", f"{folder}/memory.usage_in_bytes": f"{used}\n",
        f"{folder}/memory.stat": stat,
    }


def groups(root: Path, lines: str, *folders: Mapping[str, str]) -> int | None:
    """What is left to a process in the groups that `lines` name."""
    write(root, {"proc/self/cgroup": lines})
    for files in folders:
        write(root, files)
    return free_bytes(root)


def test_a_container_sees_its_own_group_as_the_first(tmp_path: Path) -> None:
    assert groups(tmp_path, "0::/\n", v2(V2, "8000", 3000)) == 8000 - 3000


def test_copies_of_files_count_as_free(tmp_path: Path) -> None:
    """A file that was just written and read is kept as active; it goes all the same before a process does."""
    assert groups(tmp_path, "0::/\n", v2(V2, "8000", 7000, inactive=1000, active=4000)) == 8000 - 7000 + 1000 + 4000


def test_the_groups_around_count(tmp_path: Path) -> None:
    inner, outer = v2(f"{V2}/user.slice/app.scope", "8000", 1000), v2(f"{V2}/user.slice", "9000", 6000)
    assert groups(tmp_path, "0::/user.slice/app.scope\n", inner, outer) == 9000 - 6000
    assert groups(tmp_path, "0::/user.slice/app.scope\n", v2(f"{V2}/user.slice", "max", 6000)) == 8000 - 1000


def test_a_group_without_a_limit(tmp_path: Path) -> None:
    assert groups(tmp_path, "0::/app.scope\n", v2(f"{V2}/app.scope", "max", 1000)) is None


def test_a_group_that_is_over_its_limit_leaves_nothing(tmp_path: Path) -> None:
    assert groups(tmp_path, "0::/\n", v2(V2, "8000", 9000)) == 0


def test_version_1_beside_an_empty_version_2(tmp_path: Path) -> None:
    lines = "4:cpu,memory:/jobs/7\n3:cpuset:/\n1:name=systemd:/\n0::/\n"
    inner = v1(f"{V1}/jobs/7", 8000, 7000, cached=500)
    assert groups(tmp_path, lines, inner, v1(f"{V1}/jobs", NO_LIMIT_OF_V1, 9000), v1(V1, NO_LIMIT_OF_V1, 9000)) == 1500


def test_a_path_of_the_host_leads_to_what_the_container_has(tmp_path: Path) -> None:
    assert groups(tmp_path, "4:memory:/docker/0f3c\n", v1(V1, 8000, 3000)) == 8000 - 3000


def test_a_computer_that_has_none(tmp_path: Path) -> None:
    assert free_bytes(tmp_path) is None
    assert groups(tmp_path, "0::/\n") is None
    assert groups(tmp_path, "0::/\n", {f"{V2}/memory.max": "8000\n"}) is None, "what is used is not told"


def test_groups_of_this_computer_can_be_read() -> None:
    left = free_bytes(Path("/"))
    assert left is None or left > 0
