"""One run of a program in a process of its own: `program_child.py FILE REPORT MODE OPTIONS`.

MODE is "traced" or "plain" (the same app without goldrank); OPTIONS is the JSON of further arguments of `main`.
What the process saw goes to REPORT as JSON, as far as it lives to write it. Its end is the program's own.
"""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
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
    """Counts the stages and requests that goldrank opens and ends, whichever tracer provider makes their spans."""

    def __init__(self) -> None:
        self.started = 0
        self.ended = 0

    def watch(self, stages: type[Any]) -> None:
        """Counts in front of the class's own methods."""
        init, end = stages.__init__, stages.end

        def counted_init(stage: Any, *args: Any, **kwargs: Any) -> None:
            init(stage, *args, **kwargs)
            self.started += stage.recording

        def counted_end(stage: Any, *args: Any, **kwargs: Any) -> None:
            self.ended += stage.recording and not stage.ended
            end(stage, *args, **kwargs)

        stages.__init__, stages.end = counted_init, counted_end  # type: ignore[misc]


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
        from goldrank.tracing.open_stage import OpenStage
        from shim import Shim

        count.watch(OpenStage)
        goldrank.init(app="case", environment="test")
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
        returned = program.main(shim, **json.loads(options))
        seen["returned"] = asyncio.run(returned) if inspect.iscoroutine(returned) else returned
    except BaseException as error:
        seen["error"] = f"{type(error).__name__}: {error}"
        raise
    finally:
        write()


if __name__ == "__main__":
    main()
