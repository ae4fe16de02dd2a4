"""The bot as code that people copy from: each of its parts does what its first line says."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from support_bot.access import readable
from support_bot.answerer import NO_ANSWER, extract, generate
from support_bot.app import answer
from support_bot.corpus import load_chunks
from support_bot.dense import DenseLeg
from support_bot.fusion import fuse
from support_bot.hits import Hit
from support_bot.prompt import build_prompt, choose
from support_bot.rewriting import make_standalone


def hit(chunk_id: str, text: str = "text", groups: tuple[str, ...] = ()) -> Hit:
    """A hit with as little as a test needs."""
    return Hit(chunk_id, chunk_id.split("#", maxsplit=1)[0], text, 1.0, {"groups": list(groups)} if groups else {})


def test_fusion_adds_reciprocal_ranks() -> None:
    """1/61 + 1/62 beats 1/61 alone; equal sums are ordered by id."""
    fused = fuse([[hit("b"), hit("a")], [hit("a"), hit("c")]], keep=10)

    assert [(one.chunk_id, one.score) for one in fused] == [
        ("a", round(1 / 62 + 1 / 61, 8)),
        ("b", round(1 / 61, 8)),
        ("c", round(1 / 62, 8)),
    ]


def test_group_filter_keeps_order() -> None:
    """Pages for everybody stay, and those for one of the user's groups."""
    kept = readable([hit("a", groups=("staff",)), hit("b"), hit("c", groups=("staff", "partners"))], ["partners"])

    assert [one.chunk_id for one in kept] == ["b", "c"]


def test_a_passage_that_does_not_fit_is_skipped() -> None:
    """Nothing is cut: the next passage that fits is taken in its place."""
    chosen = choose([hit("a", "x" * 60), hit("b", "x" * 60), hit("c", "x" * 30)], takes=3, budget=100)

    assert [one.chunk_id for one in chosen] == ["a", "c"]


def test_follow_up_stands_alone() -> None:
    """A question that points back gets the question before; one that does not stays as it is."""
    history = [{"role": "user", "content": "How long is the trial?"}, {"role": "assistant", "content": "21 days."}]

    assert make_standalone("Can it be extended?", history) == "How long is the trial, Can it be extended?"
    assert make_standalone("How do I delete my account?", history) == "How do I delete my account?"


def test_answer_quotes_its_source() -> None:
    """The answer is taken from one source and ends in its mark; without a common word there is none."""
    sources = [hit("a", "Doors > Colour\nThe door is red."), hit("b", "Cats > Food\nCats eat fish. They sleep.")]

    assert extract(build_prompt("What do cats eat?", sources, ())) == "Cats eat fish. They sleep. [S2]"
    assert extract(build_prompt("Why?", sources, ())) == NO_ANSWER


def test_neighbours_and_cut_sections() -> None:
    """Chunks know their neighbours; only the first part of a cut section carries its heading."""
    chunks = {chunk.chunk_id: chunk for chunk in load_chunks()}
    first, second = chunks["import-workspace#steps"], chunks["import-workspace#steps-2"]

    assert (first.next_id, second.previous_id) == (second.chunk_id, first.chunk_id)
    assert first.text.startswith("Importing from another tool > All steps of the import\n")
    assert "import" not in second.text.lower()
    assert len({chunk.text for chunk in chunks.values()}) == len(chunks)


def test_vectors_find_what_has_no_word_in_common() -> None:
    """Words that stand in the same passages come close, so a passage is found without the word asked for."""
    found = DenseLeg(load_chunks()).search("reimbursement", top_k=30)

    assert any("reimburse" not in one.text.lower() for one in found)


def test_model_behind_an_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """With an address in the environment the model there writes the answer; the key is sent along."""
    seen: list[tuple[str, str | None, str]] = []

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append((self.path, self.headers["Authorization"], body["messages"][0]["content"]))
            reply = json.dumps({"choices": [{"message": {"content": "From the model [S1]"}}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *arguments: object) -> None:
            """Says nothing."""

    with HTTPServer(("127.0.0.1", 0), Model) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setenv("SUPPORT_BOT_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1/")
        monkeypatch.setenv("SUPPORT_BOT_API_KEY", "k")
        try:
            assert generate("the prompt") == "From the model [S1]"
        finally:
            server.shutdown()
            thread.join()

    assert seen == [("/v1/chat/completions", "Bearer k", "the prompt")]


def test_the_same_answer_every_time() -> None:
    """Nothing in the bot depends on chance or on the order of a set."""
    answers = {answer("when is maintenance", user="u", session="s") for _ in range(3)}

    assert len(answers) == 1
