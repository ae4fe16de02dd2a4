"""What became of each chunk between two lists of the same stage."""

from __future__ import annotations

from collections.abc import Mapping

from ...model import ChunkMark, Hit, Stage, text_hash
from ...model.comparison import ChunkMove, Move
from ..lists import Place, index_list


def chunk_moves(
    then: Stage | None, now: Stage | None, marks: Mapping[str, tuple[ChunkMark, ...]]
) -> tuple[ChunkMove, ...]:
    """By rank now, then by rank then; a chunk that stands several times counts at its first place.

    The same id is the same chunk. Ids that changed (the documents were indexed anew) are followed by the text
    inside the same document.
    """
    old: Mapping[str, Place] = {} if then is None else index_list(then).by_id
    new: Mapping[str, Place] = {} if now is None else index_list(now).by_id
    renamed = _renamed(old, new)
    moves = [_move(chunk_id, old.get(renamed.get(chunk_id, chunk_id)), place, marks) for chunk_id, place in new.items()]
    followed = set(renamed.values()) | set(new)
    moves += [_move(chunk_id, place, None, marks) for chunk_id, place in old.items() if chunk_id not in followed]
    return tuple(moves)


def _renamed(old: Mapping[str, Place], new: Mapping[str, Place]) -> dict[str, str]:
    """Id now -> id then, of chunks that only their text and document identify."""
    gone = {_identity(place.hit): chunk_id for chunk_id, place in old.items() if chunk_id not in new}
    gone.pop(None, None)
    found: dict[str, str] = {}
    for chunk_id, place in new.items():
        if chunk_id not in old and (was := gone.pop(_identity(place.hit), None)) is not None:
            found[chunk_id] = was
    return found


def _identity(hit: Hit) -> tuple[str, str | None] | None:
    known = _hash(hit)
    return None if known is None else (known, hit.doc_id)


def _hash(hit: Hit) -> str | None:
    if hit.text_hash is not None:
        return hit.text_hash
    return None if hit.text is None else text_hash(hit.text)


def _move(
    chunk_id: str, then: Place | None, now: Place | None, marks: Mapping[str, tuple[ChunkMark, ...]]
) -> ChunkMove:
    hits = [place.hit for place in (now, then) if place is not None]
    hashes = {_hash(hit) for hit in hits} - {None}
    said = marks.get(chunk_id, ())
    was = None if then is None else then.hit.chunk_id
    return ChunkMove(
        chunk_id=chunk_id,
        then_chunk_id=was if was != chunk_id else None,
        doc_id=hits[0].doc_id,
        move=_kind(then, now),
        then=None if then is None else then.rank,
        now=None if now is None else now.rank,
        gold=ChunkMark.GOLD in said,
        forbidden=ChunkMark.FORBIDDEN in said,
        text_changed=len(hashes) > 1,
    )


def _kind(then: Place | None, now: Place | None) -> Move:
    if then is None or now is None:
        return Move.CAME if then is None else Move.WENT
    if then.rank == now.rank:
        return Move.SAME
    return Move.UP if now.rank < then.rank else Move.DOWN
