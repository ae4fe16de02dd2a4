"""A store with requests of a made-up support bot, the dashboard on it as AppTest, and a real hub as a process."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from goldrank.actions import (
    NewLabel,
    Promote,
    RequestView,
    SaveLabels,
    ShowRequest,
    Workspace,
    promote,
    save_labels,
    show,
)
from goldrank.actions.hub_client import call_hub
from goldrank.actions.hub_link import HubInfo, read_hub_info
from goldrank.dashboard import holder
from goldrank.model import (
    Complaint,
    Completeness,
    CorpusChunk,
    CorpusManifest,
    FlowSource,
    Hit,
    Judgement,
    LabelTarget,
    Message,
    Outcome,
    RecordedRequest,
    Request,
    Stage,
    StageInput,
    StageKind,
    TextState,
    wire,
)
from goldrank.store import IntakeBatch
from goldrank.store.duckdb import open_store
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

sys.path.insert(0, str(Path(__file__).parent))

T0 = 1_795_960_800_000_000_000
"""29 November 2026, 14:00 UTC."""
MS = 1_000_000
APP = Path(__file__).resolve().parents[2] / "dashboard" / "app.py"
HOSTILE = (
    "<script>alert(1)</script> **bold** _u_ `code` $x^2$ [a](http://evil.example) www.evil.example "
    "me@evil.example :smile: :material/home: :red[x] -> <- >= <img src=http://evil.example/y.png>"
)
CHUNKS = (
    "refunds-v5#annual",
    "refunds-v4#annual",
    "trial#length",
    "faq#refund",
    "roles#guest",
    "limits#seats",
    "billing#change-card",
    "errors#E-4012",
    *(f"page{number}#s{number % 4}" for number in range(240)),
)
GOLD = CHUNKS[0]


def text_of(chunk_id: str) -> str:
    """Words that only this chunk has."""
    return f"The passage {chunk_id}. Customers on the plan of {chunk_id} may ask for their money within 30 days."


def hits(ranks: dict[str, int], length: int, *, seed: int = 1, first: int = 1, top: float = 14.2) -> tuple[Hit, ...]:
    """A list of `length` hits from rank `first` on: the named chunks at their ranks, others between them."""
    shuffled = [chunk for chunk in CHUNKS if chunk not in ranks and chunk != GOLD]
    random.Random(seed).shuffle(shuffled)
    at = {rank: chunk for chunk, rank in ranks.items()}
    others = iter(shuffled)
    return tuple(
        Hit(
            rank=rank,
            chunk_id=(chunk := at.get(rank) or next(others)),
            doc_id=chunk.partition("#")[0],
            score=round(top * (1 - (rank - 1) / 400), 4),
            text=text_of(chunk),
            text_state=TextState.KNOWN,
            metadata={"version": "v5", "source": f"{chunk}.md"},
        )
        for rank in range(first, first + length)
    )


class Bot:
    """Makes recorded requests, a stage after the other."""

    def __init__(self, number: int, question: str = "what about for annual plans?") -> None:
        self.number = number
        self.request_id = f"{number * 0x1111_1111:032x}"[::-1] + f"-{number:016x}"
        self.stages: list[Stage] = []
        self.request: dict[str, Any] = {
            "question": question,
            "answer": "Within 14 days of payment [S1].",
            "user": "u-2041",
            "session": "s-8812",
            "groups": ("customers",),
            "app_version": "2.3.1",
            "history": (Message(role="user", text="How long is the refund window?"),),
        }

    def stage(self, kind: StageKind, name: str, found: tuple[Hit, ...] | None = None, **more: Any) -> Stage:
        """Adds a stage; `after` names the stages whose lists went in."""
        at = self.start_ns + len(self.stages) * 10 * MS
        inputs = tuple(StageInput(stage_id=one.stage_id) for one in more.pop("after", ()))
        made = Stage(
            stage_id=f"{self.number * 256 + len(self.stages) + 1:016x}",
            kind=kind,
            name=name,
            start_ns=at,
            end_ns=at + 9 * MS,
            hits=found,
            length=len(found) if found is not None else None,
            inputs=inputs,
            flow_source=FlowSource.RECORDED if inputs else FlowSource.UNKNOWN,
            **({"index": "docs", "index_version": "idx-4"} if kind is StageKind.RETRIEVE else {}),
        ).model_copy(update=more)
        self.stages.append(made)
        return made

    @property
    def start_ns(self) -> int:
        """Each request is a minute before the one with the next lower number."""
        return T0 - self.number * 60_000 * MS

    def prompt(self, after: Stage, takes: int = 5) -> None:
        """Adds the prompt builder and the model, with the first `takes` hits of `after` in the prompt."""
        held = (after.hits or ())[:takes]
        held = tuple(hit.model_copy(update={"rank": place}) for place, hit in enumerate(held, start=1))
        built = self.stage(StageKind.ASSEMBLE, "prompt", held, after=(after,))
        text = "Answer from these.\n\n" + "\n\n".join(f"[S{hit.rank}] {hit.text}" for hit in held)
        question = str(self.request["question"])
        self.stage(
            StageKind.GENERATE,
            "generate",
            after=(built,),
            prompt=(Message(role="system", text=text), Message(role="user", text=question)),
            model="extractive",
        )

    def recorded(self) -> RecordedRequest:
        """The request as composition would hand it over."""
        end = self.start_ns + 465 * MS
        request = Request(
            request_id=self.request_id,
            trace_id=self.request_id[:32],
            app="support-bot",
            environment="demo",
            start_ns=self.start_ns,
            end_ns=end,
            **self.request,
        )
        return RecordedRequest(request=request, stages=tuple(self.stages))


def demoted(number: int, *, legs: tuple[int, int] = (1, 14), length: int = 50) -> Bot:
    """Rank 1 in bm25, 14 in dense, 4 after rrf, 9 after rerank; the prompt takes 5."""
    bot = Bot(number)
    bot.stage(
        StageKind.REWRITE,
        "rewrite",
        query=bot.request["question"],
        queries=("refund window for annual plans",),
        technique="standalone",
    )
    query = {"query": "refund window for annual plans", "top_k": length}
    bm25 = bot.stage(StageKind.RETRIEVE, "bm25", hits({GOLD: legs[0]}, length, seed=1), filters={"lang": "en"}, **query)
    dense = bot.stage(StageKind.RETRIEVE, "dense", hits({GOLD: legs[1]}, length, seed=2, top=0.83), **query)
    rrf = bot.stage(StageKind.FUSE, "rrf", hits({GOLD: 4}, length, seed=3, top=0.03), after=(bm25, dense))
    rerank = bot.stage(StageKind.RERANK, "rerank", hits({GOLD: 9}, min(30, length), seed=4, top=0.9), after=(rrf,))
    bot.prompt(rerank)
    return bot


def twelve_stages(number: int) -> Bot:
    """Two queries, five legs of which one failed and one is empty, fusions, filters and a reranker."""
    bot = Bot(number, "Until when can an annual customer ask for the money back?")
    names = ("q1 bm25", "q1 dense", "q2 bm25", "q2 dense")
    legs = [
        bot.stage(StageKind.RETRIEVE, name, hits({GOLD: 7 + place * 9} if place != 2 else {}, 50, seed=place), top_k=50)
        for place, name in enumerate(names)
    ]
    failed = bot.stage(
        StageKind.RETRIEVE, "graph neighbours", outcome=Outcome.ERROR, error="TimeoutError: no answer in 2 s", top_k=20
    )
    empty = bot.stage(StageKind.RETRIEVE, "keywords", (), top_k=20)
    one = bot.stage(StageKind.FUSE, "q1 rrf", hits({GOLD: 4}, 60, seed=11), after=legs[:2])
    two = bot.stage(StageKind.FUSE, "q2 rrf", hits({GOLD: 28}, 60, seed=12), after=legs[2:])
    every = bot.stage(StageKind.FUSE, "fuse all", hits({GOLD: 3}, 100, seed=13), after=(one, two, failed, empty))
    kept = bot.stage(StageKind.FILTER, "group filter", hits({GOLD: 2}, 64, seed=14), after=(every,))
    single = bot.stage(StageKind.FILTER, "dedupe", hits({GOLD: 2}, 52, seed=15), after=(kept,))
    ranked = bot.stage(StageKind.RERANK, "cross-encoder", hits({GOLD: 11}, 50, seed=16), after=(single,))
    bot.prompt(ranked, takes=8)
    return bot


def incomplete(number: int) -> Bot:
    """bm25 lost its best 27 ranks, rrf was cut after rank 20 of 50."""
    bot = Bot(number, "Can guests see the audit log?")
    bm25 = bot.stage(
        StageKind.RETRIEVE,
        "bm25",
        hits({GOLD: 31}, 23, seed=1, first=28),
        top_k=50,
        length=50,
        missing_top=27,
        completeness=Completeness.TOP_MISSING,
    )
    dense = bot.stage(StageKind.RETRIEVE, "dense", hits({GOLD: 34}, 50, seed=2), top_k=50)
    rrf = bot.stage(
        StageKind.FUSE,
        "rrf",
        hits({}, 20, seed=3),
        after=(bm25, dense),
        length=50,
        completeness=Completeness.TRUNCATED,
    )
    rerank = bot.stage(StageKind.RERANK, "rerank", hits({}, 29, seed=4), top_k=30, after=(rrf,))
    bot.prompt(rerank)
    bot.request["missing"] = ("1 span missing",)
    return bot


def three_golds(number: int) -> Bot:
    """Two of three golds reach the prompt; one is not in every list."""
    bot = Bot(number, "Can I log in with our company account?")
    saml, oidc, scim = CHUNKS[2], CHUNKS[3], CHUNKS[4]
    bm25 = bot.stage(StageKind.RETRIEVE, "bm25", hits({saml: 8, oidc: 22}, 50, seed=1), top_k=50)
    dense = bot.stage(StageKind.RETRIEVE, "dense", hits({saml: 4, oidc: 1, scim: 19}, 50, seed=2), top_k=50)
    rrf = bot.stage(StageKind.FUSE, "rrf", hits({saml: 1, oidc: 4}, 50, seed=3), after=(bm25, dense))
    rerank = bot.stage(StageKind.RERANK, "rerank", hits({saml: 5, oidc: 2, scim: 17}, 30, seed=4), after=(rrf,))
    bot.prompt(rerank)
    return bot


def nowhere(number: int) -> Bot:
    """The gold is in no list."""
    bot = Bot(number, "Do you refund the VAT?")
    bm25 = bot.stage(StageKind.RETRIEVE, "bm25", hits({}, 50, seed=1), top_k=50)
    dense = bot.stage(StageKind.RETRIEVE, "dense", hits({}, 40, seed=2), top_k=50)
    rrf = bot.stage(StageKind.FUSE, "rrf", hits({}, 50, seed=3), after=(bm25, dense))
    bot.prompt(rrf)
    return bot


def nothing_found(number: int) -> Bot:
    """Every list is empty."""
    bot = Bot(number, "zzzz?")
    bm25 = bot.stage(StageKind.RETRIEVE, "bm25", (), top_k=50)
    bot.stage(StageKind.RERANK, "rerank", (), after=(bm25,))
    return bot


def hostile(number: int) -> Bot:
    """Every text of the request tries to be something else."""
    bot = demoted(number)
    bot.request |= dict.fromkeys(("question", "answer", "user", "session", "app_version"), HOSTILE)
    bot.request["groups"] = (HOSTILE,)
    bot.request["history"] = (Message(role=HOSTILE, text=HOSTILE),)

    def bad(hit: Hit) -> Hit:
        return hit.model_copy(
            update={
                "chunk_id": f"{HOSTILE} {hit.chunk_id}",
                "text": f"{HOSTILE} {hit.text}",
                "metadata": {HOSTILE: HOSTILE},
            }
        )

    bot.stages = [
        stage.model_copy(
            update={
                "name": f"{stage.name} {HOSTILE}",
                "query": HOSTILE,
                "filters": {HOSTILE: HOSTILE},
                "hits": None if stage.hits is None else tuple(map(bad, stage.hits)),
            }
        )
        for stage in bot.stages
    ]
    return bot


SCENES: dict[str, Callable[[int], Bot]] = {
    "demoted": demoted,
    "twelve_stages": twelve_stages,
    "incomplete": incomplete,
    "three_golds": three_golds,
    "nowhere": nowhere,
    "nothing_found": nothing_found,
    "hostile": hostile,
}


class Desk:
    """A workspace with short ways to fill it."""

    Bot = Bot
    hits = staticmethod(hits)
    GOLD = GOLD
    HOSTILE = HOSTILE
    T0 = T0
    CHUNKS = CHUNKS

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.scene = {name: make(number) for number, (name, make) in enumerate(SCENES.items(), start=1)}

    def id_of(self, name: str) -> str:
        """The request id of a scene."""
        return self.scene[name].request_id

    def record(self, *bots: Bot) -> None:
        """Stores these requests."""
        commit_bots(self.workspace, bots)

    def record_scenes(self, *names: str) -> None:
        """Stores these scenes, or all."""
        self.record(*(self.scene[name] for name in names or SCENES))

    def label(self, name: str, *chunk_ids: str, judgement: Judgement = Judgement.GOLD) -> None:
        """Marks passages of a scene."""
        labels = tuple(
            NewLabel(judgement=judgement, target=LabelTarget(chunk_id=one, index="docs"))
            for one in chunk_ids or (GOLD,)
        )
        save_labels(self.workspace, SaveLabels(request_id=self.id_of(name), labels=labels))

    def view(self, name: str) -> RequestView:
        """What the request page is given."""
        return show(self.workspace, ShowRequest(request=self.id_of(name)))

    def complain(self, name: str, text: str, ticket: str = "T-1042") -> None:
        """Files a ticket about a scene."""
        complaint = Complaint(complaint_id=ticket, app="support-bot", text=text, at_ns=T0, request_id=self.id_of(name))
        self.workspace.store.intake.commit(IntakeBatch(complaints=(complaint,)))

    def add_corpus(self) -> None:
        """Loads the manifest of the index: every chunk but the gold of `nowhere`."""
        self.workspace.store.intake.commit(IntakeBatch(corpora=(manifest(),)))


def manifest() -> CorpusManifest:
    """What the index holds."""
    chunks = tuple(
        CorpusChunk(
            chunk_id=chunk,
            doc_id=chunk.partition("#")[0],
            text=text_of(chunk),
            section_path=chunk.replace("#", " > "),
            previous_id=CHUNKS[place - 1] if place else None,
            next_id=CHUNKS[place + 1] if place + 1 < len(CHUNKS) else None,
        )
        for place, chunk in enumerate(CHUNKS)
    )
    return CorpusManifest(app="support-bot", environment="demo", index="docs", version="idx-4", chunks=chunks)


def commit_bots(workspace: Workspace, bots: tuple[Bot, ...]) -> None:
    """Stores requests as the ingester would."""
    recorded = tuple(bot.recorded() for bot in bots)
    members = {
        one.request.request_id: tuple((one.request.trace_id, stage.stage_id) for stage in one.stages)
        for one in recorded
    }
    workspace.store.intake.commit(IntakeBatch(requests=recorded, members=members))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """An empty store."""
    with open_store(tmp_path / "store.duckdb") as store:
        yield Desk(Workspace(store=store, spool=tmp_path / "spool", who="anna", redact=()))


@pytest.fixture
def pages(desk: Desk) -> Iterator[Callable[..., Any]]:
    """Opens a page of the dashboard on the desk's store: `pages("request.py", request_id=...)`."""
    from streamlit.testing.v1 import AppTest

    def open_page(
        name: str = "requests.py", *, params: dict[str, str] | None = None, ingester: Any = None, **more: str
    ) -> Any:
        holder.install(desk.workspace._replace(ingester=ingester))
        app = AppTest.from_file(str(APP), default_timeout=60)
        if name != "requests.py":
            app.run()
            app.switch_page(f"app_pages/{name}")
        for key, value in {**(params or {}), **more}.items():
            app.query_params[key] = value
        return app.run()

    yield open_page
    holder.install(None)


class HubProcess:
    """A hub in a process of its own, on a free port."""

    def __init__(self, directory: Path, *arguments: str) -> None:
        self.directory = directory
        code = (
            "import sys; from pathlib import Path; from goldrank.dashboard.hub import serve; "
            "grpc = int(sys.argv[3]) if len(sys.argv) > 3 else None; "
            "sys.exit(serve(Path(sys.argv[1]), port=int(sys.argv[2]), open_browser=False, who='anna', grpc_port=grpc))"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, str(directory), *(arguments or ("0",))],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={name: value for name, value in os.environ.items() if name != "GOLDRANK_STRICT"},
            cwd=directory.parent,
        )

    @property
    def info(self) -> HubInfo:
        """What `hub.json` says."""
        info = read_hub_info(self.directory)
        assert info is not None
        return info

    def wait_until_up(self, limit_s: float = 90.0) -> HubProcess:
        """Waits for `hub.json` of this process."""
        until = time.monotonic() + limit_s
        while time.monotonic() < until:
            info = read_hub_info(self.directory)
            if info is not None and info.pid == self.process.pid:
                return self
            if self.process.poll() is not None:
                raise AssertionError(f"the hub ended with {self.process.returncode}: {self.process.communicate()}")
            time.sleep(0.05)
        self.process.kill()
        raise AssertionError(f"no hub after {limit_s} s: {self.process.communicate()}")

    def stop(self, number: int = signal.SIGTERM, limit_s: float = 60.0) -> int:
        """Sends a signal and waits; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(limit_s)

    def end(self) -> None:
        """Whatever happened, nothing is left running."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


@pytest.fixture
def start_hub(tmp_path: Path) -> Iterator[Callable[..., HubProcess]]:
    """Starts hubs, and ends them after the test."""
    started: list[HubProcess] = []

    def start(directory: Path | None = None, *arguments: str) -> HubProcess:
        hub = HubProcess(directory or tmp_path / "data", *arguments)
        started.append(hub)
        return hub

    yield start
    for hub in started:
        hub.end()


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """One hub for the tests of a module that only ask."""
    running = HubProcess(tmp_path_factory.mktemp("hub") / "data")
    try:
        yield running.wait_until_up()
    finally:
        running.end()


@pytest.fixture(scope="session")
def demo_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """One hub for all looks with the browser: every scene recorded, most of them labelled."""
    directory = tmp_path_factory.mktemp("looks") / "data"
    directory.mkdir()
    with open_store(directory / "store.duckdb") as store:
        desk = Desk(Workspace(store=store, spool=directory / "spool", who="anna", redact=()))
        desk.record_scenes()
        desk.record(*(demoted(number) for number in range(20, 60)))
        desk.add_corpus()
        for name in ("demoted", "twelve_stages", "incomplete", "nowhere", "nothing_found"):
            desk.label(name)
        desk.label("three_golds", CHUNKS[2], CHUNKS[3], CHUNKS[4])
        desk.complain("demoted", "Your bot told me 14 days. Your own policy page says 30!")
        promote(
            desk.workspace, Promote(request_id=desk.id_of("three_golds"), kind="multi-evidence", note="All needed.")
        )
        desk.complain("hostile", HOSTILE, ticket="T-66")
    hub = HubProcess(directory)
    try:
        yield hub.wait_until_up()
    finally:
        hub.end()


@pytest.fixture(scope="session")
def scene_ids(demo_hub: HubProcess) -> dict[str, str]:
    """Name of a scene -> its request id; "case" -> the one case that stands in the set from the beginning."""
    ids = {name: make(number).request_id for number, (name, make) in enumerate(SCENES.items(), start=1)}
    answer = json.loads(call_hub(demo_hub.directory, "list_cases", b"{}") or b"{}")
    return ids | {"case": answer["rows"][0]["case"]["case_id"]}


@pytest.fixture(scope="session")
def hostile_text() -> str:
    """The text that tries to be something else."""
    return HOSTILE


@pytest.fixture
def post_request() -> Callable[[HubProcess, str], None]:
    """Posts the request span of one question as an exporter would."""
    return send_request


def one_request(question: str, trace_id: bytes | None = None) -> bytes:
    """An OTLP message with the request span of one question."""
    message = ExportTraceServiceRequest()
    resource = message.resource_spans.add()
    resource.resource.attributes.add(key=wire.APP).value.string_value = "support-bot"
    ids = hashlib.sha256(question.encode()).digest()
    span = resource.scope_spans.add().spans.add(trace_id=trace_id or ids[:16], span_id=ids[16:24], name="answer")
    span.start_time_unix_nano = time.time_ns()
    span.end_time_unix_nano = span.start_time_unix_nano + 5_000_000
    for name, value in ((wire.KIND, "request"), (wire.QUESTION, question), (wire.ANSWER, "Yes.")):
        span.attributes.add(key=name).value.string_value = value
    span.attributes.add(key=wire.VERSION).value.int_value = wire.WIRE_VERSION
    return message.SerializeToString()


def send_request(hub: HubProcess, question: str) -> None:
    """Posts one request; it is acknowledged."""
    call = urllib.request.Request(
        f"{hub.info.url}/v1/traces", one_request(question), {"Content-Type": "application/x-protobuf"}
    )
    with urllib.request.urlopen(call, timeout=30) as answer:
        assert answer.status == 200


@pytest.fixture
def otlp() -> Callable[..., bytes]:
    """Makes an OTLP message of one question."""
    return one_request
