"""The frameworks that can be recorded in one line, and what is to be installed for each."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final, NamedTuple


class Framework(NamedTuple):
    """One framework and its kept OpenInference instrumentor."""

    name: str
    """As `instrument` is told it."""
    package: str
    """What an app that uses it has imported."""
    instrumentor: str
    """The instrumentor's class; its module is named by `module`."""
    extra: str | None = None
    """The extra of goldrank that installs the instrumentor; None: it is installed by its own name."""

    is_filled: bool = False
    """Whether a module of ours, of the same name, fills in what the instrumentor leaves out."""

    @property
    def module(self) -> str:
        """Where the instrumentor is."""
        return f"openinference.instrumentation.{self.name}"

    @property
    def to_install(self) -> str:
        """What `pip install` is told."""
        if self.extra is not None:
            return f"'goldrank[{self.extra}]'"
        return f"openinference-instrumentation-{self.name.replace('_', '-')}"

    @property
    def is_used(self) -> bool:
        """Whether the framework itself is installed."""
        return _is_there(self.package)

    @property
    def can_be_attached(self) -> bool:
        """Whether its instrumentor is installed."""
        return _is_there(self.module)


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # a package above it is missing
        return False


FRAMEWORKS: Final = (
    Framework("langchain", "langchain_core", "LangChainInstrumentor", "langchain", is_filled=True),
    Framework("llama_index", "llama_index.core", "LlamaIndexInstrumentor", "llama-index"),
    Framework("haystack", "haystack", "HaystackInstrumentor", "haystack"),
    Framework("openai", "openai", "OpenAIInstrumentor", "openai"),
    Framework("bedrock", "boto3", "BedrockInstrumentor"),
    Framework("dspy", "dspy", "DSPyInstrumentor", is_filled=True),
    Framework("litellm", "litellm", "LiteLLMInstrumentor", is_filled=True),
)
"""In the order in which `instrument()` attaches them."""
BY_NAME: Final = {framework.name: framework for framework in FRAMEWORKS}
