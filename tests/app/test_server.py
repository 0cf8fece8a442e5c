"""Where the page is served: what the command says of it, and by which hosts a browser may name it."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.runtime.scriptrunner.exec_code import modified_sys_path

from app.cli import main
from app.server import SCRIPT, application

ROOT = Path(__file__).resolve().parents[2]


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


@pytest.fixture
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """What the command prints of a server on the host that is asked for; its model is none, which the page would say."""
    hidden = dict.fromkeys(("DISPLAY", "WAYLAND_DISPLAY", "LC_ALL", "LC_MESSAGES"), "")
    server = subprocess.Popen(
        [sys.executable, "-m", "app.cli", "--host", request.param, "--port", "0", "--model", str(tmp_path / "none")], cwd=ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, **hidden, "LANG": "C.UTF-8", "XDG_DATA_HOME": str(tmp_path)},
    )
    assert server.stdout is not None
    line = server.stdout.readline()
    assert "Loopglass is at http://" in line, line
    yield next(word for word in line.split() if word.startswith("http"))
    server.send_signal(signal.SIGINT)
    printed, _ = server.communicate(timeout=60)
    assert server.returncode == 0, printed


def status(host: str, port: int, named: str) -> int:
    """How the server at `host` answers to a browser that calls it `named`."""
    connection = http.client.HTTPConnection(host, port, timeout=60)
    connection.request("GET", "/", headers={"Host": named})
    answer = connection.getresponse().status
    connection.close()
    return answer


@pytest.mark.skipif(not has_ipv6(), reason="this computer has no IPv6 address of its own")
@pytest.mark.parametrize("address", ["::1"], indirect=True)
def test_an_ipv6_address_is_written_as_browsers_take_it_and_is_called_by_no_other_name(address: str) -> None:
    found = re.fullmatch(r"http://\[::1\]:(\d+)", address)
    assert found is not None, address
    port = int(found[1])
    assert status("::1", port, f"[::1]:{port}") == 200
    assert status("::1", port, f"localhost:{port}") == 200
    assert status("::1", port, f"evil.example:{port}") == 400


@pytest.mark.parametrize("address", ["127.1"], indirect=True)
def test_another_spelling_of_this_computer_is_called_by_no_other_name(address: str) -> None:
    port = int(address.rsplit(":", 1)[1])
    assert status("127.0.0.1", port, f"127.1:{port}") == 200
    assert status("127.0.0.1", port, f"evil.example:{port}") == 400


LANGUAGES = [("zh_TW.UTF-8", "已有程式在用", "無法使用"), ("en_US.UTF-8", "is already in use", "cannot use")]


@pytest.mark.parametrize(("locale", "taken", "unusable"), LANGUAGES)
def test_an_address_that_cannot_be_used_is_said_in_the_language_of_the_terminal(
    locale: str, taken: str, unusable: str, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(SystemExit) as caught:
            main(["--port", str(port)])
    assert taken in str(caught.value)
    assert f"http://127.0.0.1:{port}" in str(caught.value)
    with pytest.raises(SystemExit) as caught:
        main(["--host", "192.0.2.1", "--port", "0"])  # An address for documentation, which no computer has (RFC 5737).
    assert unusable in str(caught.value)
    assert "--host" in str(caught.value)


def test_drawing_the_page_leaves_the_list_of_folders_to_import_from_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is imported in another thread meanwhile, which would pass over a folder of a list that changes."""
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each != str(SCRIPT.parent)])
    application("127.0.0.1", 8501)
    before = list(sys.path)
    with modified_sys_path(str(SCRIPT)):
        assert sys.path == before
    assert sys.path == before
