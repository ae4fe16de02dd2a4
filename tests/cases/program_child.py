"""One run of a program in a process of its own: `program_child.py FILE REPORT MODE OPTIONS`.

MODE is "traced" or "plain" (the same app without goldrank); OPTIONS is the JSON of further arguments of `main`.
What the process saw goes to REPORT as JSON, as far as it lives to write it. Its end is the program's own.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))


class Log(logging.Handler):
    """Keeps every log line with its logger."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[dict[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps it."""
        self.lines.append({"logger": record.name, "level": record.levelname, "text": record.getMessage()})


class SpanCount:
    """Counts spans as OpenTelemetry starts and ends them."""

    def __init__(self) -> None:
        self.started = 0
        self.ended = 0

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        """One more."""
        self.started += 1

    def on_end(self, span: Any) -> None:
        """One less."""
        self.ended += 1

    def _on_ending(self, span: Any) -> None:
        """Nothing."""

    def shutdown(self) -> None:
        """Nothing."""

    def force_flush(self, timeout_millis: int = 0) -> bool:
        """Nothing waits."""
        return True


def load(path: Path) -> Any:
    """The program as a module."""
    spec = importlib.util.spec_from_file_location("program", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["program"] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Runs the program."""
    file, report, mode, options = sys.argv[1:5]
    log, count = Log(), SpanCount()
    logging.getLogger().addHandler(log)
    if mode == "traced":
        import goldrank
        from goldrank.tracing.recorder import SWITCH
        from shim import Shim

        goldrank.init(app="case", environment="test")
        tracer: Any = SWITCH.recorder.tracer  # type: ignore[union-attr]
        tracer.span_processor.add_span_processor(count)
        shim: Any = Shim()
    else:
        from shim import NoShim

        shim = NoShim()
    program = load(Path(file))
    began = time.perf_counter()
    seen: dict[str, Any] = {"error": None}

    def write() -> None:
        seen.update(
            seconds=time.perf_counter() - began,
            log=log.lines,
            spans_started=count.started,
            spans_ended=count.ended,
        )
        Path(report).write_text(json.dumps(seen, default=repr), encoding="utf-8")

    write()
    try:
        seen["returned"] = program.main(shim, **json.loads(options))
    except BaseException as error:
        seen["error"] = f"{type(error).__name__}: {error}"
        raise
    finally:
        write()


if __name__ == "__main__":
    main()
