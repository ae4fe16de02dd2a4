"""The hub: one process with the pages, the telemetry route, the actions for the command line, and the ingester.

It alone holds the store open. `serve` takes the folder's lock before it opens the store, so a second hub reads a
sentence; the rest of the start-up runs in the ASGI lifespan, once a process, whatever pages are opened.
"""

from __future__ import annotations

import asyncio
import gc
import getpass
import os
import secrets
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..actions.folder import Folder
from ..actions.hub_link import HubInfo, HubLock, hub_lock, remove_hub_info, write_hub_info
from ..actions.workspace import Workspace
from ..model import GoldrankError, UsageError
from . import holder

if TYPE_CHECKING:
    from ..actions.replay_desk import ReplayDesk
    from ..collectors import Ingester
    from ..collectors.receiving.grpc_service import GrpcStart
    from ..collectors.receiving.guard import Tokens
    from ..collectors.receiving.receiver import Receiver
    from ..collectors.receiving.tls import Keys

CANNOT_START: Final = 3
"""Exit code when the folder is held by another hub, the store is broken or locked, or the port is taken."""
SCRIPT: Final = Path(__file__).parent / "app.py"
SWITCH_INTERVAL_S: Final = 0.0005
"""A page that computes must not hold up the telemetry route: with Python's own 5 ms it waited 43 to 99 ms."""
DRAIN_S: Final = 2.0
"""After the signal to stop, so long the ingester may still take in what was acknowledged. The rest stays in the
spool for the next hub."""


class Start(NamedTuple):
    """What a hub is started with."""

    folder: Folder
    host: str
    open_browser: bool
    token: str
    bound: socket.socket
    grpc: GrpcStart | None = None
    keys: Keys | None = None
    """None: no TLS."""

    @property
    def url(self) -> str:
        """Where people and apps on this machine reach the hub."""
        port = self.bound.getsockname()[1]
        name = {"0.0.0.0": "127.0.0.1", "::": "127.0.0.1"}.get(self.host, self.host)  # noqa: S104 - only named here
        scheme = "http" if self.keys is None else "https"
        return f"{scheme}://[{name}]:{port}" if ":" in name else f"{scheme}://{name}:{port}"


def serve(
    directory: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8501,
    open_browser: bool = True,
    who: str | None = None,
    app: str = "",
    grpc_port: int | None = None,
    keys: Keys | None = None,
) -> int:
    """Runs a hub on the data folder until SIGINT or SIGTERM; returns the exit code.

    `port` 0 takes any free one. `grpc_port`, where one is given, receives OTLP by gRPC beside it. `app` is what
    requests are run again with: `module:function`, imported from the working directory by a process of its own, or
    the address of a `goldrank.replay_app`. With `keys` pages, routes and gRPC are served with TLS. What keeps the hub
    from starting is said in one sentence on stderr, with code 3.
    """
    folder = Folder(directory)
    try:
        with hub_lock(folder.path) as lock:
            who = who or _login_name()
            start = _Wanted(host, port, open_browser=open_browser, who=who, app=app, grpc_port=grpc_port, keys=keys)
            return _serve(folder, lock, start)
    except GoldrankError as error:
        print(f"goldrank: {error}", file=sys.stderr)  # noqa: T201 - the command's own words
        return CANNOT_START
    except OSError as error:
        print(f"goldrank: {folder.path} cannot be used: {error.strerror or error}", file=sys.stderr)  # noqa: T201
        return CANNOT_START


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user without a name
        return "unknown"


class _Wanted(NamedTuple):
    """What was asked for on the command line."""

    host: str
    port: int
    open_browser: bool
    who: str
    app: str
    grpc_port: int | None
    keys: Keys | None


def _serve(folder: Folder, lock: HubLock, wanted: _Wanted) -> int:
    from ..actions.human_text import redactor
    from ..collectors import Ingester
    from ..collectors.receiving.serving import bind
    from ..store.duckdb import open_store

    with ExitStack() as stack:
        grpc = _grpc_start(wanted)
        bound = stack.enter_context(bind(wanted.host, wanted.port, otherwise="goldrank up --port 0"))
        folder.check_room()
        store = stack.enter_context(open_store(folder.store))
        desk = stack.enter_context(_desk(folder, wanted.app))
        start = Start(folder, wanted.host, wanted.open_browser, secrets.token_urlsafe(32), bound, grpc, wanted.keys)
        lock.say_address(start.url)
        hub = {"pid": os.getpid(), "url": start.url, "since_ns": lock.holder.since_ns}
        workspace = Workspace(store, folder.spool, who=wanted.who, hub=hub, replays=desk)
        ingester = Ingester(folder.spool, store, redact=(redactor(workspace),))
        workspace = workspace._replace(ingester=ingester)
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        _configure_streamlit(wanted.host, bound.getsockname()[1])
        _import_warm()
        _run_server(start, workspace, ingester, lock.holder.since_ns)
    return 0


def _grpc_start(wanted: _Wanted) -> GrpcStart | None:
    """None where gRPC was not asked for. UsageError where it was, and its package is not there or the port taken."""
    if wanted.grpc_port is None:
        return None
    from ..collectors.receiving.serving import bind

    try:
        from ..collectors.receiving.grpc_service import GrpcStart
    except ModuleNotFoundError:
        raise UsageError("--grpc-port needs gRPC: pip install 'goldrank[collector]'") from None
    if wanted.grpc_port:
        bind(wanted.host, wanted.grpc_port, otherwise="goldrank up --grpc-port 0").close()
    return GrpcStart(wanted.host, wanted.grpc_port, wanted.keys)


@contextmanager
def _desk(folder: Folder, app: str) -> Iterator[ReplayDesk | None]:
    """The desk for replays on `app`; None without one. Its worker ends with the hub."""
    if not app:
        yield None
        return
    from ..actions.replay_desk import ReplayDesk
    from ..evals.replay import parse_target

    parse_target(app)  # what is no address and no module:function is said before the hub starts
    desk = ReplayDesk(app, directory=folder.path, cwd=Path.cwd())
    try:
        yield desk
    finally:
        desk.close()


def _configure_streamlit(host: str, port: int) -> None:
    """Settings that decide before files and variables; the theme comes from the config.toml beside the script."""
    from streamlit import config
    from streamlit.web.bootstrap import load_config_options

    from ..collectors.receiving.guard import LOOPBACK_NAMES, is_loopback

    config._main_script_path = str(SCRIPT)  # noqa: SLF001 - how streamlit itself finds the script's config.toml
    load_config_options(
        {
            "server.headless": True,
            "server.address": host,
            "server.port": port,
            "server.fileWatcherType": "none",
            "server.runOnSave": False,
            "server.allowedHosts": sorted(LOOPBACK_NAMES | {"[::1]"}) if is_loopback(host) else [],
            "browser.gatherUsageStats": False,
            "global.developmentMode": False,
        }
    )


def _import_warm() -> None:
    """Loads what the first page would load: the first visitor does not wait for it, and `gc.freeze` covers it."""
    for name in ("pandas", "plotly.graph_objects", "plotly.io", "pyarrow", "goldrank.dashboard.data"):
        import_module(name)


def _run_server(start: Start, workspace: Workspace, ingester: Ingester, since_ns: int) -> None:
    import streamlit
    from starlette.middleware import Middleware
    from streamlit.runtime.runtime_util import get_max_message_size_bytes

    from ..collectors.receiving.at_work import make_receiver
    from ..collectors.receiving.gone_clients import GoneClients
    from ..collectors.receiving.guard import HostCheck
    from .routes import Surroundings, tcp_routes
    from .server import tcp_server

    receiver = make_receiver(
        start.folder.spool, what="hub", port=start.bound.getsockname()[1], tokens=_senders(start), spool_limits=None
    )
    routes = tcp_routes(Surroundings(workspace, receiver, start.token, start.host))

    @asynccontextmanager
    async def lifespan(_app: streamlit.App) -> AsyncIterator[dict[str, Any]]:
        async with _at_work(start, workspace, ingester, receiver, since_ns):
            yield {}

    app = streamlit.App(
        SCRIPT,
        routes=routes,
        lifespan=lifespan,
        middleware=[Middleware(GoneClients), Middleware(HostCheck, bound_to=start.host)],
    )
    server = tcp_server(app, start.host, ws_max_size=get_max_message_size_bytes(), keys=start.keys)
    server.run(sockets=[start.bound])
    if not server.started:
        raise GoldrankError("The hub could not start; what stands above says why.")


def _senders(start: Start) -> Tokens:
    """Who may send: on loopback everybody; beyond it apps with GOLDRANK_TOKEN, or with the token of hub.json."""
    from ..collectors.receiving.guard import Tokens, is_loopback

    own = os.environ.get("GOLDRANK_TOKEN", "").strip()
    return Tokens() if is_loopback(start.host) else Tokens(start.token, *([own] if own else []))


@asynccontextmanager
async def _at_work(
    start: Start, workspace: Workspace, ingester: Ingester, receiver: Receiver, since_ns: int
) -> AsyncIterator[None]:
    """From the first to the last moment at which pages and routes answer."""
    from ..collectors.receiving.at_work import at_work

    holder.install(workspace)
    worker = IngesterThread(ingester)
    worker.start()
    async with at_work(receiver, start.grpc) as grpc_port, _unix_socket(start.folder, workspace) as socket_path:
        write_hub_info(_info(start, socket_path, since_ns))
        gc.collect()
        gc.freeze()  # or Streamlit's collection after every page run costs 75 to 150 ms
        _announce(start, grpc_port)
        try:
            yield
        finally:
            remove_hub_info(start.folder.path, os.getpid())
    await asyncio.to_thread(worker.finish)
    holder.install(None)


@asynccontextmanager
async def _unix_socket(folder: Folder, workspace: Workspace) -> AsyncIterator[Path | None]:
    """Serves the actions on `hub.sock`; None where there is no such socket."""
    from .routes import socket_routes
    from .server import bind_unix, side_server

    bound = bind_unix(folder.hub_socket)
    if bound is None:
        yield None
        return
    server = side_server(socket_routes(workspace))
    serving = asyncio.create_task(server.serve(sockets=[bound]))
    try:
        yield folder.hub_socket
    finally:
        server.should_exit = True
        await serving
        bound.close()
        with suppress(FileNotFoundError):
            folder.hub_socket.unlink()


def _info(start: Start, socket_path: Path | None, since_ns: int) -> HubInfo:
    return HubInfo(
        pid=os.getpid(),
        url=start.url,
        socket=str(socket_path) if socket_path else None,
        token=start.token,
        since_ns=since_ns,
        directory=str(start.folder.path),
        certificate=str(start.keys.certificate) if start.keys else None,
    )


def _announce(start: Start, grpc_port: int | None) -> None:
    from ..collectors.receiving.guard import is_loopback

    lines = [f"goldrank: {start.url}", f"data:     {start.folder.path}", "stop:     Ctrl-C"]
    if grpc_port is not None:
        lines.insert(1, f"gRPC:     {start.host}:{grpc_port}")
    if not is_loopback(start.host):
        lines.append(
            f"warning:  bound to {start.host}: everybody who reaches this address can read and label what is stored; "
            f"apps need the token in {start.folder.hub_json}"
        )
    print("\n".join(lines), flush=True)  # noqa: T201 - the command's own words
    if start.open_browser:
        threading.Thread(target=webbrowser.open, args=(start.url,), daemon=True).start()


class IngesterThread:
    """The ingester in a thread of its own, started again should it ever end by itself."""

    def __init__(self, ingester: Ingester) -> None:
        self._ingester = ingester
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="goldrank-ingester", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def _work(self) -> None:
        while not self._stop.is_set():
            self._ingester.run(self._stop)

    def finish(self) -> None:
        """Ends the thread, and takes in what was acknowledged last; returns after a few seconds at most."""
        self._stop.set()
        self._thread.join(timeout=2 * DRAIN_S)
        if self._thread.is_alive():
            return
        until = time.monotonic() + DRAIN_S
        with suppress(GoldrankError, OSError):  # it stays in the spool, and the next hub takes it in
            while time.monotonic() < until and self._ingester.run_once():
                pass
