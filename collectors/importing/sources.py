"""The files of an import: plain or compressed, in folders, or on stdin; always read as a stream."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, NamedTuple

from ...model import BadInput, UsageError

STDIN: Final = "-"
LONGEST_LINE: Final = 64 * 1024 * 1024
"""Bytes. A frame of the spool holds no more, and no log means to write more."""
_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_OTHERS: Final = {b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"7z\xbc\xaf": "7-Zip", b"\x04\x22\x4d\x18": "lz4"}
_PIECE: Final = 1024 * 1024
DAMAGED: Final = (gzip.BadGzipFile, zlib.error, EOFError)
"""What reading a damaged gzip stream raises. Of zstd it is an OSError."""


class Line(NamedTuple):
    """A line of a file."""

    number: int
    """1-based."""
    data: bytes
    """Without its line feed; a carriage return before it stays, for it may belong to a cell."""
    reason: str = ""
    """Why it cannot be used; then `data` is empty."""


class Source:
    """One file. It is opened as often as needed: to see what it is, for its digest, to be read."""

    def __init__(self, path: Path, name: str | None = None, *, inside: bool = False) -> None:
        self.path = path
        self.inside = inside
        """Nobody named it: it lies in a folder that was named, maybe beside other things."""
        self.name = name or str(path)
        """As messages call it."""
        self.read_bytes = 0
        """How many bytes of the file the last opening has read so far."""

    @cached_property
    def size(self) -> int:
        """Bytes on the disk."""
        return self.path.stat().st_size

    @cached_property
    def compression(self) -> str:
        """ "gzip", "zstd" or empty: by its first bytes, whatever its name says."""
        try:
            with self.path.open("rb") as file:
                start = file.read(6)
        except OSError as error:
            raise BadInput(f"{self.name} cannot be read: {error.strerror}.") from error
        other = next((words for magic, words in _OTHERS.items() if start.startswith(magic)), None)
        if other:
            raise BadInput(f"{self.name} is compressed with {other}; gzip and zstd are read: unpack it first.")
        return "gzip" if start.startswith(_GZIP) else "zstd" if start.startswith(_ZSTD) else ""

    def open(self) -> BinaryIO:
        """Its content, inflated, from the beginning."""
        self.read_bytes = 0
        compression = self.compression
        raw = _Counted(self.path.open("rb"), self._count)
        if compression == "gzip":
            return gzip.GzipFile(fileobj=io.BufferedReader(raw, _PIECE))  # type: ignore[return-value]
        if compression == "zstd":
            return io.BufferedReader(_Inflated(io.BufferedReader(raw, _PIECE)), _PIECE)
        return io.BufferedReader(raw, _PIECE)

    def _count(self, size: int) -> None:
        self.read_bytes += size

    def head(self, size: int) -> bytes:
        """The first bytes of its content: fewer than `size` where there are no more, or where it is damaged."""
        try:
            with self.open() as stream:
                return _read_up_to(stream, size)
        except (OSError, *DAMAGED) as error:
            raise BadInput(f"{self.name} cannot be read: {damage(error)}.") from error

    @cached_property
    def digest(self) -> str:
        """32 hex digits of its inflated content: the same for a copy, renamed or compressed."""
        found = hashlib.blake2b(digest_size=16)
        try:
            with self.open() as stream:
                while piece := stream.read(_PIECE):
                    found.update(piece)
        except (OSError, *DAMAGED):
            found.update(b"damaged")  # its lines up to there are still read, and still named
        return found.hexdigest()

    def lines(self, encoding: str = "") -> Iterator[Line]:
        """Its lines. A damaged stream gives what stands before the damage, then one bad line."""
        number = 0
        try:
            with self.open() as stream:
                for number, data in enumerate(_raw_lines(_as_utf8(stream, encoding)), start=1):
                    if len(data) > LONGEST_LINE:
                        yield Line(number, b"", f"it is longer than {LONGEST_LINE // 1024**2} MiB.")
                    else:
                        yield Line(number, data.removesuffix(b"\n"))
        except (OSError, *DAMAGED) as error:
            yield Line(number + 1, b"", f"the file is damaged here ({damage(error)}); what follows was not read.")

    @cached_property
    def seekable(self) -> Path:
        """The path of its inflated content; of a compressed file a temporary one, which `forget` removes."""
        if not self.compression:
            return self.path
        with tempfile.NamedTemporaryFile(prefix="goldrank-", delete=False) as target, self.open() as stream:
            shutil.copyfileobj(stream, target, _PIECE)
        return Path(target.name)

    def forget(self) -> None:
        """Removes what was made for it."""
        made = self.__dict__.pop("seekable", None)
        if made is not None and made != self.path:
            made.unlink(missing_ok=True)


class _Counted(io.RawIOBase):
    """A file that tells how much of it was read."""

    def __init__(self, file: IO[bytes], tell: Callable[[int], None]) -> None:
        super().__init__()
        self._file = file
        self._tell = tell

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:  # noqa: ANN401 - a buffer, as io.RawIOBase has it
        data = self._file.read(len(target))
        target[: len(data)] = data
        self._tell(len(data))
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


class _Inflated(io.RawIOBase):
    """A zstd stream, inflated; several frames in a row are one stream."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        import pyarrow as pa  # type: ignore[import-untyped]

        self._file = file
        self._stream = pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd")

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:  # noqa: ANN401 - as above
        data = self._stream.read(len(target))
        target[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        self._file.close()
        super().close()


def find_sources(paths: Sequence[str], stdin: Callable[[], BinaryIO]) -> Iterator[Source]:
    """The files that are meant, folders with all their files by name; `-` is stdin, kept in a temporary file."""
    for path in paths:
        if path == STDIN:
            yield _from_stdin(stdin())
            continue
        found = Path(path).expanduser()
        if found.is_dir():
            inside = sorted(_below(found))
            if not inside:
                raise UsageError(f"There is no file in {found}.")
            yield from (Source(one, inside=True) for one in inside)
        elif found.exists():
            yield Source(found)
        else:
            raise UsageError(f"There is no file {found}.")


def damage(error: BaseException) -> str:
    """What is wrong with a file, in words."""
    if isinstance(error, EOFError):
        return "its compressed end is missing"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__


def _from_stdin(stream: BinaryIO) -> Source:
    """Kept in a file, because it is looked at before it is read."""
    with tempfile.NamedTemporaryFile(prefix="goldrank-stdin-", delete=False) as target:
        shutil.copyfileobj(stream, target, _PIECE)
    return _Kept(Path(target.name), "stdin")


class _Kept(Source):
    """Stdin in a temporary file."""

    def forget(self) -> None:
        super().forget()
        self.path.unlink(missing_ok=True)


def _below(folder: Path) -> Iterator[Path]:
    """The files in a folder and in those inside it, without hidden ones; also a folder that nobody may look into, which
    is then named as a file is that cannot be read."""
    closed: list[Path] = []
    for place, folders, files in os.walk(folder, onerror=lambda error: closed.append(Path(error.filename))):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = (Path(place, name) for name in files if not name.startswith("."))
        yield from (path for path in paths if path.is_file())
    yield from closed


def _read_up_to(stream: BinaryIO, size: int) -> bytes:
    """In pieces as they come: a `read` that meets damage on its way gives nothing of what stands before it."""
    piece: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    parts: list[bytes] = []
    left = size
    try:
        while left and (part := piece(left)):
            parts.append(part)
            left -= len(part)
    except (OSError, *DAMAGED):
        if not parts:
            raise
    return b"".join(parts)


def _as_utf8(stream: BinaryIO, encoding: str) -> BinaryIO:
    """The stream itself, or one of its text in UTF-8 where it is written in something else."""
    encoding = encoding or _seen_encoding(stream)
    return io.BufferedReader(_Recoded(stream, encoding), _PIECE) if encoding else stream


def _seen_encoding(stream: BinaryIO) -> str:
    """UTF-16 says so in its first two bytes."""
    start = stream.peek(2)[:2] if isinstance(stream, io.BufferedReader | gzip.GzipFile) else b""
    return "utf-16" if start in (b"\xff\xfe", b"\xfe\xff") else ""


class _Recoded(io.RawIOBase):
    """A text in another encoding, as UTF-8; what that encoding does not know becomes U+FFFD."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        super().__init__()
        try:
            self._text = io.TextIOWrapper(stream, encoding, errors="replace", newline="")
        except LookupError as error:
            raise UsageError(f"There is no encoding {encoding!r}; there are utf-8, cp1252, utf-16, …") from error
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:  # noqa: ANN401 - as above
        data = self._left or self._text.read(65536).encode("utf-8", "replace")
        target[: len(data)] = data[: len(target)]
        self._left = data[len(target) :]
        return min(len(data), len(target))


def _raw_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Lines with their ends; one that is too long comes cut, and its rest is passed over."""
    while line := stream.readline(LONGEST_LINE + 1):
        yield line
        while len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            line = stream.readline(LONGEST_LINE + 1)
            if not line:
                return
