"""`goldrank complaints`: from a pasted ticket to its end."""

from __future__ import annotations

import json

import pytest

REQUEST = "b0f045b3"
"""The sample with charities."""


@pytest.fixture
def stored(shell):
    """A shell on the samples with one ticket."""
    added = shell(
        "complaints", "add", "Hi team, your bot says charities get no discount. Thanks", "--id", "T-1", "--user", "u-1"
    )
    assert (added.code, added.lines[0]) == (0, "T-1: stored")
    return shell


def test_without_a_verb_they_are_listed(stored):
    """As before there were any; none at all is exit code 1 in the end."""
    assert "T-1" in stored("complaints").out
    assert stored("complaints", "--limit", "1", "--json").json["rows"][0]["complaint"]["complaint_id"] == "T-1"
    assert stored("complaints", "list", "--state", "fixed").code == 1
    assert stored("complaints", "--closed").err == "goldrank: No complaint fits.\n"


def test_its_request_is_found_with_reasons_and_linked(stored):
    """By id of the ticket or by any text; nothing is linked before a person says so."""
    found = stored("complaints", "find", "T-1")
    assert found.code == 0
    assert "Do charities get a discount?" in found.out
    assert f"   {REQUEST} · " in found.out
    assert "2 of 2 words of the question" in found.out
    assert (
        stored("complaints", "find", "charities", "discount", "--json")
        .json["candidates"][0]["request_id"]
        .startswith(REQUEST)
    )
    assert "state     new" in stored("complaints", "show", "T-1").out
    assert "state     linked" in stored("complaints", "link", "T-1", REQUEST, "--who", "mara").out
    assert f"request   {REQUEST}, linked by mara" in stored("complaints", "show", "T-1").out
    assert "none; mara took the link away" in stored("complaints", "link", "T-1", "--remove", "--who", "mara").out


def test_a_word_alone_is_a_ticket_or_holds_the_id_of_a_request(stored):
    """A link is no ticket; a word that is neither is said to be no ticket."""
    found = stored("complaints", "find", f"https://bot.example/chat?request={REQUEST}")
    assert (found.code, f"names it: {REQUEST}" in found.out) == (0, True)
    assert "There is no complaint 'charities'" in stored("complaints", "find", "charities").err


def test_exports_of_spreadsheets(shell, tmp_path):
    """UTF-16 says so itself; an older encoding cannot be told, so the way out is."""
    path = tmp_path / "export.csv"
    path.write_bytes("id\ttext\nT-9\tKündigung über das Menü\n".encode("utf-16"))
    assert shell("complaints", "import", str(path)).code == 0
    assert "Kündigung über das Menü" in shell("complaints", "show", "T-9").out
    path.write_bytes("id;text\nT-9;Kündigung\n".encode("cp1252"))
    refused = shell("complaints", "import", str(path))
    assert (refused.code, "iconv -f WINDOWS-1252 -t UTF-8 export.csv" in refused.err) == (1, True)


def test_nothing_found_is_said(stored):
    """With exit code 1."""
    found = stored("complaints", "find", "zzzz qqqq")
    assert found.code == 1
    assert "Nothing speaks for any request" in found.err


def test_owner_note_close_and_reopen(stored):
    """Each says what it made of the complaint; saying it again changes nothing."""
    assert "owner     mara" in stored("complaints", "assign", "T-1", "mara").out
    assert stored("complaints", "assign", "T-1", "mara").lines[0] == "T-1: it was so already"
    assert "asked again (ann, " in stored("complaints", "note", "T-1", "asked", "again", "--who", "ann").out
    refused = stored("complaints", "close", "T-1")
    assert refused.code == 2
    assert "needs a passing case, a replay that shows it, or a reason" in refused.err
    closed = stored("complaints", "close", "T-1", "--as", "not-answerable", "--reason", "no page says it")
    assert "state     not answerable" in closed.out
    assert "state     new" in stored("complaints", "reopen", "T-1").out


def test_tickets_come_from_files_and_pipes(empty_shell, tmp_path, monkeypatch):
    """Into a folder that is made for them."""
    ticket = tmp_path / "ticket.txt"
    ticket.write_text("Sent: 29 Nov 2026, 16:40\n\nIt is wrong", encoding="utf-8")
    assert empty_shell("complaints", "add", "--file", str(ticket), "--id", "T-7").code == 0
    assert "2026-11-29 16:40" in empty_shell("complaints").out
    assert empty_shell("complaints", "add").code == 2
    assert empty_shell("complaints", "add", "x", "--file", str(ticket)).code == 2


def test_an_export_is_imported_and_bad_lines_are_named(empty_shell, tmp_path):
    """File, line, reason; exit code 1, and the rest is there. The same file again changes nothing."""
    export = tmp_path / "export.csv"
    export.write_text("Nr,Problem\n1,it is wrong\n2,\n", encoding="utf-8")
    ask = ("complaints", "import", str(export), "--column", "text=Problem", "--column", "complaint_id=Nr")
    first = empty_shell(*ask)
    assert (first.code, first.out) == (1, "1 created, 0 updated, 0 unchanged; 0 name their request\n")
    assert first.err == f"goldrank: {export} line 3: it has no text (Problem).\n"
    assert empty_shell(*ask).out.startswith("0 created, 0 updated, 1 unchanged")
    assert empty_shell("complaints", "import", str(export), "--column", "Problem").code == 2


def test_answers_for_programs(stored):
    """Every verb has --json."""
    answer = stored("complaints", "assign", "T-1", "mara", "--json")
    assert json.loads(answer.out)["row"]["complaint"]["owner"] == "mara"
    assert stored("complaints", "show", "T-1", "--json").json["row"]["state"] == "new"
