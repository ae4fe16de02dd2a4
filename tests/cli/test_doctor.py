"""`goldrank doctor` on the shipped samples."""

from __future__ import annotations


def test_it_says_what_is_sent_what_can_be_told_and_what_helps_most(shell, samples):
    """The samples are of one app whose lists and prompts are whole."""
    done = shell("doctor")
    assert done.code == 0
    assert done.lines[0].startswith(f"support-bot (samples): the newest {len(samples)} of {len(samples)} requests")
    assert "  written by   goldrank" in done.lines
    for title in ("What it sends", "What can be told"):
        assert title in done.lines
    assert any(line.split() == ["lost", "in", "fusion", "yes"] for line in done.lines)


def test_json_holds_the_same(shell, samples):
    """For a script that watches over apps."""
    [checkup] = shell("doctor", "--json").json["checkups"]
    assert checkup["app"] == "support-bot"
    assert checkup["looked_at"] == checkup["stored"] == len(samples)
    assert {one["verdict"]: one["standing"] for one in checkup["told"]}["not_retrieved"] in {"yes", "partly"}


def test_an_app_that_is_not_there_is_named_beside_those_that_are(shell):
    """A typing error should not look like an app without requests."""
    done = shell("doctor", "--app", "suport-bot")
    assert done.code != 0
    assert "'suport-bot'" in done.err
    assert "support-bot" in done.err


def test_fewer_requests_can_be_looked_at(shell):
    """The newest ones."""
    [checkup] = shell("doctor", "--last", "2", "--json").json["checkups"]
    assert checkup["looked_at"] == 2
    assert checkup["stored"] > 2
