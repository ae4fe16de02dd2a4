"""What leaves the process of an instrumentor's span: the app's own OpenInference settings, then goldrank's.

`capture_text=False` hides what OpenInference can hide, and redaction functions see every text. Asked for each
attribute, so that `init` may come later.
"""

from __future__ import annotations

from typing import Any, Final

from openinference.instrumentation import TraceConfig

from ..guest import swallow
from ..recorder import SWITCH

_NO_TEXTS: Final = (".kind", "mime_type", ".id", ".model_name", ".role", "llm.provider", "llm.system")
"""Ends of keys whose values are names, not what people wrote."""
_HIDDEN: Final = TraceConfig(
    hide_inputs=True,
    hide_outputs=True,
    hide_prompts=True,
    hide_choices=True,
    hide_embeddings_text=True,
    hide_llm_tools=True,
    hide_retrieval_documents=True,
)
_TEXTS: Final = ("llm.prompt_template", "tool.parameters", "metadata")
"""Keys that OpenInference does not hide, and that hold what people wrote."""


class Masking(TraceConfig):
    """A configuration of OpenInference that follows goldrank's settings."""

    def mask(self, key: str, value: Any, **options: Any) -> Any:
        """The attribute as it may be recorded; None: not at all."""
        if type(value) is not str and isinstance(value, str):
            value = str.__str__(value)  # LangChain's texts can be called, and OpenInference would call them
        recorder = SWITCH.recorder
        if recorder is not None and not recorder.rules.capture:
            return None if key.startswith(_TEXTS) else _HIDDEN.mask(key, value, **options)
        masked = super().mask(key, value, **options)
        if recorder is None or not recorder.rules.redact or key.endswith(_NO_TEXTS):
            return masked
        try:
            return recorder.rules.apply(masked).text if type(masked) is str else recorder.rules.plain(masked)
        except Exception as error:  # noqa: BLE001 - the app goes on; what could not be redacted is not recorded
            swallow("redacting an instrumentor's span", error)
            return None
