"""Finding the passage that should have answered, and what the corpus says of a label."""

from __future__ import annotations

import pytest
from goldrank.model import (
    SEEN_ENOUGH,
    Chunk,
    CorpusChunk,
    CorpusManifest,
    LabelFacts,
    LabelTarget,
    Level,
    StageKind,
    text_hash,
)
from goldrank.store import Appearance, ChunkQuery, CorpusState

PAGES = (
    ("refunds#1", "Refunds for annual plans are possible within 14 days of the purchase."),
    ("refunds#2", "Monthly plans are never refunded."),
    ("refunds#10", "Refunds\n   are paid to the card that was charged."),
    ("gift#1", "Gift cards expire after 24 months."),
    ("errors#1", "Error E-4711 means that the invoice address is missing."),
    ("errors#2", "Error E-4712 means that the card was declined."),
)


def manifest(pages=PAGES, *, version="v1", **fields):
    """A manifest of these (id, text)."""
    return CorpusManifest(
        **{
            "app": "support-bot",
            "index": "docs",
            "version": version,
            "chunks": tuple(
                CorpusChunk(chunk_id=chunk_id, doc_id=chunk_id.split("#")[0], text=text) for chunk_id, text in pages
            ),
            **fields,
        }
    )


def found(store, text, **query):
    """The ids that a search finds, best first."""
    return [chunk.chunk_id for chunk in store.chunks.search(ChunkQuery(text=text, **query)).rows]


@pytest.fixture
def filled(store, make):
    """A store that has seen PAGES in one request."""
    store.intake.commit(make.batch(make.request(1, chunks=PAGES)))
    return store


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("refund annual plan", "refunds#1"),
        ("REFUNDED annual plans", "refunds#1"),
        ("how long do I have to get a refund for an annual plan?", "refunds#1"),
        ("gift card expiry", "gift#1"),
        ("gift card expires", "gift#1"),
        ("e-4711", "errors#1"),
        ("4712", "errors#2"),
        ("invoice adress missing", "errors#1"),
        ("card declined", "errors#2"),
        ("refunds are paid to the CARD that was charged", "refunds#10"),
        ("are paid to the card that was char", "refunds#10"),
        ("refunds#2", "refunds#2"),
        ("REFUNDS#2", "refunds#2"),
    ],
)
def test_words_that_a_person_types_find_the_passage(filled, typed, first):
    """Inflection, order, case, filler words, a typo and a cut word do not matter; numbers do."""
    assert found(filled, typed)[0] == first


def test_all_words_come_before_any_word(filled):
    """Where one passage has all words only those are shown; where none has, any word counts."""
    assert found(filled, "annual refund") == ["refunds#1"]
    assert set(found(filled, "annual refund zebra")) == {"refunds#1", "refunds#2", "refunds#10"}
    assert found(filled, "zebra xylophone") == []


def test_a_document_lists_its_chunks_in_their_order(filled):
    """Numbers in ids count as numbers."""
    assert found(filled, "refunds")[:3] == ["refunds#1", "refunds#2", "refunds#10"]


def test_a_pasted_sentence_comes_first(store, make):
    """The passage that holds the sentence beats one that only has its words more often."""
    pages = (
        ("a", "card card charge charge refund refund: the card was charged, a refund, paid"),
        (
            "b",
            "Long text around it. Refunds are paid to the card\n that was charged. And more text behind it, at length.",
        ),
    )
    store.intake.commit(make.batch(make.request(1, chunks=pages)))
    assert found(store, "refunds are paid to the card that was charged")[0] == "b"


def test_search_in_one_request_or_one_app(store, make):
    """A scope narrows what is searched and what is counted."""
    other = make.request(2, app="shop", chunks=(("shop#1", "Refunds in the shop."),))
    store.intake.commit(make.batch(make.request(1, chunks=PAGES), other))
    assert found(store, "refunds shop") == ["shop#1"]
    assert found(store, "refund", app="shop") == ["shop#1"]
    assert "shop#1" not in found(store, "refund", app="support-bot")
    page = store.chunks.search(ChunkQuery(text="refund", request_id=other.request_id))
    assert ([row.chunk_id for row in page.rows], page.matching, page.searched) == (["shop#1"], 1, 1)
    assert store.chunks.search(ChunkQuery(text="refund")).searched == 7


def test_pages_of_a_search_do_not_overlap(filled):
    """Offset goes on where the page before ended; matching counts all."""
    whole = store_page = filled.chunks.search(ChunkQuery(text="card"))
    assert whole.matching == len(whole.rows) == 3
    parts = [filled.chunks.search(ChunkQuery(text="card", limit=1, offset=at)).rows[0] for at in range(3)]
    assert tuple(parts) == store_page.rows
    everything = filled.chunks.search(ChunkQuery(limit=2))
    assert (len(everything.rows), everything.matching) == (2, 6)


def test_languages_without_spaces_are_searched(store, make):
    """Chinese and Japanese are found by parts of a sentence."""
    store.intake.commit(make.batch(make.request(1, chunks=(("zh", "年度套餐可以在十四天内退款。"), ("en", "x")))))
    assert found(store, "套餐退款")[0] == "zh"
    assert found(store, "十四天内退款") == ["zh"]


def test_a_manifest_is_searched_without_any_request(store):
    """A passage that no list ever showed is found, by text, by section and by what was indexed with it."""
    store.corpora.add(
        manifest(
            chunks=(
                CorpusChunk(
                    chunk_id="sso#1", text="Choose your identity provider.", section_path="Single sign-on > Okta"
                ),
                CorpusChunk(
                    chunk_id="b", text="Text.", searchable_text="Billing contacts\nText.", metadata={"title": "T"}
                ),
            )
        )
    )
    assert found(store, "okta provider") == ["sso#1"]
    assert found(store, "billing contact") == ["b"]
    (chunk,) = store.chunks.search(ChunkQuery(text="sso#1")).rows
    assert (chunk.in_manifest, chunk.seen_in, chunk.section_path) == (True, 0, "Single sign-on > Okta")


def test_a_chunk_is_put_together_from_lists_and_manifest(store, make):
    """Seen in lists and in the manifest it is one chunk, also where the lists do not say their index."""
    made = make.request(1, chunks=PAGES[:1], index=None)
    store.intake.commit(make.batch(made))
    chunk_id, text = PAGES[0]
    seen = store.chunks.get("support-bot", chunk_id)
    assert (seen.index, seen.in_manifest, seen.seen_in) == (None, None, 1)
    store.corpora.add(manifest())
    expected = Chunk(
        app="support-bot",
        index="docs",
        chunk_id=chunk_id,
        doc_id="refunds",
        text=text,
        text_hash=text_hash(text),
        metadata={"source": "refunds.md", "version": 3},
        seen_in=1,
        last_seen_ns=made.recorded.request.start_ns,
        in_manifest=True,
    )
    assert store.chunks.get("support-bot", chunk_id) == expected
    assert store.chunks.get("support-bot", chunk_id, index="docs") == expected
    assert store.chunks.get("support-bot", chunk_id, index="faq") is None
    assert store.chunks.search(ChunkQuery(text=chunk_id)).rows == (expected,)
    assert store.chunks.get("other", chunk_id) is None


def test_the_same_id_in_two_indexes_is_two_chunks(store, make):
    """Ids are compared inside one index."""
    store.intake.commit(
        make.batch(
            make.request(1, chunks=(("1", "Docs say yes."),), index="docs"),
            make.request(2, chunks=(("1", "The forum says no."),), index="forum"),
        )
    )
    assert store.chunks.get("support-bot", "1", index="docs").text == "Docs say yes."
    assert store.chunks.get("support-bot", "1", index="forum").text == "The forum says no."
    assert store.chunks.search(ChunkQuery(text="1")).matching == 2


def test_appearances_newest_first(store, make):
    """Each request once, with the best rank and the stage that gave it."""
    made = [make.request(1, chunks=PAGES), make.request(2, chunks=PAGES[::-1])]
    store.intake.commit(make.batch(*made))
    first, second = store.chunks.appearances("support-bot", "refunds#2")
    assert (first.request_id, first.best_rank) == (made[1].request_id, 2)
    assert second == Appearance(
        request_id=made[0].request_id,
        start_ns=made[0].recorded.request.start_ns,
        question=made[0].recorded.request.question,
        best_rank=2,
        stage="bm25",
    )
    assert len(store.chunks.appearances("support-bot", "refunds#2", limit=1)) == 1
    assert store.chunks.appearances("support-bot", "unknown") == ()


def test_metadata_of_the_manifest_for_chunks_of_the_request(store, make):
    """Only chunks in the request's lists, from the index version that it searched."""
    made = make.request(1, chunks=PAGES[:2], version="v1", index=None)
    store.intake.commit(make.batch(made))
    for version, groups in (("v1", ["staff"]), ("v2", ["all"])):
        chunks = tuple(CorpusChunk(chunk_id=chunk_id, metadata={"groups": groups}) for chunk_id, _ in PAGES)
        store.corpora.add(manifest(version=version, chunks=chunks))
    assert store.chunks.facts_and_metadata(made.recorded, ()) == (
        (),
        {"refunds#1": {"groups": ["staff"]}, "refunds#2": {"groups": ["staff"]}},
        True,
    )


def test_chunks_of_the_manifest_without_metadata_are_named_too(store, make):
    """A chunk of the lists that the manifest does not hold can be told from one of which it says nothing."""
    made = make.request(1, chunks=PAGES[:2], version="v1", index=None)
    store.intake.commit(make.batch(made))
    store.corpora.add(manifest(version="v1", chunks=(CorpusChunk(chunk_id="refunds#2"),)))
    assert store.chunks.facts_and_metadata(made.recorded, ()).metadata == {"refunds#2": {}}


class TestFacts:
    """What the corpus says of a label."""

    def one(self, store, request_id, **target):
        """The facts of one target."""
        (facts,) = store.chunks.facts(request_id, (LabelTarget(**target),))
        return facts

    def test_without_a_manifest_nothing_is_known(self, filled, make):
        """How often it was seen is all that can be said."""
        facts = self.one(filled, make.request(1).request_id, chunk_id="refunds#1", text=PAGES[0][1])
        assert facts == LabelFacts(seen_in=1, requests_known=1)

    def test_what_is_seen_everywhere_is_not_counted_to_the_end(self, store, make):
        """A chunk in the lists of every request, and one in the lists of a few: the number, or so many and more."""
        rare = ("rare#1", "Only the first three of them found this.")
        many = [make.request(n, chunks=(PAGES[0], rare) if n < 4 else PAGES[:1]) for n in range(1, SEEN_ENOUGH + 8)]
        store.intake.commit(make.batch(*many))
        assert self.one(store, many[0].request_id, chunk_id="refunds#1").seen_in == SEEN_ENOUGH
        assert self.one(store, many[0].request_id, doc_id="refunds", level=Level.DOCUMENT).seen_in == SEEN_ENOUGH
        assert self.one(store, many[0].request_id, chunk_id="rare#1").seen_in == 3
        assert self.one(store, many[0].request_id, chunk_id="none#1").seen_in == 0

    def test_present_absent_and_changed(self, filled, make):
        """By id and text: there, not there, there with another text."""
        filled.corpora.add(manifest())
        request_id = make.request(1).request_id
        there = self.one(filled, request_id, chunk_id="gift#1", text="Gift cards\nexpire after 24 months. ")
        assert (there.corpus_known, there.present, there.same_text, there.relinked) == (True, True, True, ())
        absent = self.one(filled, request_id, chunk_id="nowhere#1", text="Nobody wrote this page about zebras.")
        assert (absent.corpus_known, absent.present, absent.same_text, absent.seen_in) == (True, False, None, None)
        changed = self.one(filled, request_id, chunk_id="refunds#2", text="Monthly plans are refunded within a day.")
        assert (changed.present, changed.same_text, changed.relinked) == (True, False, ())
        assert changed.similar[0] == "refunds#2"
        unlabelled_text = self.one(filled, request_id, chunk_id="refunds#2")
        assert (unlabelled_text.present, unlabelled_text.same_text) == (True, None)

    def test_reindexed_ids(self, store, make):
        """New ids: the same text is re-linked, a changed text is stale, with what is close to it."""
        made = make.request(1, chunks=(("91aa", "Gift cards expire after 24 months."),))
        store.intake.commit(make.batch(made))
        store.corpora.add(
            CorpusManifest(
                app="support-bot",
                index="docs",
                version="after",
                chunks=tuple(
                    CorpusChunk(chunk_id=chunk_id, text=text)
                    for chunk_id, text in (
                        ("91aa", "Gift cards expire after 24 months."),
                        ("33c0", "Gift cards can be exchanged for cash below 5 EUR."),
                        ("5e77", "Lost cards are\nreplaced once. "),
                    )
                ),
            )
        )
        relinked = self.one(store, made.request_id, chunk_id="7f1c", text="Gift cards expire after 24 months.")
        assert (relinked.present, relinked.same_text, relinked.relinked) == (True, None, ("91aa",))
        spaces = self.one(store, made.request_id, chunk_id="e2d4", text="Lost cards are replaced once.")
        assert spaces.relinked == ("5e77",)
        stale = self.one(store, made.request_id, chunk_id="0b9a", text="Gift cards cannot be exchanged for cash.")
        assert (stale.present, stale.relinked, stale.similar[0]) == (False, (), "33c0")

    def test_shifted_positions(self, store, make):
        """An id that now holds another text is not the passage; the one that holds it is."""
        made = make.request(1, chunks=(("faq#1", "We also ship to islands."),))
        store.intake.commit(make.batch(made))
        after = (
            ("faq#0", "Intro"),
            ("faq#1", "We also ship to islands."),
            ("faq#2", "Delivery takes 3 days."),
            ("faq#3", "Returns are free."),
        )
        store.corpora.add(manifest(after))
        facts = self.one(store, made.request_id, chunk_id="faq#1", text="Delivery takes 3 days.", doc_id="faq")
        assert (facts.present, facts.same_text, facts.relinked) == (True, False, ("faq#2",))

    def test_a_quoted_sentence(self, filled, make):
        """It is present wherever it stands; inside the labelled chunk the label still holds."""
        filled.corpora.add(manifest())
        request_id = make.request(1).request_id
        pasted = self.one(filled, request_id, quote="refunds are paid to  the card")
        assert (pasted.present, pasted.relinked) == (True, ("refunds#10",))
        assert self.one(filled, request_id, quote="refunds are paid in gold").present is False
        kept = self.one(
            filled, request_id, chunk_id="refunds#1", text="An older text.", quote="within 14 days of the purchase"
        )
        assert (kept.present, kept.same_text) == (True, True)
        moved = self.one(
            filled, request_id, chunk_id="refunds#2", doc_id="refunds", text="Old.", quote="within 14 days of the"
        )
        assert (moved.present, moved.same_text, moved.relinked) == (True, False, ("refunds#1",))

    def test_a_document(self, filled, make):
        """A document is there if any of its chunks is."""
        filled.corpora.add(manifest())
        request_id = make.request(1).request_id
        facts = self.one(filled, request_id, level=Level.DOCUMENT, doc_id="errors")
        assert (facts.present, facts.same_text, facts.seen_in) == (True, None, None)
        assert self.one(filled, request_id, level=Level.DOCUMENT, doc_id="nothing").present is False

    def test_the_version_that_the_request_searched(self, store, make):
        """A request is judged by its own index version, and by none if that one is not known."""
        old, new, unknown = (
            make.request(number, chunks=PAGES[:1], version=version) for number, version in enumerate(("v1", "v2", "v3"))
        )
        store.intake.commit(make.batch(old, new, unknown))
        store.corpora.add(manifest(PAGES, version="v1"))
        store.corpora.add(manifest(PAGES[:1], version="v2"))
        gift = {"chunk_id": "gift#1", "text": PAGES[3][1]}
        assert self.one(store, old.request_id, **gift).present is True
        assert self.one(store, new.request_id, **gift).present is False
        facts = self.one(store, unknown.request_id, **gift)
        assert (facts.corpus_known, facts.present) == (False, None)
        (now,) = store.chunks.facts_now("support-bot", "", (LabelTarget(**gift),))
        assert (now.corpus_known, now.present) == (True, False)

    def test_two_indexes_of_which_one_is_known(self, store, make):
        """What is found is there; what is not found may be in the index that is not known."""
        made = make.request(1, chunks=PAGES[:1])
        stages = list(made.recorded.stages)
        stages[1] = stages[1].model_copy(update={"index": "forum"})
        both = make.batch(made).model_copy(
            update={"requests": (made.recorded.model_copy(update={"stages": tuple(stages)}),)}
        )
        store.intake.commit(both)
        store.corpora.add(manifest())
        assert self.one(store, made.request_id, chunk_id="gift#1").present is True
        absent = self.one(store, made.request_id, chunk_id="nowhere#1")
        assert (absent.corpus_known, absent.present) == (False, None)
        assert self.one(store, made.request_id, chunk_id="nowhere#1", index="docs").present is False

    def test_an_environment_of_its_own_comes_first(self, store, make):
        """A manifest of the request's environment is asked before one that names none; others never."""
        made = make.request(1, chunks=PAGES[:1], environment="prod", version=None)
        store.intake.commit(make.batch(made))
        store.corpora.add(manifest(PAGES[:2], environment="prod"))
        store.corpora.add(manifest(PAGES, environment=""))
        store.corpora.add(manifest(PAGES, environment="test"))
        assert self.one(store, made.request_id, chunk_id="gift#1").present is False
        assert self.one(store, made.request_id, chunk_id="refunds#2").present is True

    def test_an_unknown_request(self, store):
        """Nothing is known, and nothing fails."""
        assert self.one(store, "unknown", chunk_id="c") == LabelFacts()


class TestCorpora:
    """Manifests in parts."""

    def test_complete_once_all_parts_are_there(self, store):
        """A version with a part missing is not asked."""
        store.corpora.add(manifest(PAGES[:3], part=1, parts=2))
        (state,) = store.corpora.list()
        assert (state.chunks, state.complete) == (3, False)
        assert store.chunks.get("support-bot", "refunds#1").in_manifest is None
        store.corpora.add(manifest(PAGES[3:], part=2, parts=2))
        (state,) = store.corpora.list()
        assert (state.chunks, state.complete) == (6, True)
        assert store.chunks.get("support-bot", "refunds#1").in_manifest is True

    def test_the_same_part_again_changes_nothing(self, store):
        """Not even the time at which it was loaded; another content replaces it."""
        store.corpora.add(manifest())
        before = store.corpora.list()
        store.corpora.add(manifest())
        assert store.corpora.list() == before
        store.corpora.add(manifest((("refunds#1", "Corrected."),)))
        (state,) = store.corpora.list()
        assert state == CorpusState(
            app="support-bot",
            environment="",
            index="docs",
            version="v1",
            chunks=1,
            complete=True,
            loaded_ns=state.loaded_ns,
        )
        assert store.chunks.get("support-bot", "refunds#1").text == "Corrected."

    def test_fewer_parts_than_before(self, store):
        """A version that is loaded again in fewer parts has no rest of the former ones."""
        store.corpora.add(manifest(PAGES[:3], part=1, parts=2))
        store.corpora.add(manifest(PAGES[3:], part=2, parts=2))
        store.corpora.add(manifest(PAGES[:1]))
        (state,) = store.corpora.list()
        assert (state.chunks, state.complete) == (1, True)

    def test_a_chunk_that_the_newest_version_lacks(self, store, make):
        """It was in the corpus once and is not any more."""
        store.intake.commit(make.batch(make.request(1, chunks=PAGES)))
        store.corpora.add(manifest(version="v1"))
        store.corpora.add(manifest(PAGES[:1], version="v2"))
        assert store.chunks.get("support-bot", "refunds#1").in_manifest is True
        assert store.chunks.get("support-bot", "gift#1").in_manifest is False

    def test_neighbours_come_from_the_manifest(self, store):
        """Parent, previous and next as it says."""
        store.corpora.add(
            manifest(chunks=(CorpusChunk(chunk_id="b", text="B", parent_id="p", previous_id="a", next_id="c"),))
        )
        chunk = store.chunks.get("support-bot", "b")
        assert (chunk.parent_id, chunk.previous_id, chunk.next_id) == ("p", "a", "c")


def test_stages_without_index_take_that_of_the_same_id(store, make):
    """A fused list does not say its index; its chunks are those of the legs."""
    made = make.request(1, chunks=PAGES[:2], index="docs")
    assert made.recorded.stages[2].kind is StageKind.FUSE
    assert made.recorded.stages[2].index is None
    store.intake.commit(make.batch(made))
    assert store.query("select distinct index_name from chunks", limit=5).rows == (("docs",),)
