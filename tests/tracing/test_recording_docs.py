"""docs/recording.md says what the code does: names, options, settings, the face."""

from __future__ import annotations

import re
from dataclasses import fields as dataclass_fields

import goldrank
import pytest
from goldrank.model import StageKind
from goldrank.tracing import names, options
from goldrank.tracing.fields import FIELDS
from goldrank.tracing.settings import Settings


@pytest.fixture(scope="module")
def page(root):
    """The page."""
    return (root / "docs" / "recording.md").read_text(encoding="utf-8")


OPTIONS = {
    "question": names.QUESTION,
    "history": names.HISTORY,
    "user": names.USER,
    "session": names.SESSION,
    "tenant": names.TENANT,
    "groups": names.GROUPS,
    "as_of": names.AS_OF,
    "query": names.QUERY,
    "top_k": names.TOP_K,
    "filters": names.FILTERS,
    "index": names.INDEX,
    "index_version": names.INDEX_VERSION,
    "embedding_model": names.EMBEDDING_MODEL,
    "model": names.MODEL,
    "technique": names.TECHNIQUE,
    "prompt": names.PROMPT,
    "context": names.CONTEXT,
}


@pytest.mark.parametrize("option", OPTIONS)
def test_the_table_of_names_is_the_table_in_the_code(page, option):
    """Every name that is recognised is in the docs, in the order in which it is tried."""
    row = re.search(rf"^\| `{option}` \| [^|]+ \| ([^|;]+)", page, re.MULTILINE)
    assert row is not None
    assert tuple(row.group(1).strip().split(", ")) == OPTIONS[option]


@pytest.mark.parametrize("kind", [None, *StageKind])
def test_each_decorator_takes_the_options_of_its_fields(kind):
    """What is read from arguments can be mapped, and every option is read."""
    word = "Request" if kind is None else kind.value.title()
    taken = set(getattr(options, f"{word}Options").__optional_keys__) - {
        "name",
        "inputs",
        "hits",
        "rebuild",
        "answer",
        "prompt",
    }
    assert taken == {field.option for field in FIELDS[kind]}
    assert callable(getattr(goldrank, word.lower()))


def test_every_setting_is_in_the_docs(page):
    """Argument, variable and default."""
    for setting in dataclass_fields(Settings):
        assert re.search(rf"^\| `{setting.name}` \| GOLDRANK_\w+", page, re.MULTILINE), setting.name
    assert str(Settings().queue_size) in page
    assert str(Settings().max_text_chars) in page


def test_everything_an_app_imports_is_in_the_docs(page):
    """The face and its page agree."""
    for name in set(goldrank.__all__) - {"OpenStage", "Settings"}:
        assert re.search(rf"`{name}\b", page), name


def test_names_that_are_never_settings_are_in_the_docs(page):
    """So that nobody wonders where the token went."""
    assert ", ".join(names.NO_SETTINGS[:-1]) in page.replace("\n  ", " ")
