"""What goes wrong between here and the Hugging Face hub, as sentences that say what to do.

Knows the exceptions of the `huggingface_hub` client and nothing about downloads.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from huggingface_hub import errors, get_token

from backends.base import BackendError
from backends.checkpoint_files import size
from families.base import Text

_LOG_IN = Text(
    "在終端機執行 `hf auth login` 後再試，或用環境變數 HF_TOKEN 帶著權杖啟動 Loopglass。",
    "Run `hf auth login` in a terminal and try again, or start Loopglass with the token in the environment variable HF_TOKEN.",
)


@contextmanager
def worded(model_id: str, revision: str, page: str) -> Iterator[None]:
    """Turns what the client raises for a model into a BackendError. `page` is the address of the model's page."""
    try:
        yield
    except (errors.HTTPError, OSError, ValueError) as error:
        text = sentence(error, model_id, revision, page)
        raise BackendError(text.en, text.zh) from error


def sentence(error: Exception, model_id: str, revision: str, page: str) -> Text:
    """What happened and what to do. Takes whatever the client raises: its own errors, those of HTTP, of files, of JSON."""
    if isinstance(error, errors.GatedRepoError):
        return _gated(model_id, error.response.status_code, page)
    if isinstance(error, errors.RevisionNotFoundError):
        return Text(
            f"「{model_id}」沒有「{revision}」這個版本。請檢查設定檔或名稱裡指定的 commit。",
            f"{model_id} has no revision {revision!r}. Check the commit that the settings file or the name asks for.",
        )
    if isinstance(error, errors.RepositoryNotFoundError | errors.HFValidationError):
        return _unknown(model_id)
    if isinstance(error, errors.HfHubHTTPError):
        return _refused(model_id, error)
    if isinstance(error, errors.LocalEntryNotFoundError) and isinstance(error.__cause__, Exception):
        return sentence(error.__cause__, model_id, revision, page)
    if isinstance(error, errors.OfflineModeIsEnabled):
        return Text(
            f"環境變數 HF_HUB_OFFLINE 禁止連上 hub，所以問不到「{model_id}」。拿掉這個變數再試，或換一個已經在這台電腦上的模型。",
            f"The environment variable HF_HUB_OFFLINE forbids asking the hub about {model_id}. Remove the variable and try "
            "again, or choose a model that is already on this computer.",
        )
    if isinstance(error, errors.HTTPError):
        return Text(
            f"連不上 Hugging Face hub（{_said(error)}），所以問不到「{model_id}」。請檢查網路後再試，"
            "或換一個已經在這台電腦上的模型。",
            f"The Hugging Face hub cannot be reached ({_said(error)}), so nothing is known of {model_id}. Check the network and "
            "try again, or choose a model that is already on this computer.",
        )
    if isinstance(error, OSError):
        return _file(model_id, error)
    return Text(
        f"「{page}」的回答不是 hub 的格式（{_said(error)}）。這個網路也許要先在瀏覽器登入；若設了 HF_ENDPOINT，請檢查它。",
        f"The answer for {page} is not the hub's ({_said(error)}). This network may want a login in the browser first; if "
        "HF_ENDPOINT is set, check it.",
    )


def broken_off(model_id: str, done: int, total: int, error: Exception) -> Text:
    """A download that ended in the middle."""
    return Text(
        f"「{model_id}」下載到 {size(done)}／{size(total)} 時斷線（{_said(error)}）。收到的部分都留著；再試一次就會接著下載。",
        f"The download of {model_id} broke off at {size(done)} of {size(total)} ({_said(error)}). What has arrived is kept: try "
        "again and it goes on from there.",
    )


def copy_used(error: BackendError, commit: str) -> Text:
    """That an older copy is used, because what was asked for could not be had."""
    return Text(
        f"{error.zh}這一次先用快取裡的版本 {commit[:12]}。",
        f"{error} This time the copy in the cache is used, commit {commit[:12]}.",
    )


def elsewhere(model_id: str, name: str) -> Text:
    """That another program fetches a file, which it then puts where this one would."""
    return Text(
        f"另一個程式正在下載「{model_id}」的「{name}」，等它下載完……",
        f"Another program is downloading {name} of {model_id}; waiting for it …",
    )


def damaged(model_id: str, name: str) -> Text:
    """A file that arrived with other content than the hub lists."""
    return Text(
        f"「{model_id}」的「{name}」下載後內容不對，已經丟掉。請再試一次。",
        f"{name} of {model_id} arrived damaged and was thrown away. Try again.",
    )


def no_room(model_id: str, needed: int, free: int, folder: Path) -> Text:
    """The disk is too small for what is to be downloaded."""
    return Text(
        f"「{model_id}」還要下載 {size(needed)}，但「{folder}」所在的磁碟只剩 {size(free)}。請先騰出空間，"
        "或用環境變數 HF_HOME 把快取放到別的磁碟。",
        f"{model_id} needs {size(needed)} more, and the disk of {folder} has {size(free)} left. Free some space, or put the "
        "cache on another disk with the environment variable HF_HOME.",
    )


def no_safetensors(model_id: str, names: tuple[str, ...]) -> Text:
    """The repository has no weights in the one format that is read from the hub."""
    if any(name.endswith(".gguf") for name in names):
        return Text(
            f"「{model_id}」只有 .gguf 檔。請自己下載其中一個，再輸入它的路徑。",
            f"{model_id} has only .gguf files. Download one of them yourself and give its path.",
        )
    return Text(
        f"「{model_id}」沒有 safetensors 權重，而其他格式載入時可能執行程式碼，所以不讀。請找它的 safetensors 版本，"
        "或換一個模型。",
        f"{model_id} has no weights as safetensors, and other formats are not read because loading them can run code. Look for "
        "a safetensors version of it, or choose another model.",
    )


def _gated(model_id: str, status: int, page: str) -> Text:
    if status == 401 and get_token() is None:
        return Text(
            f"「{model_id}」要登入才能下載，而這裡沒有 Hugging Face 的權杖。請到 {page} 同意授權條款；{_LOG_IN.zh}",
            f"{model_id} is gated and there is no Hugging Face token here. Accept its terms at {page}. {_LOG_IN.en}",
        )
    return Text(
        f"「{model_id}」需要授權，而你的帳號還沒有。請到 {page} 申請，通過後再試；若權杖是細分權限的，要讓它能讀需要申請的模型。",
        f"{model_id} is gated and your account has no access yet. Ask for it at {page} and try again when it is granted; a "
        "fine-grained token must be allowed to read gated models.",
    )


def _unknown(model_id: str) -> Text:
    asked = Text("", "")
    if get_token() is None:
        asked = Text(f"若是私人模型，{_LOG_IN.zh}", f" If it is private: {_LOG_IN.en}")
    return Text(
        f"hub 上沒有「{model_id}」，這台電腦也沒有這個資料夾。請檢查拼字（擁有者/名稱）。{asked.zh}",
        f"The hub has no model {model_id}, and there is no folder of that name. Check the spelling (owner/name).{asked.en}",
    )


def _refused(model_id: str, error: errors.HfHubHTTPError) -> Text:
    """An answer of the hub that is no success and none of the cases that have an error of their own."""
    status = error.response.status_code
    if status in (401, 403) and get_token() is None:
        return Text(
            f"hub 要先登入才給「{model_id}」（{status}）。{_LOG_IN.zh}",
            f"The hub wants a login before it gives {model_id} ({status}). {_LOG_IN.en}",
        )
    if status in (401, 403):
        return Text(
            f"hub 不接受這個權杖（{status}），所以不給「{model_id}」。{_LOG_IN.zh}",
            f"The hub does not accept the token ({status}) and does not give {model_id}. {_LOG_IN.en}",
        )
    if status == 429:
        return Text(
            f"hub 說請求太多了（429），暫時不給「{model_id}」。等幾分鐘再試；登入後額度較高。",
            f"The hub says that there were too many requests (429) and does not give {model_id} now. Wait some minutes and try "
            "again; with a login you may ask more often.",
        )
    if status >= 500:
        return Text(
            f"hub 自己出了問題（{status}），現在拿不到「{model_id}」。過一會兒再試。",
            f"The hub has a problem of its own ({status}) and cannot give {model_id} now. Try again in a while.",
        )
    return Text(
        f"hub 沒有給「{model_id}」（{_said(error)}）。請檢查名稱，或換一個模型。",
        f"The hub does not give {model_id} ({_said(error)}). Check the name, or choose another model.",
    )


def _file(model_id: str, error: OSError) -> Text:
    where = f"{error.filename}: " if error.filename else ""
    if error.errno == errno.ENOSPC:
        return Text(
            f"磁碟滿了，「{model_id}」沒有下載完（{where}{error.strerror}）。騰出空間再試一次，就會接著下載。",
            f"The disk is full and {model_id} is not all here ({where}{error.strerror}). Free some space and try again: it goes "
            "on from there.",
        )
    return Text(
        f"無法把「{model_id}」存到快取（{_said(error)}）。請檢查那個資料夾能不能寫入。",
        f"{model_id} cannot be put into the cache ({_said(error)}). Check that the folder can be written.",
    )


def _said(error: Exception) -> str:
    """The first line of an error's message, or its kind where it has none."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)[:200]
