"""Every open case, run through the one adapter and held to what it expects."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from adapter import run_case
from checks import find_check
from goldrank.evals.replay import PinChoice
from not_expressible import NOT_EXPRESSIBLE
from pipelines import changed_by_hand
from programs import load_program
from replayed import Replays, story_of
from seen import NotExpressible, Seen

FOLDER = Path(os.environ["GOLDRANK_CASES"])
HELPERS = frozenset({"toy_rag"})
"""Files of the folder that are no case."""
OF_MANY = frozenset({"08-burst-over-queue", "53-parallel-readers", "55-large-trace"})
"""Cases about tens of thousands of spans; each takes as long as all others together."""


class Expected(NamedTuple):
    """One key of an expectation."""

    key: str
    value: Any
    run: str | None = None
    """The run of a program that it is about."""


def case_files() -> list[Path]:
    """Every case, by number."""
    if not FOLDER.is_dir():
        return []
    found = [path for path in FOLDER.iterdir() if path.suffix in {".py", ".json", ".jsonl"}]
    return sorted(path for path in found if not path.name.endswith(".expect.json") and path.stem not in HELPERS)


def _marked(path: Path) -> Any:
    return pytest.param(path, marks=pytest.mark.slow) if path.stem in OF_MANY else path


def expectation_of(path: Path) -> dict[str, Any]:
    """What the case expects, wherever that is written."""
    if path.suffix == ".jsonl":
        beside = path.with_name(f"{path.stem}.expect.json")
        found: dict[str, Any] = json.loads(beside.read_text(encoding="utf-8"))
    elif path.suffix == ".py":
        found = load_program(path).EXPECT
    else:
        case = json.loads(path.read_text(encoding="utf-8"))
        found = case["expect"]
        if all("rank" in one for one in case.get("cases", ())) and "cases" in case:
            found["rank_of_each"] = [(one["rank"], one.get("warn")) for one in case["cases"]]
    return found


def expected_keys(expectation: dict[str, Any], runs: frozenset[str]) -> Iterator[Expected]:
    """Its keys; those of a run of a program with that run."""
    for key, value in expectation.items():
        if key in runs and isinstance(value, dict):
            for inner, inner_value in value.items():
                yield Expected(inner, inner_value, key)
        elif key in runs:
            yield Expected(key, value, key)
        else:
            yield Expected(key, value)


@pytest.fixture(scope="session")
def replays(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replays]:
    """One store and one worker for all stories; the worker starts with the first replay."""
    with Replays(tmp_path_factory.mktemp("replays")) as one:
        yield one


@pytest.mark.shared
@pytest.mark.skipif(not case_files(), reason=f"NO CASES in {FOLDER}: set GOLDRANK_CASES to the folder that holds them")
@pytest.mark.parametrize("path", [_marked(path) for path in case_files()] or [FOLDER], ids=lambda path: path.stem)
def test_case(path: Path, tmp_path: Path, replays: Replays, record_property: Any) -> None:
    """What goldrank reports of a case is what the case expects."""
    result = run_case(path, tmp_path)
    module = load_program(path) if path.suffix == ".py" else None
    seen = Seen(result, module=module, path=path, replays=replays)
    number = path.stem.partition("-")[0]
    checked, left, wrong = [], [], []
    for expected in expected_keys(expectation_of(path), frozenset(result.get("runs", {}))):
        reason = NOT_EXPRESSIBLE.get((number, expected.key))
        if reason is not None:
            left.append(f"{expected.key}: {reason}")
            continue
        subject = seen.run(expected.run) if expected.run else seen.only_run
        try:
            find_check(expected.key)(subject, expected.value)
        except NotExpressible as why:
            left.append(f"{expected.key}: {why}")
        except (AssertionError, LookupError, StopIteration, ValueError, TypeError) as error:
            wrong.append(f"{expected.key} should be {expected.value!r}: {type(error).__name__} {error}")
        else:
            checked.append(expected.key)
    record_property("not checked", left)
    if wrong:
        pytest.fail("\n".join(wrong), pytrace=False)
    if not checked:
        pytest.skip(f"not yet expressible: {'; '.join(left)}")


def stories() -> list[Path]:
    """The cases with a corpus, whose lists `toy_rag.py` ranked."""
    files = (path for path in case_files() if path.suffix == ".json" and not path.name.endswith(".expect.json"))
    return [path for path in files if {"corpus", "stages"} <= set(json.loads(path.read_text(encoding="utf-8")))]


@pytest.mark.shared
@pytest.mark.skipif(not stories(), reason=f"NO STORIES in {FOLDER}: set GOLDRANK_CASES to the folder that holds them")
@pytest.mark.parametrize("path", stories() or [FOLDER], ids=lambda path: path.stem)
def test_a_story_run_again_gives_its_lists_again(path: Path, replays: Replays) -> None:
    """Its own pipeline on its own corpus: the same chunks in the same order with the same scores, the same context."""
    by_hand = changed_by_hand(story_of(path))
    if by_hand:
        pytest.skip(f"a list is not as it was ranked: {by_hand}")
    try:
        again = replays.replay(path, pins=PinChoice.REWRITE)
    except NotExpressible as why:
        pytest.skip(f"not yet expressible: {why}")
    then, now = replays.recorded(path), again["request"]
    assert (again["status"], again["unused"]) == ("done", [])
    assert _lists(now) == _lists(then)
    assert now["context"]["chunk_ids"] == then["context"]["chunk_ids"]
    assert (now["gold_ranks"], now["verdict"]) == (then["gold_ranks"], then["verdict"])


def _lists(request: dict[str, Any]) -> dict[str, list[tuple[str, float]]]:
    listed = [stage for stage in request["stages"] if stage["hits"] is not None]
    return {stage["name"]: [(hit["id"], hit["score"]) for hit in stage["hits"]] for stage in listed}


def test_nothing_is_left_out_without_a_case() -> None:
    """Each entry of the table of what is not expressible belongs to a key of a case that is there."""
    if not case_files():
        pytest.skip(f"NO CASES in {FOLDER}: set GOLDRANK_CASES to the folder that holds them")
    there = {(path.stem.partition("-")[0], key) for path in case_files() for key in expectation_of(path)}
    assert sorted(set(NOT_EXPRESSIBLE) - there) == []
