"""Settings: argument beats environment beats default; what cannot be used is said in words."""

from __future__ import annotations

import dataclasses
import logging
from pathlib import Path

import pytest
from goldrank.model import UsageError
from goldrank.model.redaction import redact_email, redact_phone
from goldrank.tracing import guest
from goldrank.tracing.settings import Settings, resolve


def test_argument_beats_environment_beats_default():
    """The first that is given counts."""
    environ = {"GOLDRANK_APP": "from env", "GOLDRANK_ENVIRONMENT": "staging", "GOLDRANK_DIR": "/data"}
    settings = resolve({"app": "from argument"}, environ)
    assert (settings.app, settings.environment, settings.version) == ("from argument", "staging", "")
    assert settings.directory == Path("/data")
    assert settings.spool == Path("/data/spool")
    assert resolve({}, {"OTEL_SERVICE_NAME": "theirs"}).app == "theirs"
    assert resolve({}, {}) == Settings(directory=Path.cwd() / ".goldrank")


@pytest.mark.parametrize(
    ("variable", "value", "field", "expected"),
    [
        ("GOLDRANK_CAPTURE_TEXT", "off", "capture_text", False),
        ("GOLDRANK_OWN_PROVIDER", "1", "own_provider", True),
        ("GOLDRANK_REDACT", "email, phone", "redact", (redact_email, redact_phone)),
        ("GOLDRANK_DURABILITY", "request", "durability", "request"),
        ("GOLDRANK_QUEUE_SIZE", "10", "queue_size", 10),
        ("GOLDRANK_MAX_TEXT_CHARS", "1000", "max_text_chars", 1000),
        ("GOLDRANK_ENDPOINT", "http://c:4318", "endpoint", "http://c:4318"),
        ("GOLDRANK_TOKEN", "t", "token", "t"),
        ("GOLDRANK_VERSION", "2", "version", "2"),
    ],
)
def test_every_field_has_a_variable(variable, value, field, expected):
    """What the environment says is read into the field's type."""
    assert getattr(resolve({}, {variable: value}), field) == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"app": 3}, r"init\(app=\) is a int; a text is expected"),
        ({"own_provider": "maybe"}, "one of 1, true"),
        ({"queue_size": 0}, "a whole number of at least 1"),
        ({"durability": "always"}, '"batch" or "request"'),
        ({"redact": ["emails"]}, "one of email, iban, card, phone"),
        ({"redact": 3}, "functions text -> text, or names"),
        ({"directory": 3}, "a path is expected"),
    ],
)
def test_a_wrong_argument_is_refused_in_words(arguments, words):
    """The message names the argument, what was found and what is expected."""
    with pytest.raises(UsageError, match=words):
        resolve(arguments, {})


def test_a_wrong_variable_is_said_and_left_out(caplog):
    """A typo in the environment must not keep an app from starting."""
    guest.forget_what_was_said()
    with caplog.at_level(logging.WARNING, logger="goldrank"):
        assert resolve({}, {"GOLDRANK_QUEUE_SIZE": "many"}).queue_size == Settings().queue_size
    assert "GOLDRANK_QUEUE_SIZE is 'many'" in caplog.text


def test_a_token_is_not_shown():
    """Settings may be printed."""
    assert "secret" not in repr(resolve({"token": "secret"}, {}))


def test_settings_cannot_be_changed():
    """They are frozen: a second init makes new ones."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        resolve({}, {}).app = "other"
