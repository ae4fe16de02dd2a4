"""One-line starts: frameworks recorded by OpenInference's instrumentors, for apps that own no retrieve function.

import goldrank

goldrank.init(app="support-bot")
goldrank.instrument("langchain")            # also llama_index, haystack, openai, …; needs goldrank[langchain]
"""

from __future__ import annotations

from .attaching import instrument, uninstrument

__all__ = ["instrument", "uninstrument"]
