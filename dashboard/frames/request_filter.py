"""The filter of the requests list, between its address and what the store is asked."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta, tzinfo
from typing import Final

from ...model import Outcome, Verdict
from ...store import RequestFilter
from .. import times

ANY: Final = "Any"
ANY_TIME: Final = "Any time"
DAYS: Final = "Days …"
TIMES: Final = (ANY_TIME, "Last hour", "Today", "Yesterday", "Last 7 days", "Last 30 days", DAYS)
STATUSES: Final = (ANY, *(outcome.value.replace("_", " ") for outcome in Outcome))
VERDICTS: Final = (ANY, *(verdict.words for verdict in Verdict))
LABELLED: Final = (ANY, "Labelled", "Not labelled")
QUEUES: Final = (ANY, "Open", "Later", "Cannot tell")
REPLAYS: Final = ("Left out", "Shown too", "Alone")
"""The first is what a list does unless asked: a replay is no question that anybody asked."""
COMPLAINED: Final = (ANY, "With complaint", "Without")

PARAMS: Final = (
    "time",
    "from",
    "to",
    "words",
    "user",
    "status",
    "verdict",
    "labelled",
    "complained",
    "app",
    "environment",
    "queue",
    "assigned",
    "replays",
)
"""Names in the address, which are also the keys of the widgets."""

_NAMES: Final = {"assigned": "assigned to"}
"""What a caption calls a parameter, where it is not its name."""


def request_filter(params: Mapping[str, str], zone: tzinfo, now_ns: int) -> RequestFilter:
    """The filter that these parameters mean. A value that is none of the choices filters nothing."""
    since, until = _span(params, zone, now_ns)
    status = params.get("status", "").replace(" ", "_")
    verdict = params.get("verdict", "").replace(" ", "_")
    return RequestFilter(
        words=params.get("words", "").strip(),
        user=params.get("user", "").strip(),
        app=_chosen(params.get("app", "")),
        environment=_chosen(params.get("environment", "")),
        outcome=Outcome(status) if status in set(Outcome) else None,
        verdict=verdict if verdict in set(Verdict) else "",
        labelled={"Labelled": True, "Not labelled": False}.get(params.get("labelled", "")),
        complained={"With complaint": True, "Without": False}.get(params.get("complained", "")),
        queue=_queue(params.get("queue", "")),
        assigned_to=_chosen(params.get("assigned", "")),
        replays={"Shown too": None, "Alone": True}.get(params.get("replays", ""), False),
        since_ns=since,
        until_ns=until,
    )


def _chosen(value: str) -> str:
    return "" if value == ANY else value


def _queue(value: str) -> str:
    return value.lower().replace(" ", "_") if value in QUEUES and value != ANY else ""


def _span(params: Mapping[str, str], zone: tzinfo, now_ns: int) -> tuple[int | None, int | None]:
    """From (inclusive) and until (exclusive), in nanoseconds UTC; days are those of `zone`."""
    day = times.today(now_ns, zone)
    choice = params.get("time", "")
    if choice == "Last hour":
        return now_ns - times.HOUR_NS, None
    if choice == "Today":
        return times.start_of_day(day, zone), None
    if choice == "Yesterday":
        return times.day_range(day - timedelta(days=1), day - timedelta(days=1), zone)
    if choice in {"Last 7 days", "Last 30 days"}:
        back = 6 if choice == "Last 7 days" else 29
        return times.start_of_day(day - timedelta(days=back), zone), None
    if choice == DAYS:
        return _days(params, zone)
    return None, None


def _days(params: Mapping[str, str], zone: tzinfo) -> tuple[int | None, int | None]:
    first, last = _day(params.get("from", "")), _day(params.get("to", ""))
    since = times.start_of_day(first, zone) if first else None
    until = times.day_range(last, last, zone)[1] if last else None
    return since, until


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def in_words(params: Mapping[str, str]) -> str:
    """The filter for a caption: "verdict demoted · words refund"; empty without one."""
    shown = []
    for name in PARAMS:
        value = params.get(name, "")
        if value and value not in {ANY, ANY_TIME, DAYS, REPLAYS[0]}:
            shown.append(value if name in {"time", "labelled", "complained"} else f"{_NAMES.get(name, name)} {value}")
    return " · ".join(shown)
