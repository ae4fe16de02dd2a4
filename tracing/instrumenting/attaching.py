"""`instrument` and `uninstrument`: attaching kept instrumentors to goldrank's tracer provider."""

from __future__ import annotations

import importlib
from typing import Any, Final

from ...model.errors import UsageError
from ..guest import LOGGER, Guard, say_once
from .known import BY_NAME, FRAMEWORKS, Framework
from .provider import InstrumentedProvider

_ATTACHING: Final = Guard("attaching an instrumentor")
_LETTING_GO: Final = Guard("letting an instrumentor go")
_attached: dict[str, Any] = {}
"""Name of a framework -> the instrumentor that we attached."""


def instrument(*names: str) -> tuple[str, ...]:
    """Records these frameworks from now on; returns the names of all that are recorded so.

    Without names: every known framework that is installed beside its instrumentor. An unknown name raises UsageError.
    One that is not installed is one line in the log, naming what to install, and the app runs on. A second call does
    nothing new. Call it before or after `init`; what runs before `init` is not recorded.
    """
    for framework in _wanted(names):
        if framework.name not in _attached:
            with _ATTACHING:
                _attach(framework)
    return tuple(name for name in BY_NAME if name in _attached)


def uninstrument(*names: str) -> None:
    """Lets go of these frameworks; without names of all that `instrument` attached."""
    for framework in _wanted(names or tuple(_attached)):
        instrumentor = _attached.pop(framework.name, None)
        with _LETTING_GO:
            if framework.is_filled and framework.is_used:
                _filling(framework).let_go()  # first: what it puts back is the instrumentor's
            if instrumentor is not None:
                instrumentor.uninstrument()


def _wanted(names: tuple[str, ...]) -> tuple[Framework, ...]:
    """The frameworks of these names, which may also be written as pip does."""
    found: list[Framework] = []
    for name in names:
        framework = BY_NAME.get(name.replace("-", "_").lower()) if isinstance(name, str) else None
        if framework is None:
            raise UsageError(f"goldrank.instrument({name!r}): it knows {', '.join(BY_NAME)}.")
        found.append(framework)
    return tuple(found) if names else tuple(one for one in FRAMEWORKS if one.is_used and one.can_be_attached)


def _attach(framework: Framework) -> None:
    if not framework.can_be_attached:
        say_once(
            f"instrument {framework.name}",
            f"goldrank: {framework.name} is not recorded, because its instrumentor is not installed: "
            f"pip install {framework.to_install}",
        )
        return
    if not framework.is_used:
        say_once(
            f"instrument {framework.name}",
            f"goldrank: {framework.name} is not recorded, because {framework.package} is not installed.",
        )
        return
    instrumentor = getattr(importlib.import_module(framework.module), framework.instrumentor)()
    if instrumentor.is_instrumented_by_opentelemetry:
        LOGGER.info(
            "goldrank: %s is instrumented already by the app; its spans are taken from the app's tracer provider, "
            "under that one's limits (OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT)",
            framework.name,
        )
    else:
        from .masking import Masking

        instrumentor.instrument(tracer_provider=InstrumentedProvider(), config=Masking())
        if not instrumentor.is_instrumented_by_opentelemetry:
            say_once(
                f"instrument {framework.name}",
                f"goldrank: {framework.name} is not recorded, because its instrumentor does not fit the installed "
                f"version: pip install --upgrade {framework.to_install}",
            )
            return
        _attached[framework.name] = instrumentor
    if framework.is_filled:
        _filling(framework).fill(instrumentor)


def _filling(framework: Framework) -> Any:
    """What fills in what the instrumentor leaves out; it imports the framework."""
    return importlib.import_module(f".{framework.name}", __package__)
