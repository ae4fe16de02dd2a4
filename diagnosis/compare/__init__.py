"""Two requests side by side.

from goldrank.diagnosis.compare import Judged, compare

print(compare(Judged(then, its_diagnosis), Judged(now, its_diagnosis)).sentence)
"""

from __future__ import annotations

from .compare import Judged, compare

__all__ = ["Judged", "compare"]
