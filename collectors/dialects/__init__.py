"""How spans of different writers are read, a file each: goldrank's own (`goldrank`), and the table of `others`."""

from .reading import ChunkBook, Mark, Reading, Role

__all__ = ["ChunkBook", "Mark", "Reading", "Role"]
