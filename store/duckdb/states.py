"""What is known of requests beside the recording, as sets of their numbers.

`request_states` says the same of every request. These begin with what people said, which is little, and look only
those requests up.
"""

from __future__ import annotations

from typing import Final

LABELLED: Final = """
with recursive replays as (select rid, request_id, replay_of from requests where replay_of is not null),
origins(rid, origin, steps) as (
    select rid, replay_of, 1 from replays
    union all
    select o.rid, q.replay_of, o.steps + 1 from origins o join replays q on q.request_id = o.origin
    where o.steps < 16
),
said as (
    select rid, request_id from requests
    where request_id in (select request_id from current_labels where not removed)
    union all
    select rid, request_id from requests
    where case_key in (select case_key from current_cases where not archived)
)
select rid from said union select rid from origins where origin in (select request_id from said)
"""
"""Numbers of the requests with labels of their own or inherited."""

COMPLAINED: Final = """
select rid from requests
where request_id in (select request_id from current_complaints where request_id is not null)
union all
select rid from requests
where request_id in (select request_id from current_feedback where score < 0) and replay_of is null
"""
"""Numbers of the requests that somebody complained about."""
