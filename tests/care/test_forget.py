"""What is forgotten is gone from every column, from the bytes of every file, and does not come back."""

from __future__ import annotations

import json
import re
import shutil

import duckdb
import pytest
from goldrank.model.sieve import FORGOTTEN, Cause, Kind, Sieve, bury, words_of
from goldrank.store import open_store
from goldrank.store.duckdb.masking import STRUCTURE

USER = "ann-4711"
SECRET_TEXT = "Anneliese Schmidt-Öztürk"


@pytest.fixture(scope="module")
def two_users(make_home, parts, tmp_path_factory):
    """The folder of requests of two users, with everything that people made of those of one of them."""
    home = make_home(tmp_path_factory.mktemp("two-users") / "data")
    home.write(
        parts.trace(1, "First question of ann", user=USER, chunks=("shared", "annsown")),
        parts.trace(2, "Second question of ann", user=USER),
        parts.trace(3, "A question of bob", user="bob", chunks=("shared",)),
        parts.trace(4, "First question of ann", user="bob"),
        parts.trace(5, "Replay of ann", replay_of=parts.request_id(1)),
        parts.feedback(1, "comment of ann"),
        parts.feedback(3, "comment of bob"),
        parts.complaint("T-1", "ticket about anns request", request_id=parts.request_id(1)),
        parts.complaint("T-2", "ticket that ann wrote", who=USER),
        parts.complaint("T-3", "ticket that bob wrote", who="bob"),
    )
    assert home("ingest").code == 0
    for number in (1, 3):
        assert home("label", parts.request_id(number), "--gold", "c-shared").code == 0
        assert home("promote", parts.request_id(number), "--set", "kept").code == 0
    assert home("complaints", "note", "T-1", "note about anns ticket").code == 0
    return home.folder


@pytest.fixture
def filled(home, two_users):
    """A copy of what those two left."""
    shutil.copytree(two_users, home.folder)
    return home


def stored(home) -> set[str]:
    """Ids of all requests."""
    return {one for (one,) in home("sql", "select request_id from requests", "--json").json["rows"]}


def test_a_user_goes_with_everything_that_belongs_to_them(filled, parts):
    """Requests, replays, labels, complaints, notes, cases, feedback: no column names them, and bob's are whole."""
    before = filled.dump()
    for planted in (USER, "Second question of ann", "comment of ann", "ticket that ann wrote", "note about anns"):
        assert planted in before, planted

    done = filled("forget", "--user", USER, "--yes", "--json")

    assert done.code == 0, done.err
    assert done.json["requests_gone"] == 3
    assert done.json["rows"]["complaints"] >= 3
    assert done.json["rows"]["labels"] == 1
    assert done.json["rows"]["feedback"] == 1
    after = filled.dump()
    for gone in (USER, "Second question", "Replay of ann", "comment of ann", "T-1", "T-2", "about anns", "annsown"):
        assert gone not in after, gone
    for number in (1, 2, 5):
        assert parts.trace_id(number) not in after
    assert stored(filled) == {parts.request_id(3), parts.request_id(4)}
    assert "comment of bob" in after
    assert filled("complaints", "show", "T-3").code == 0
    assert "c-shared" in filled("show", parts.request_id(3)).out


def test_a_dry_run_tells_and_keeps_all(filled):
    """The same numbers by table, and the same store as before."""
    before = filled.dump()

    planned = filled("forget", "--user", USER, "--dry-run", "--json").json

    assert filled.dump() == before
    done = filled("forget", "--user", USER, "--yes", "--json").json
    assert (planned["rows"], planned["requests_gone"]) == (done["rows"], done["requests_gone"])


def test_without_a_terminal_it_needs_yes(filled):
    """It cannot be undone, so a script has to say that it means it."""
    before = filled.dump()

    done = filled("forget", "--user", USER)

    assert done.code == 2
    assert "add --yes" in done.err
    assert filled.dump() == before


def test_exactly_one_thing_is_forgotten_at_a_time(home):
    """Neither nothing nor two."""
    assert home("forget").code == 2
    assert home("forget", "--user", "a", "--text", "b").code == 2


@pytest.mark.parametrize("text", ["a", "...", "of", "gold", "demoted"])
def test_a_text_that_stands_everywhere_is_refused(filled, text):
    """Short ones, and words by which goldrank itself says states and verdicts."""
    assert filled("forget", "--text", text, "--yes").code == 2


def test_one_request_goes_with_its_replay_alone(filled, parts):
    """The user's other request stays."""
    assert filled("forget", "--request", parts.request_id(1), "--yes").code == 0

    assert stored(filled) == {parts.request_id(one) for one in (2, 3, 4)}
    assert parts.trace_id(1) not in filled.dump()
    assert "ticket that ann wrote" in filled.dump()


def test_a_request_is_never_guessed(filled, parts):
    """An id whose trace is stored with another request is not taken for that one."""
    strange = f"{parts.trace_id(2)}-ffffffffffffffff"

    done = filled("forget", "--request", strange, "--yes")

    assert done.code == 1
    assert parts.request_id(2) in stored(filled)
    assert filled("forget", "--request", "no id at all", "--yes").code == 1


def test_the_same_data_does_not_come_back(filled, parts):
    """Late spans, the same spool frames, the same tickets from a help desk, the same cases from an export."""
    cases = filled.folder / "cases.jsonl"
    tickets = filled.folder / "tickets.csv"
    tickets.write_text(
        f"id,text,user\nT-1,ticket about anns request,\nT-9,ticket that ann wrote earlier,{USER}\nT-8,of carl,carl\n"
    )
    cases.write_text(filled("cases", "export").out)
    assert "First question of ann" in cases.read_text()
    filled("forget", "--user", USER, "--yes")

    filled.write(
        parts.trace(1, "First question of ann", user=USER),
        parts.trace(2, "late", only="children"),
        parts.trace(6, "A third one of ann, on its way then", user=USER),
        parts.feedback(1, "comment of ann"),
        parts.complaint("T-1", "ticket about anns request", request_id=parts.request_id(1)),
        parts.complaint("T-7", "another that ann wrote", who=USER),
    )
    assert filled("ingest").code == 0
    imported = filled("cases", "import", str(cases))
    assert imported.code == 1
    assert "was forgotten here" in imported.err + imported.out
    assert filled("complaints", "import", str(tickets)).code == 1

    assert stored(filled) == {parts.request_id(3), parts.request_id(4)}
    after = filled.dump()
    for gone in (USER, "late", "third one", "comment of ann", "another that ann", "wrote earlier"):
        assert gone not in after, gone
    assert "of carl" in after
    assert "not recorded (forgotten)" in filled("status").out


def test_children_that_came_before_their_user_was_known_go_with_the_root(filled, parts):
    """A request of a forgotten user whose root comes last leaves nothing."""
    filled("forget", "--user", USER, "--yes")
    filled.write(parts.trace(7, "still running then", only="children"))
    filled("ingest")
    assert parts.trace_id(7) in stored(filled)

    filled.write(parts.trace(7, "still running then", user=USER, only="root"))
    filled("ingest")

    assert stored(filled) == {parts.request_id(3), parts.request_id(4)}
    assert parts.trace_id(7) not in filled.dump()


def test_new_requests_of_the_user_are_recorded_again(filled, parts):
    """What began after the forgetting is new."""
    filled("forget", "--user", USER, "--yes")
    filled.write(parts.trace(8, "Ann asks again", user=USER, day=-400))
    filled("ingest")

    assert parts.request_id(8) in stored(filled)


def test_spans_of_the_user_that_no_request_claims_go_too(filled, parts):
    """Such as those of an agent that was only prepared."""
    with duckdb.connect(filled.store) as connection:
        connection.execute("update spans set rid = 0 where trace_id = ?", [parts.trace_id(2)])
        connection.execute("delete from requests where trace_id = ?", [parts.trace_id(2)])
    assert USER in filled.dump()

    assert filled("forget", "--user", USER, "--yes").code == 0

    assert USER not in filled.dump()


def test_who_is_not_there_is_remembered_all_the_same(filled, parts):
    """Exit code 1 says that nothing was found; what is on its way still stays out."""
    done = filled("forget", "--user", "carl", "--yes")

    assert done.code == 1
    assert "Nothing of it is stored" in done.out
    filled.write(parts.trace(9, "Carl asked before", user="carl"))
    filled("ingest")
    assert parts.request_id(9) not in stored(filled)


def test_a_case_that_others_ask_too_keeps_question_and_labels(home, parts):
    """It loses what it held of the one request, in every revision."""
    home.write(*(parts.trace(one, "The same question", user=user) for one, user in ((1, USER), (2, "bob"))))
    home("ingest")
    for one in (1, 2):
        home("label", parts.request_id(one), "--gold", "c-first")
        home("promote", parts.request_id(one), "--set", "kept", "--ticket", "T-1")

    home("forget", "--user", USER, "--yes")

    (row,) = home("cases", "list", "--json").json["rows"]
    assert row["case"]["source_requests"] == [parts.request_id(2)]
    assert row["case"]["question"] == "The same question"
    assert row["case"]["ticket"] is None
    assert parts.trace_id(1) not in home.dump()


def plant(home, parts, text: str) -> None:
    """Puts a text wherever one can stand."""
    home.write(
        parts.trace(
            1,
            f"Where does {text} live?",
            user=f"user {text}",
            chunks=("shared", f"chunk about {text}"),
            **{"app.note": f"deep {text}", "goldrank.note.plan": f"plan of {text}"},
            **{"app.json": json.dumps({"a": [f"escaped {text}"]}), "goldrank.history": history(text)},
            **{"exception.message": f"failed for {text}"},
        ),
        parts.trace(2, "A question without it"),
        parts.feedback(1, f"feedback by {text}", score=-1.0),
        parts.complaint("T-1", f"ticket by {text}", who=text, request_id=parts.request_id(1)),
    )
    assert home("ingest").code == 0
    assert home("complaints", "note", "T-1", f"note on {text}").code == 0
    assert home("label", parts.request_id(1), "--gold", f"c-chunk about {text}", "--who", text).code == 0
    assert home("promote", parts.request_id(1), "--set", "kept", "--note", f"case of {text}").code == 0
    with open_store(home.store) as store:
        from goldrank.model.saved_filter import SavedFilter

        store.saved_filters.save(SavedFilter(name=f"of {text}", params="words=x", who="me", at_ns=1))


def history(text: str) -> str:
    """A conversation."""
    return json.dumps([{"role": "user", "text": f"I am {text}"}])


@pytest.mark.parametrize(
    "text",
    [
        SECRET_TEXT,
        *(
            pytest.param(one, marks=pytest.mark.slow)
            for one in ("4111 1111 1111 1111", "ann@example.org", "王小明的猫", '"quoted" one')
        ),
    ],
)
def test_a_text_is_masked_wherever_it_stands(home, parts, text):
    """In plain columns, JSON, packed spans, texts kept once, prompts in parts, cases, tickets, notes and names."""
    plant(home, parts, text)
    words = [word.text for word in words_of(text)]
    places = {line.partition(":")[0] for line in home.dump().splitlines() if holds(line, words)}
    assert {"requests", "spans", "texts", "stages", "complaints", "feedback", "labels", "cases", "metas"} <= places
    assert {"chunks", "diagnoses", "saved_filters"} <= places

    done = home("forget", "--text", text, "--yes", "--json")

    assert done.code == 0, done.err
    left = [line for line in home.dump().splitlines() if holds(line, words)]
    assert left == []
    assert {"requests", "spans", "texts", "complaints", "feedback", "labels", "cases"} <= set(done.json["masked"])
    shown = home("show", parts.request_id(1), "--full")
    assert shown.code == 0, shown.err
    assert FORGOTTEN in home("requests").out
    assert home("reindex").code == 0
    assert [line for line in home.dump().splitlines() if holds(line, words)] == []
    assert home("requests", "without").code == 0


def holds(line: str, words: list[str]) -> bool:
    """Whether the words stand in the line one after the other, whatever is between them and however it is escaped."""
    plain = re.sub(r"\\+u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), line).replace("\\", " ")
    for one in (line, plain):
        found = [word.text for word in words_of(one)]
        if any(found[at : at + len(words)] == words for at in range(len(found) - len(words) + 1)):
            return True
    return False


@pytest.mark.parametrize("text", ["Hauptstraße 5", "Zoë Müller"])
def test_a_text_is_masked_however_it_is_written(home, parts, text):
    """As JSON in a prompt, as JSON that was cut, behind a blank line, by itself; and "ß" as "ss"."""
    quoted = json.dumps({"by": text, "on": "a page"})
    home.write(
        parts.trace(
            1,
            f"Who is {json.dumps(text)}?",
            **{"app.prompt": f"Context: {quoted}", "app.blank": f"\n{quoted}", "app.cut": quoted[:-6]},
            **{"app.text": json.dumps(text), "app.loud": text.upper(), "app.long": f"Context: {quoted} {'more ' * 40}"},
        )
    )
    home("ingest")
    words = [word.text for word in words_of(text)]
    assert [line for line in home.dump().splitlines() if holds(line, words)]

    assert home("forget", "--text", text, "--yes").code == 0

    assert [line for line in home.dump().splitlines() if holds(line, words)] == []


def test_what_comes_nested_however_deep_is_taken_in(home, parts):
    """Looking for forgotten texts in it stops nothing, neither this request nor those behind it."""
    home.write(parts.trace(1, "Where does Ann Smith live?"))
    home("ingest")
    home("forget", "--text", "Ann Smith", "--yes")

    home.write(parts.trace(2, "deep", **{"app.deep": "[" * 5000 + '"Ann Smith"' + "]" * 5000}))
    assert home("ingest").code == 0

    assert parts.request_id(2) in stored(home)
    assert "Ann Smith" not in home.dump()


def test_what_a_backup_brought_of_a_request_that_is_not_stored_goes_too(home, make_home, parts, tmp_path):
    """Labels, cases and places in the queue wait for their request; forgetting it does not wait."""
    home.write(parts.trace(1, "A question that is planted", user=USER))
    home("ingest")
    home("label", parts.request_id(1), "--gold", "c-first", "--who", "planted labeller")
    home("promote", parts.request_id(1), "--set", "kept", "--note", "planted note")
    home("backup", tmp_path / "made.zip")
    empty = make_home(tmp_path / "empty")
    assert empty("restore", tmp_path / "made.zip").code == 0
    assert {"labels", "cases"} <= {line.partition(":")[0] for line in empty.dump().splitlines() if "planted" in line}

    done = empty("forget", "--request", parts.request_id(1), "--yes", "--json")

    assert done.code == 0, done.err
    assert done.json["rows"] == {"labels": 1, "cases": 1}
    assert parts.trace_id(1) not in empty.dump()
    assert "planted" not in empty.dump()


def test_a_masked_text_is_masked_again_when_it_comes_again(home, parts):
    """Late spans, tickets and typed notes."""
    plant(home, parts, SECRET_TEXT)
    home("forget", "--text", SECRET_TEXT, "--yes")

    home.write(
        parts.trace(3, f"Again about {SECRET_TEXT.upper()}!", chunks=(f"x {SECRET_TEXT}",)),
        parts.complaint("T-4", f"again by {SECRET_TEXT}"),
    )
    home("ingest")
    home("complaints", "note", "T-4", f"typed {SECRET_TEXT}")

    words = [word.text for word in words_of(SECRET_TEXT)]
    assert [line for line in home.dump().splitlines() if holds(line, words)] == []
    assert f"Again about {FORGOTTEN}!" in home.dump()
    assert f"typed {FORGOTTEN}" in home.dump()


def test_columns_that_are_not_masked_hold_no_free_text(home, parts):
    """Every text column of the schema is masked, unless it is named as structure: a new one is masked by itself."""
    home("status")
    home.write(parts.trace(1, "one"))
    home("ingest")
    with duckdb.connect(home.store, read_only=True) as connection:
        names = {
            name
            for (name,) in connection.execute(
                "select column_name from duckdb_columns() where data_type = 'VARCHAR' and not internal"
            ).fetchall()
        }
    assert names >= STRUCTURE - {"scope"}
    assert not STRUCTURE & {"text", "body", "question", "answer", "params", "attributes", "metadata", "detail", "who"}


def test_the_bytes_are_gone_from_every_file(home, parts):
    """Store, log, spool with a living writer, frames set aside: a scan that finds the text before finds none after."""
    planted = "plantedneedle-in-the-bytes"
    writer = home.writer()
    home.write(parts.trace(1, f"About {planted}", user=USER), parts.trace(2, "Nothing of it"), writer=writer)
    home.write(parts.complaint("T-1", f"ticket with {planted}", who=USER), writer=writer)
    home("ingest")
    bad = home.spool / "bad"
    bad.mkdir(exist_ok=True)
    (bad / "x-1.bin").write_bytes(b"\x00\x01 unreadable " + planted.encode() + USER.encode())
    (bad / "x-1.reason.txt").write_text("broken")
    (bad / "y-1.bin").write_bytes(b"\x00 something else")
    found = home.holding(planted)
    assert any(name.endswith(".seg") for name in found), "the scan finds it in the spool"
    assert "spool/bad/x-1.bin" in found
    assert "store.duckdb" in found or planted in home.dump(), "and in the store's file, or in what it packs"

    done = home("forget", "--user", USER, "--yes", "--json").json

    assert home.holding(planted) == []
    assert home.holding(USER) == []
    assert planted not in home.dump()
    assert done["spool_frames"] == 2
    assert done["spool_bad"] == 1
    assert done["open_segments"] == 1
    assert (bad / "y-1.bin").exists()
    assert not (bad / "x-1.reason.txt").exists()
    home.write(parts.trace(3, "The writer goes on"), writer=writer)
    assert home("ingest").code == 0
    assert parts.request_id(3) in stored(home)


def test_what_was_set_aside_is_searched_in_every_writing(home, parts):
    """JSON in ASCII, and capitals without "ß"."""
    home.write(parts.trace(1, "Nothing of it"))
    home("ingest")
    bad = home.spool / "bad"
    bad.mkdir(exist_ok=True)
    for name, said in (("x", json.dumps("Hauptstraße 5")), ("y", "HAUPTSTRASSE 5"), ("z", "Hauptplatz 5")):
        (bad / f"{name}-1.bin").write_bytes(b"\x00\x01\xff" + said.encode())

    home("forget", "--text", "Hauptstraße 5", "--yes")

    assert [path.name for path in bad.glob("*.bin")] == ["z-1.bin"]


def test_the_bytes_of_the_old_file_held_it(home, parts, tmp_path):
    """What the file is rewritten for: rows that are only deleted leave their text in it."""
    planted = "x".join(f"needle{number}" for number in range(40))
    home.write(parts.trace(1, planted, user=USER), *(parts.trace(one, f"other {one}") for one in range(2, 8)))
    home("ingest")
    copy = tmp_path / "copy.duckdb"
    shutil.copy(home.store, copy)
    with duckdb.connect(copy) as connection:
        for table in ("requests", "spans", "stages", "texts"):
            connection.execute(f"delete from {table} where rowid = 0")
        connection.execute("checkpoint")
    assert b"needle3" in copy.read_bytes()

    home("forget", "--user", USER, "--yes")

    assert home.holding("needle3") == []


def test_an_overwritten_spool_is_still_a_spool(home, parts):
    """A store that is lost reads the segment again from its beginning: the other frames, and nothing in between."""
    writer = home.writer()
    home.write(parts.trace(1, "of ann", user=USER), parts.trace(2, "of bob", user="bob"), writer=writer)
    home("ingest")
    home("forget", "--user", USER, "--yes")

    home.store.unlink()
    assert home("ingest").code == 0

    assert stored(home) == {parts.request_id(2)}
    assert "Could not be read" not in home("status").out


def test_the_unread_spool_is_read_first(home, parts):
    """What waits there is found and goes too."""
    home.write(parts.trace(1, "waits", user=USER), parts.trace(2, "waits too", user="bob"))

    done = home("forget", "--user", USER, "--yes", "--json").json

    assert done["requests_gone"] == 1
    assert stored(home) == {parts.request_id(2)}
    assert list(home.spool.glob("*.seg")) == []


def test_tombstones_hold_no_text(filled):
    """Hashes with a secret of this store alone; those of another store are others."""
    filled("forget", "--user", USER, "--yes")
    filled("forget", "--text", "Second question", "--yes")

    stones = [line for line in filled.dump().splitlines() if line.startswith("tombstones")]
    assert stones
    assert not any("ann" in line or "Second" in line for line in stones)
    one, other = (bury(key, Kind.USER, USER, cause=Cause.FORGOTTEN, at_ns=1) for key in (b"a" * 32, b"b" * 32))
    assert one.digest != other.digest


@pytest.mark.parametrize(
    ("forgotten", "text", "masked"),
    [
        ("Ann Smith", "Is ANN\n smith here?", f"Is {FORGOTTEN} here?"),
        ("Ann Smith", "Ann-Smith", FORGOTTEN),
        ("Ann Smith", "Annabel Smith", "Annabel Smith"),
        ("Ann Smith", '{"a": "Ann Smith", "b": ["Ann", "Smith"]}', f'{{"a":"{FORGOTTEN}","b":["Ann","Smith"]}}'),
        ("Jörg", '{"a": "J\\u00f6rg"}', f'{{"a":"{FORGOTTEN}"}}'),
        ("12345678", '{"number": 12345678}', f'{{"number":"{FORGOTTEN}"}}'),
        ("one two three four five six seven eight nine ten eleven twelve thirteen", "one two three", "one two three"),
        (
            "one two three four five six seven eight nine ten eleven twelve thirteen",
            "a one two three four five six seven eight nine ten eleven twelve thirteen b",
            f"a {FORGOTTEN} b",
        ),
        ("我的名", "这是我的名字", f"这是{FORGOTTEN}字"),
        ("Zoë Müller", 'Context: {"by": "Zo\\u00eb M\\u00fcller"}', f'Context: {{"by": "{FORGOTTEN}"}}'),
        ("Zoë Müller", 'twice "Zo\\\\u00eb\\\\u00a0M\\\\u00FCller"', f'twice "{FORGOTTEN}"'),
        ("Zoë Müller", '{"by": "Zo\\u00eb M\\u00fcller", "cut', f'{{"by": "{FORGOTTEN}", "cut'),
        ("Zoë Müller", '\n{"by": "Zo\\u00eb M\\u00fcller"}', f'{{"by":"{FORGOTTEN}"}}'),
        ("Zoë Müller", '"Zo\\u00eb M\\u00fcller"', f'"{FORGOTTEN}"'),
        ("𠮷田", "from \\ud842\\udfb7\\u7530!", f"from {FORGOTTEN}!"),
        ("Ann Smith", "[" * 5000 + "Ann Smith", "[" * 5000 + FORGOTTEN),
        ("Ann Smith", "[" * 5000 + '"Ann Smith"' + "]" * 5000, "[" * 5000 + f'"{FORGOTTEN}"' + "]" * 5000),
    ],
)
def test_how_a_text_is_found_again(forgotten, text, masked):
    """By whole words, whatever their case and whatever stands between them; inside JSON text by text."""
    stone = bury(b"k" * 32, Kind.TEXT, forgotten, cause=Cause.FORGOTTEN, at_ns=1)

    assert Sieve(b"k" * 32, [stone]).mask(text) == masked
