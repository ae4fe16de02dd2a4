"""The tables and views of complaints that have a life: an owner, a closing, a state."""

from __future__ import annotations

from typing import Final

COMPLAINTS_LIVE: Final = """
alter table complaints add column source varchar default 'ticket';
alter table complaints add column owner varchar;
alter table complaints add column closed varchar;
create or replace view current_complaints as
    select * from complaints qualify row_number() over (partition by complaint_id order by place desc) = 1;

-- How far each complaint has come. A closing is a person's; the rest follows from labels and cases.
create view complaint_states as
    with golds as (select distinct request_id from current_labels where judgement = 'gold' and not removed),
    in_sets as (select distinct case_key from current_cases where not archived)
    select c.complaint_id, c.request_id, c.app, c.at_ns, c.source, c.owner, c.closed, c.body,
        coalesce(json_extract_string(c.body, '$.environment'), '') as environment,
        coalesce(json_extract_string(c.body, '$.text'), '') as said,
        coalesce(json_extract_string(c.body, '$.who'), '') as who,
        i.case_key is not null as promoted,
        case when c.closed is not null then c.closed
             when c.request_id is null then 'new'
             when i.case_key is not null then 'promoted'
             when g.request_id is not null then 'labelled'
             else 'linked' end as state
    from current_complaints c
    left join requests r on r.request_id = c.request_id
    left join in_sets i on i.case_key = r.case_key
    left join golds g on g.request_id = c.request_id;
"""
