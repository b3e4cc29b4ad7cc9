"""JupyterLab in a real Chromium: a server of its own, and what a person does in it.

Nothing here sleeps for a fixed time; every wait names what it waits for.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import nbformat

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = pathlib.Path(__file__).parent / "out"
CHROMIUM_FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--force-color-profile=srgb",
]  # fmt: skip


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab: where it is, the folder it shows, and its log."""

    url: str
    root: pathlib.Path
    log: pathlib.Path

    def write_notebook(self, name: str, *cells: str) -> None:
        """Writes a notebook of code cells."""
        spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = nbformat.v4.new_notebook(metadata={"kernelspec": spec})
        notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
        nbformat.write(notebook, self.root / name)

    def open_notebook(self, page: Any, name: str, *, kernel: bool = True) -> None:
        """Opens a notebook and returns when its kernel is idle and connected; without `kernel` none is started."""
        if not kernel:
            page.route(re.compile(r"/lab/tree/"), _without_kernels)
        page.goto(f"{self.url}/lab/tree/{name}?reset", wait_until="domcontentloaded")
        page.wait_for_selector("#jupyterlab-splash", state="detached", timeout=60_000)
        page.wait_for_selector(".jp-NotebookPanel:visible .jp-Cell")
        if not kernel:
            return
        # The page's indicator says "idle" before a kernel exists, and "Run All" is then dropped: ask the server.
        deadline = time.monotonic() + 60
        while not self._kernel_is_ready(page, name):
            assert time.monotonic() < deadline, "no idle kernel: " + self.log.read_text()[-2000:]
            page.wait_for_timeout(100)
        page.wait_for_selector(".jp-NotebookPanel:visible .jp-Notebook-ExecutionIndicator[data-status=idle]")

    def has_kernel(self, page: Any, name: str) -> bool:
        """Whether the notebook has a kernel."""
        return any(s["path"] == name for s in page.request.get(f"{self.url}/api/sessions").json())

    def save(self, page: Any, name: str) -> None:
        """Saves the notebook and returns when it is on disk."""
        before = (self.root / name).stat().st_mtime_ns
        page.click(".jp-NotebookPanel:visible .jp-CodeCell .cm-content >> nth=0")
        page.keyboard.press("Control+s")
        deadline = time.monotonic() + 30
        while (self.root / name).stat().st_mtime_ns == before:
            assert time.monotonic() < deadline, "the notebook was not saved"
            page.wait_for_timeout(100)

    def _kernel_is_ready(self, page: Any, name: str) -> bool:
        sessions = [s for s in page.request.get(f"{self.url}/api/sessions").json() if s["path"] == name]
        if not sessions:
            return False
        kernel = sessions[0]["kernel"]
        return kernel["execution_state"] == "idle" and kernel["connections"] >= 1

    def run_all(self, page: Any) -> None:
        """Runs all cells by the menu, as keys depend on focus; a run dropped while connecting is asked for again."""
        prompt = ".jp-NotebookPanel .jp-CodeCell .jp-InputPrompt"
        for _ in range(3):
            page.click(".jp-NotebookPanel:visible .jp-CodeCell .cm-content >> nth=0")
            page.get_by_role("menuitem", name="Run", exact=True).first.click()
            page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
            started = "s => /\\[[\\d*]+\\]/.test(document.querySelector(s).textContent)"
            with contextlib.suppress(
                Exception
            ):  # playwright's TimeoutError; anything else shows at the next wait
                page.wait_for_function(started, arg=prompt, timeout=20_000)
                return
        raise AssertionError("'Run All Cells' was dropped three times")


def _without_kernels(route: Any) -> None:
    """Answers with the page as it is configured where notebooks start no kernel."""
    response = route.fetch()
    configured = response.text().replace('"notebookStartsKernel": true', '"notebookStartsKernel": false')
    route.fulfill(response=response, body=configured)


@contextlib.contextmanager
def running_lab(base: pathlib.Path, *options: str, extension: bool = True) -> Iterator[Lab]:
    """A JupyterLab with configuration, data and runtime folders of its own below `base`.

    Args:
        base: An empty folder.
        *options: More of its command line.
        extension: Whether our extension is on; off, it is what other hosts are: the HTML form shows.
    """
    root = base / "root"
    root.mkdir()
    folders = {
        "IPYTHONDIR": "ipython", "JUPYTER_CONFIG_DIR": "config", "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTER_DATA_DIR": "data", "JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    }  # fmt: skip
    env = os.environ | {name: str(base / folder) for name, folder in folders.items()}
    env |= {"JUPYTER_PREFER_ENV_PATH": "1", "PYTHONUNBUFFERED": "1"}
    # the bundle and the package of this working tree, whatever is installed
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    extensions = base / "labextensions"
    extensions.mkdir()
    (extensions / "jaxnb").symlink_to(ROOT / "jaxnb" / "_labextension")
    if not extension:
        config = base / folders["JUPYTER_CONFIG_DIR"] / "labconfig"
        config.mkdir(parents=True)
        (config / "page_config.json").write_text('{"disabledExtensions": {"jaxnb": true}}')
    settings = base / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text(
        '{"fetchNews": "false", "checkForUpdates": false, "doNotDisturbMode": true}'
    )
    # follow prefers-color-scheme, so that a browser context chooses light or dark
    (settings / "themes.jupyterlab-settings").write_text('{"adaptive-theme": true}')
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0",
        "--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True", f"--ServerApp.root_dir={root}",
        "--ServerApp.terminals_enabled=False", "--LabApp.news_url=",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        f"--LabApp.extra_labextensions_path={extensions}", *options,
    ]  # fmt: skip
    log = base / "server.log"
    with log.open("w") as out:
        process = subprocess.Popen(
            command, env=env, stdout=out, stderr=subprocess.STDOUT, cwd=base, start_new_session=True
        )
        try:
            yield Lab(_wait_for_server(process, base / "runtime", log), root, log)
        finally:
            process.terminate()  # ends its kernels too
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(5)


def _wait_for_server(process: subprocess.Popen[bytes], runtime: pathlib.Path, log: pathlib.Path) -> str:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError("JupyterLab ended: " + log.read_text()[-3000:])
        for file in runtime.glob("jpserver-*.json"):
            with contextlib.suppress(OSError, ValueError, urllib.error.URLError):
                url = json.loads(file.read_text())["url"].rstrip("/")
                with urllib.request.urlopen(url + "/api/status", timeout=2) as reply:
                    reply.read()
                return url
        time.sleep(0.1)
    raise RuntimeError("JupyterLab did not answer: " + log.read_text()[-3000:])
