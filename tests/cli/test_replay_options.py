"""`goldrank replay`: options that fit together, and those that do not."""

from __future__ import annotations

import pytest

APP = ("--app", "nowhere:nothing")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--pin", "candidates"), "--pin is for one request"),
        (("--inject", "gold", "--position", "2"), "--inject, --position is for one request"),
        (("--as-user", "bob"), "--as-user is for one request"),
        (("--times", "3"), "--times is for one request"),
    ],
)
@pytest.mark.parametrize("many", [("--verdict", "failed"), ("--eval-set", "s"), ("--resume", "batch-1")])
def test_what_a_batch_does_not_do_is_refused(shell, many, options, said):
    """Left out without a word, the runs would look as if they had been made with it."""
    done = shell("replay", *many, *APP, *options)
    assert done.code == 2
    assert said in done.err


def test_a_batch_goes_on_as_it_began(shell):
    """Another value in its second half would mix two experiments."""
    done = shell("replay", "--resume", "batch-1", *APP, "--set", "retrieve.top_k=5")
    assert (done.code, "goes on as it began" in done.err) == (2, True)


@pytest.mark.parametrize("limit", ["0", "-1", "nan", "inf", "soon"])
def test_a_time_limit_is_a_number_of_seconds(shell, capsys, limit):
    """It is said what it is not, before anything runs."""
    assert shell("replay", "b0f045b3", *APP, f"--timeout={limit}").code == 2
    assert f"{limit!r} is no number of seconds above 0" in capsys.readouterr().err


def test_a_count_is_a_whole_number(shell, capsys):
    """In words that a person can use."""
    assert shell("replay", "b0f045b3", *APP, "--position", "0").code == 2
    assert "'0' is no whole number of at least 1" in capsys.readouterr().err


def test_an_app_that_does_not_start_leaves_the_batch_open(shell):
    """A slip in --app is no result of any request."""
    assert shell("label", "b0f045b3", "--gold", "nowhere").code in {0, 1}
    done = shell("replay", "--verdict", "failed", *APP)
    assert done.code == 1
    assert "There is no module nowhere" in done.err
    assert "goldrank replay --resume batch-" in done.err
