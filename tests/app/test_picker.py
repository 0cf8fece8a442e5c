"""The model picker and what the sidebar says of the model: rows, choices, paths that are remembered, the pinned commit."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest
from huggingface_hub import constants
from streamlit.testing.v1 import AppTest

from app import service
from app.catalogue import Catalogue
from app.i18n import Words
from app.models import Models, Placement, Ready
from app.service import Service
from backends.base import BackendError
from backends.loading import devices
from backends.model_settings import ModelSettings
from backends.recommended import RECOMMENDED, Facts
from families.base import Text
from tests.app.conftest import scripted
from tests.app.test_page import page, run, said

EN, ZH = Words("en"), Words("zh")
COMMIT = "1234567890abcdef1234567890abcdef12345678"
HUB_MODEL = "Acme/Tiny-1B"


class Loader:
    """Loads the scripted model under any name, a folder by its last part; hub models have a commit, and `notice`."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Mapping[str, str]]] = []
        self.notice: Text | None = None

    def __call__(self, model: str, _progress: object, **chosen: str) -> object:
        self.asked.append((model, chosen))
        of_hub = model == HUB_MODEL
        made = scripted("Hi.", model_id=model if of_hub else Path(model).name)
        made.info = {
            **made.info, "device": "cpu", "dtype": "float32", "commit": COMMIT if of_hub else None, "path": model,
            "notice": self.notice if of_hub else None,
        }
        return made


@pytest.fixture
def loader(installed: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loader:
    """A service with nothing remembered, an empty cache, and a hub that knows the first recommended model only."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    known = {RECOMMENDED[0].model_id: Facts(1_740_000_000, "apache-2.0", gated=True)}

    def ask(model_id: str) -> Facts:
        if model_id not in known:
            raise BackendError("Gone.", "沒有了。")
        return known[model_id]

    loads = Loader()
    catalogue = Catalogue(ask)
    catalogue.look(tuple(model.model_id for model in RECOMMENDED))
    service.install(Service(installed.runs, Models(loads, installed.runs.wait_idle), catalogue=catalogue))
    service.current().models.request("builtin")
    settle()
    return loads


def settle() -> None:
    for thread in threading.enumerate():
        if thread.name.startswith("load ") or thread.name == "ask the hub":
            thread.join(20)


def open_picker(test: AppTest) -> AppTest:
    test.button(key="choose").click()
    return run(test)


def send(test: AppTest, name: str) -> AppTest:
    test.text_input(key="picker_name").set_value(name)
    test.button(key="picker_send").click()
    return run(test)


def checkpoint_folder(path: Path) -> Path:
    """A folder that may be a checkpoint, for a loader that does not look into it."""
    path.mkdir()
    (path / "config.json").write_text("{}")
    return path


def current() -> str:
    settle()
    state = service.current().models.state
    assert isinstance(state, Ready)
    return state.model


def test_it_lists_what_is_here_and_what_is_recommended(loader: Loader) -> None:
    test = open_picker(page())
    text = said(test)
    assert "**builtin**" in text
    for model in RECOMMENDED:
        assert test.button(key=f"recommended {model.model_id}").label == EN("picker_get")
    assert "Qwen3\\.5 · reads text, images, video · 1\\.74 GB · licence apache\\-2\\.0 · access must be asked for" in text
    assert "Gemma 4 · reads text, images, audio, video · size and licence not known yet" in text
    assert test.button(key="here builtin").disabled, "it is in use"


def test_a_hub_that_does_not_answer_is_said_once_and_of_no_model(loader: Loader, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(_model_id: str) -> Facts:
        raise BackendError("[Errno -2]", "[Errno -2]")

    now, catalogue = service.current(), Catalogue(ask)
    catalogue.look((HUB_MODEL,))
    settle()
    monkeypatch.setattr(catalogue, "look", lambda _ids: None)  # Who looks again asks again, which may take longer than the test.
    service.install(Service(now.runs, now.models, catalogue=catalogue))
    text = said(open_picker(page()))
    assert EN("picker_silent") in text
    assert "Errno" not in text


def test_a_recommended_model_is_chosen_with_one_click(loader: Loader) -> None:
    test = open_picker(page())
    test.button(key="recommended Qwen/Qwen3.5-0.8B").click()
    run(test)
    assert current() == "Qwen/Qwen3.5-0.8B"


def test_a_folder_that_is_typed_is_loaded_and_remembered(loader: Loader, tmp_path: Path) -> None:
    folder = checkpoint_folder(tmp_path / "mine")
    test = open_picker(page())
    send(test, f"  {folder} ")
    assert current() == str(folder)
    assert ModelSettings.read().named == (str(folder),)
    test = open_picker(page())
    assert test.button(key=f"here {folder}").label == EN("picker_in_use")
    test.button(key=f"forget {folder}").click()
    run(test)
    assert ModelSettings.read().named == ()


def test_a_path_is_remembered_whole_and_only_if_it_is_there(
    loader: Loader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    checkpoint_folder(tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    send(open_picker(page()), "./mine")
    assert current() == str(tmp_path / "mine")
    monkeypatch.chdir("/")
    test = open_picker(page())
    assert test.button(key=f"here {tmp_path / 'mine'}").label == EN("picker_in_use")
    assert EN("picker_gone") not in said(test)
    (tmp_path / "empty").mkdir()
    test = open_picker(page())
    for mistyped in ("mien.gguf", "~nobody-here/mine", "x" * 5000, "Qwen3", "/no/such/folder", str(tmp_path / "empty")):
        send(test, mistyped)
        assert mistyped in test.error[0].value.replace("\\", ""), "it is said beside the box"
        assert test.text_input(key="picker_name").value == mistyped
        assert current() == str(tmp_path / "mine"), "the model that is ready stays"
    assert ModelSettings.read().named == (str(tmp_path / "mine"),)
    send(test, "builtin")
    assert current() == "builtin"
    assert not test.error


@pytest.mark.parametrize("group", ["here", "recommended"])
def test_a_model_that_is_here_by_its_commit_only_is_asked_for_by_it(group: str, loader: Loader, tmp_path: Path) -> None:
    name = RECOMMENDED[0].model_id
    put_into_cache(tmp_path, name)
    test = open_picker(page())
    assert test.button(key=f"{group} {name}").label == EN("picker_use")
    test.button(key=f"{group} {name}").click()
    run(test)
    assert current() == f"{name}@{COMMIT}"
    assert open_picker(page()).button(key=f"{group} {name}").label == EN("picker_in_use")


def put_into_cache(tmp_path: Path, name: str) -> None:
    """A model that is whole in the cache at COMMIT, which no branch is noted for."""
    snapshot = tmp_path / "hub" / f"models--{name.replace('/', '--')}" / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    for file in ("config.json", "tokenizer.json"):
        (snapshot / file).write_text("{}")
    (snapshot / "model.safetensors").write_bytes(b"x" * 2000)


def test_an_older_copy_is_said_to_be_one_and_the_newer_can_be_asked_for_again(loader: Loader, tmp_path: Path) -> None:
    put_into_cache(tmp_path, HUB_MODEL)
    refs = tmp_path / "hub" / f"models--{HUB_MODEL.replace('/', '--')}" / "refs"
    refs.mkdir()
    (refs / "main").write_text(COMMIT)
    loader.notice = Text("斷線了。", "The line was cut.")
    service.current().models.request(HUB_MODEL)
    settle()
    test = page()
    assert "The line was cut" in said(test)
    loader.notice = None
    open_picker(test).button(key=f"here {HUB_MODEL}").click()
    run(test)
    settle()
    assert [model for model, _ in loader.asked] == ["builtin", HUB_MODEL, HUB_MODEL]
    test = page()
    assert "The line was cut" not in said(test)
    assert open_picker(test).button(key=f"here {HUB_MODEL}").label == EN("picker_in_use")


def test_every_setting_and_the_choice_of_a_model_are_explained(loader: Loader) -> None:
    test = page()
    side = test.sidebar
    drawn = [*side.slider, *side.number_input, *side.selectbox, *side.toggle, *side.pills, *side.text_area]
    assert {"temperature", "seed", "drafter", "thinking", "tools", "system_prompt"} <= {each.key for each in drawn}
    assert all(each.help for each in drawn)
    assert test.button(key="choose").help == EN("choose_model_help")


def test_a_model_that_could_not_be_loaded_is_not_in_use(loader: Loader, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(_model: str, _progress: object) -> object:
        raise BackendError("No.", "不行。")

    monkeypatch.setattr(service.current().models, "_load", load)
    service.current().models.request(RECOMMENDED[0].model_id)
    settle()
    test = open_picker(page())
    for key, label in ((f"recommended {RECOMMENDED[0].model_id}", "picker_get"), ("here builtin", "picker_use")):
        assert test.button(key=key).label == EN(label)
        assert not test.button(key=key).disabled


def test_a_path_that_is_gone_cannot_be_chosen(loader: Loader, tmp_path: Path) -> None:
    ModelSettings(named=(str(tmp_path / "gone.gguf"),)).write()
    test = open_picker(page())
    assert test.button(key=f"here {tmp_path / 'gone.gguf'}").disabled
    assert EN("picker_gone") in said(test)


def test_a_name_on_the_hub_is_not_remembered_as_a_path(loader: Loader) -> None:
    test = open_picker(page())
    send(test, HUB_MODEL)
    assert current() == HUB_MODEL
    assert ModelSettings.read() == ModelSettings()


def test_the_commit_is_shown_and_can_be_pinned(loader: Loader) -> None:
    test = page()
    assert not [toggle for toggle in test.toggle if toggle.key == "pin"], "the built-in model is of no commit"
    service.current().models.request(HUB_MODEL)
    settle()
    run(test)
    assert EN("commit", commit=COMMIT[:12]) in said(test)
    test.toggle(key="pin").set_value(True)
    run(test)
    assert ModelSettings.read().pins == {HUB_MODEL: COMMIT}
    assert run(test).toggle(key="pin").value
    test.toggle(key="pin").set_value(False)
    run(test)
    assert ModelSettings.read().pins == {}


def test_a_pin_that_cannot_be_written_is_not_set_and_the_page_says_why(loader: Loader, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a file where the folder should be")
    service.current().models.request(HUB_MODEL)
    settle()
    test = page()
    test.toggle(key="pin").set_value(True)
    run(test)
    assert "models\\.json" in test.toast[0].value
    assert not test.toggle(key="pin").value


def test_the_commit_is_recorded_with_every_run(loader: Loader) -> None:
    service.current().models.request(HUB_MODEL)
    settle()
    test = page()
    test.chat_input[0].set_value("Hi")
    run(test)
    service.current().runs.wait_idle()
    (path,) = service.current().runs.folder.glob("*.jsonl")
    header, start, *_ = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert (header["model"], header["commit"]) == (HUB_MODEL, COMMIT)
    assert (start["kind"], start["commit"]) == ("run_start", COMMIT)


def test_what_is_typed_counts_when_it_is_sent(loader: Loader) -> None:
    test = open_picker(page())
    test.text_input(key="picker_name").set_value(HUB_MODEL)
    run(test)
    assert current() == "builtin"


def test_the_cache_is_looked_through_when_the_dialog_opens(loader: Loader, tmp_path: Path) -> None:
    test = page()
    put_into_cache(tmp_path, "Acme/Small")
    assert EN("picker_cached", commit=COMMIT[:7]) in said(open_picker(test)), "it stands in the cache"
    assert "Acme/Small" in said(test)


def test_device_and_number_format_are_shown_and_changed(loader: Loader) -> None:
    test = page()
    assert EN("placed", device="cpu", dtype="float32") in said(test)
    open_picker(test)
    assert test.selectbox(key="dtype").options == [EN("as_checkpoint"), "float32", "bfloat16", "float16"]
    assert test.selectbox(key="device").options == [EN("automatic", best=devices()[0]), *devices()]
    test.selectbox(key="dtype").set_value("bfloat16")
    run(test)
    settle()
    assert loader.asked == [("builtin", {}), ("builtin", {"dtype": "bfloat16"})]
    assert service.current().models.placement == Placement(None, "bfloat16")


def test_a_settings_file_that_cannot_be_read_is_named_and_left_alone(loader: Loader, tmp_path: Path) -> None:
    path = tmp_path / "config" / "loopglass" / "models.json"
    path.parent.mkdir(parents=True)
    path.write_text("{", "utf-8")
    test = open_picker(page())
    assert "models\\.json" in said(test)
    folder = checkpoint_folder(tmp_path / "mine")
    send(test, str(folder))
    assert "models\\.json" in test.toast[0].value
    assert current() == str(folder)
    assert path.read_text("utf-8") == "{"


def test_in_chinese(loader: Loader) -> None:
    test = open_picker(page(lang="zh"))
    assert ZH("picker_here") in said(test)
    assert "讀文字、圖片、影片" in said(test)
