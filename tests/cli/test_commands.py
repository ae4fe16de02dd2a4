"""Every command on a real store, without a hub."""

from __future__ import annotations

import io
import json

import pytest
from goldrank.model import short_id
from shell import Screen


def test_the_demo_says_of_every_sample_what_is_written_beside_it(shell, samples):
    """One recorded request for each way to fail, each with its sentence, letter for letter."""
    done = shell("demo", "--json")

    said = {one["name"]: one["sentence"] for one in map(json.loads, done.lines)}
    assert said == {name: sample.sentence for name, sample in samples.items()}
    assert done.code == 0


def test_the_demo_twice_is_the_demo_once(shell, samples):
    """Loading the samples again doubles nothing."""
    shell("demo")

    assert shell("requests", "--json").json["stored"] == len(samples)


def test_requests_are_listed_newest_first(shell, samples):
    """A table for people with a line that says how many there are and in which zone."""
    done = shell("requests", "--limit", "3")

    assert done.code == 0
    assert done.lines[0].split() == ["request", "time", "question", "verdict", "gold", "path", "complaint", "app", "ms"]
    assert len(done.lines) == 5
    assert done.lines[-1].startswith(f"3 of {len(samples)} · newest first · times in ")
    times = [row["start_ns"] for row in shell("requests", "--json").json["rows"]]
    assert times == sorted(times, reverse=True)


def test_a_filter_that_fits_nothing_says_so(shell):
    """Exit code 1, nothing on stdout, and what to do on stderr."""
    done = shell("requests", "no-such-word")

    assert (done.code, done.out) == (1, "")
    assert "None of the" in done.err


def test_show_begins_with_the_sentence(shell, samples):
    """The sentence, then the path, then the questions."""
    sample = samples["demoted"]

    done = shell("show", short_id(sample.request_id), "--gold", sample.gold[0].chunk_id)

    assert done.code == 0
    assert done.lines[0] == sample.sentence
    assert done.lines[1] == "Verdict: demoted. Certainty: recorded."
    table = done.lines[3:]
    assert table[0].split() == ["stage", "kind", "hits", sample.gold[0].chunk_id]
    assert any(line.startswith("In the prompt?  No") for line in table)


def test_show_reads_a_ticket_from_a_pipe(shell, samples, monkeypatch):
    """A ticket that contains the id is as good as the id."""
    sample = samples["delivered"]
    ticket = f"Customer says the answer is wrong.\nrequest: {sample.request_id}\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(ticket.encode())))

    done = shell("show", "-", "--json")

    assert done.json["recorded"]["request"]["request_id"] == sample.request_id


def test_show_without_a_gold_says_the_next_step(shell, samples):
    """Unlabelled, the report shows the lists and how to mark the gold."""
    short = short_id(samples["demoted"].request_id)

    done = shell("show", short)

    assert done.code == 0
    assert done.lines[0] == "No gold is marked yet."
    assert f'goldrank label {short} --find "words of the passage"' in done.out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("show", "deadbeef"), 1, "No request with the id deadbeef"),
        (("show", "hello"), 1, "There is no request id in this text"),
        (("label", "deadbeef", "--gold", "x"), 1, "No request with the id deadbeef"),
        (("requests", "--since", "yesterday"), 2, "is no time"),
        (("requests", "--limit", "0"), 2, ""),
        (("cases", "show", "zzz"), 1, "There is no case zzz"),
        (("cases", "import", "/no/such/file"), 1, "cannot be read"),
        (("sql", "delete from requests"), 2, ""),
        (("sql", "select nonsense"), 2, ""),
        (("snapshot", "/no/such/folder/x.duckdb"), 2, "make it first"),
        (("nonsense",), 2, ""),
    ],
)
def test_an_error_is_one_line_and_an_exit_code(shell, arguments, code, words):
    """No traceback: what was found, what was expected, the next step."""
    done = shell(*arguments)

    assert (done.code, done.out) == (code, "")
    assert words in done.err
    assert "Traceback" not in done.err
    if words:
        assert done.err.startswith("goldrank: ")
        assert done.err.count("\n") == 1


def test_a_command_never_waits_for_a_person_to_type(shell, monkeypatch):
    """`-` at a terminal is a slip: it is said instead of waiting for ever."""
    monkeypatch.setattr("sys.stdin", Screen())

    assert shell("show", "-") == (2, "", "goldrank: - reads the request from stdin: pipe it in, or name a file.\n")


def test_a_folder_where_nothing_is_is_named(empty_shell):
    """The wrong folder is said with its absolute path, and not made."""
    done = empty_shell("requests")

    assert done.code == 1
    assert str(empty_shell.folder) in done.err
    assert not empty_shell.folder.exists()


def test_from_the_passage_to_the_case(shell, samples, tmp_path):
    """Find the passage by words, mark it, promote the request, export the set, load it elsewhere."""
    sample = samples["demoted"]
    short, gold = short_id(sample.request_id), sample.gold[0].chunk_id

    found = shell("label", short, "--find", "charities discount", "--json").json
    assert gold in [row["chunk"]["chunk_id"] for row in found["rows"]]
    assert "rerank" in next(row["stood"] for row in found["rows"] if row["chunk"]["chunk_id"] == gold)

    marked = shell("label", short, "--gold", gold, "--who", "anna")
    assert marked.lines[0] == sample.sentence
    assert marked.lines[1].startswith(f"  gold 1, evidence 1: {gold} (anna, ")
    assert shell("requests", "--verdict", "demoted", "--json").json["matching"] == 1

    done = shell("promote", short, "--set", "golden", "--expect", "half", "--ticket", "T-1", "--who", "anna")
    assert done.lines[0].startswith("Created: case ")
    assert shell("promote", short, "--set", "golden").lines[0].startswith("Already in the set: case ")

    target = tmp_path / "golden.jsonl"
    assert shell("cases", "export", "--to", str(target)).code == 0
    line = json.loads(target.read_text(encoding="utf-8"))
    assert (line["relevant_chunk_ids"], line["ticket"], line["expected_answer_contains"]) == ([gold], "T-1", ["half"])
    assert shell("cases", "export").out == target.read_text(encoding="utf-8")

    other = type(shell)(tmp_path / "other")
    assert other("cases", "import", str(target)).lines == ["1 created, 0 updated, 0 unchanged"]
    assert other("cases", "export").out == target.read_text(encoding="utf-8")


def test_a_request_that_came_in_part_is_marked_in_the_list(empty_shell, tmp_path):
    """One word, as on the page; what is missing stands in its report."""
    said = {"openinference.span.kind": "RETRIEVER", "input.value": "Can I return it?"}
    said |= {"retrieval.documents.27.document.id": "refunds#3"}
    span = {"traceId": "1" * 32, "spanId": "2" * 16, "name": "search", "startTimeUnixNano": "1", "endTimeUnixNano": "2"}
    span["attributes"] = [{"key": key, "value": {"stringValue": value}} for key, value in said.items()]
    path = tmp_path / "traces.json"
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}), encoding="utf-8")
    assert empty_shell("import", str(path)).code == 0
    listed = empty_shell("requests").out
    assert "Can I return it? (incomplete)" in listed
    assert "ranks 1 to 27 are missing" not in listed
    assert "ranks 1 to 27 are missing" in empty_shell("show", "1" * 8).out


def test_a_chunk_that_is_only_named_is_not_passed_over(shell, samples):
    """Somebody who leaves --gold out hears it."""
    short = samples["demoted"].request_id[:8]
    done = shell("label", short, "refunds#2")
    assert "Nothing was marked" in done.err
    assert "--gold CHUNK" in done.err
    assert "Nothing was marked" not in shell("label", short).err


def test_marks_of_a_label_command_stand_as_they_are_typed(shell, samples):
    """Two golds that are needed, an alternative, and a forbidden document; undo takes all of it back."""
    short = short_id(samples["partly_found"].request_id)
    first, second = (one.chunk_id for one in samples["partly_found"].gold)

    shell("label", short, "--gold", first, "--gold", second, "--or", "faq#9", "--forbidden", "doc:internal")
    labels = shell("label", short, "--json").json["labels"]

    assert [(one["judgement"], one["evidence"], one["target"]["level"]) for one in labels] == [
        ("gold", 1, "chunk"),
        ("gold", 2, "chunk"),
        ("gold", 2, "chunk"),
        ("forbidden", None, "document"),
    ]
    assert shell("label", short, "--remove", "faq#9").code == 0
    assert len(shell("label", short, "--json").json["labels"]) == 3
    shell("label", short, "--undo")
    assert shell("label", short, "--undo", "--json").json["labels"] == []


def test_gold_and_forbidden_at_once_is_refused(shell, samples):
    """Exit code 1, and nothing is stored."""
    short = short_id(samples["demoted"].request_id)

    done = shell("label", short, "--gold", "a", "--forbidden", "a")

    assert (done.code, "cannot be both forbidden and gold" in done.err) == (1, True)
    assert shell("label", short, "--json").json["labels"] == []


def test_a_conflict_shows_both_sides_and_the_choices(shell, samples):
    """Two requests with one question and other golds: a person decides, and the exit code says so."""
    first, second = samples["stage_failed"], samples["unknown"]
    shell("label", first.request_id, "--gold", "sync#pause", "--who", "anna")
    shell("label", second.request_id, "--gold", "faq#9", "--who", "ben")
    shell("promote", first.request_id)

    done = shell("promote", second.request_id)

    assert done.code == 1
    assert "gold sync#pause (anna, " in done.out
    assert "gold faq#9 (ben, " in done.out
    assert "--on-conflict replace, either or keep" in done.out
    assert shell("promote", second.request_id, "--on-conflict", "either").lines[0].startswith("Updated: case ")


def test_cases_are_listed_shown_and_archived(shell, samples):
    """A case out of its set is kept and comes back."""
    sample = samples["demoted"]
    shell("label", sample.request_id, "--gold", sample.gold[0].chunk_id)
    shell("promote", sample.request_id)
    case_id = shell("cases", "list", "--json").json["rows"][0]["case"]["case_id"]

    assert shell("cases", "list").lines[1].startswith(case_id)
    assert f"gold       {sample.gold[0].chunk_id}" in shell("cases", "show", case_id[:5]).lines
    assert shell("cases", "archive", case_id[:5]).lines[0].startswith(f"Case {case_id} is out of the set support-bot")
    assert shell("cases", "list").code == 1
    assert shell("cases", "list", "--all").code == 0
    shell("cases", "archive", case_id, "--restore")
    assert shell("cases", "list").code == 0


def test_bad_lines_of_an_import_are_named(shell, tmp_path):
    """The good lines are in, the bad ones are on stderr with their line, and the exit code says so."""
    path = tmp_path / "seeds.jsonl"
    path.write_text('{"question": "q", "relevant_chunk_ids": ["a"]}\n{"question": ""}\n', encoding="utf-8")

    done = shell("cases", "import", str(path), "--set", "seeds")

    assert (done.code, done.lines) == (1, ["1 created, 0 updated, 0 unchanged"])
    assert f"goldrank: {path} line 2: `question` is empty or missing" in done.err


def test_a_corpus_is_loaded_whole_or_not_at_all(shell, samples, tmp_path):
    """A file with a bad line changes nothing; without it the corpus answers "in the corpus?"."""
    path = tmp_path / "chunks.jsonl"
    good = '{"id": "a#1", "text": "Alpha.", "doc_id": "a", "page": 3}\n{"chunk_id": 7, "text": "Seven."}\n'
    arguments = ("corpus", "add", str(path), "--app", "bot", "--index", "docs", "--version", "9")
    path.write_text(good + '{"text": "no id"}\n', encoding="utf-8")
    assert shell(*arguments).code == 1
    assert "Line 3: it has no chunk id" in shell(*arguments).err

    path.write_text(good, encoding="utf-8")
    done = shell(*arguments)

    assert (done.code, done.lines[0]) == (0, "2 chunks of 1 document: docs 9 of bot")
    assert any(line.split()[:4] == ["bot", "docs", "9", "2"] for line in shell("corpus", "list").lines)


def test_complaints_are_listed_with_their_requests(shell, samples):
    """Tickets reach the store through the spool; none is exit code 1."""
    from goldrank.actions import open_workspace
    from goldrank.model import Complaint

    assert shell("complaints").code == 1
    request_id = samples["demoted"].request_id
    with open_workspace(shell.folder) as workspace:
        for number, linked in ((1, request_id), (2, None)):
            ticket = Complaint(complaint_id=f"T-{number}", text="It says\x1b[2J no.", at_ns=number, request_id=linked)
            workspace.store.complaints.save(ticket)

    done = shell("complaints")

    assert done.code == 0
    assert [line.split()[0] for line in done.lines[1:3]] == ["T-2", "T-1"]
    assert "names no request" in done.lines[1]
    assert short_id(request_id) in done.lines[2]
    assert "\x1b" not in done.out


def test_reindex_judges_labelled_requests_anew(shell, samples):
    """Derived tables are rebuilt from what was recorded."""
    shell("label", samples["demoted"].request_id, "--gold", samples["demoted"].gold[0].chunk_id)

    assert shell("reindex").lines == [
        f"Read again from stored spans: {len(samples)} requests.",
        "Judged anew: 1 labelled request.",
    ]


def test_ingest_with_nothing_to_read_is_fine(shell, samples):
    """Nothing new is no error."""
    assert shell("ingest").lines == [f"0 frames read; {len(samples)} requests in the store."]


def test_status_names_the_spool(shell):
    """Where the data is, what it holds, and that there is no trouble."""
    done = shell("status")

    assert done.lines[0].startswith(f"spool     {shell.folder / 'spool'} (")
    assert done.lines[-1] == "No trouble is known."
    assert shell("status", "--json").json["spool_written"] is True


def test_sql_reads(shell, samples):
    """Rows for people and for programs; a limit that cuts is said."""
    done = shell("sql", "select count(*) as requests from requests")
    assert done.lines == ["requests", str(len(samples))]

    cut = shell("sql", "select request_id from requests order by request_id", "--limit", "2", "--json")
    assert len(cut.json["rows"]) == 2
    assert "--limit N shows more" in cut.err
    assert shell("sql", "select 1 where false").code == 1


def test_a_snapshot_opens_anywhere(shell, samples, tmp_path):
    """The copy holds everything, and an existing file is only replaced when told."""
    import duckdb

    target = tmp_path / "copy.duckdb"
    assert shell("snapshot", str(target)).code == 0
    with duckdb.connect(target, read_only=True) as connection:
        assert connection.execute("select count(*) from requests").fetchone() == (len(samples),)
    refused = shell("snapshot", str(target))
    assert (refused.code, "name another file, or say --overwrite" in refused.err) == (1, True)
    assert shell("snapshot", str(target), "--overwrite").code == 0


def test_progress_is_told_to_a_terminal_only(shell, samples):
    """A person who watches sees how far it is; a log file stays clean."""
    shell("label", samples["demoted"].request_id, "--gold", samples["demoted"].gold[0].chunk_id)

    assert "1 of 1 requests examined" in shell("reindex", screen=True).err
    assert shell("reindex").err == ""


def test_a_store_held_by_another_program_is_exit_code_3(shell):
    """Who holds it, one remedy, no traceback."""
    import subprocess
    import sys

    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(shell.folder / "store.duckdb")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert other.stdout.readline() == "held\n"
        done = shell("requests")
    finally:
        other.stdin.close()
        other.wait(timeout=30)
        other.stdout.close()

    assert done.code == 3
    assert f"(PID {other.pid})" in done.err
    assert "Traceback" not in done.err


def test_a_missing_extra_is_named_with_its_installation(shell, monkeypatch):
    """Without duckdb the command says which line installs it."""
    import builtins

    real = builtins.__import__

    def without(name, *arguments, **more):
        if name.partition(".")[0] == "streamlit" or name == "dashboard.hub":
            raise ModuleNotFoundError(f"No module named {name!r}", name="streamlit")
        return real(name, *arguments, **more)

    monkeypatch.setattr(builtins, "__import__", without)

    done = shell("up")

    assert (done.code, done.err) == (3, "goldrank: This needs streamlit: pip install 'goldrank[dashboard]'\n")
