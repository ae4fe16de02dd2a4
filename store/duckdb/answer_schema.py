"""Answers as they are searched: a part of a word and the quotations of a ticket are looked for in every one of them."""

from __future__ import annotations

from typing import Final

ANSWERS_AT_HAND: Final = """
create table requests_at_hand(
    rid bigint not null, request_id varchar not null, trace_id varchar not null, provisional boolean not null,
    app varchar not null, environment varchar not null, app_version varchar,
    question varchar, question_source varchar, history varchar,
    answer varchar using compression uncompressed, answer_note varchar,
    user_id varchar, session varchar, tenant varchar, groups varchar, as_of varchar,
    outcome varchar not null, error varchar, start_ns bigint not null, end_ns bigint, replay_of varchar,
    notes varchar, attributes varchar, missing varchar, repaired boolean not null,
    case_key varchar, extra varchar, id_end bigint
);
insert into requests_at_hand select * from requests;
drop table requests;
alter table requests_at_hand rename to requests;
"""
"""Packed, 2,048 answers are undone to read one. The bytes that this takes are saved where stages and spans kept the
answer again. From here on the text of a stage may be `texts.ANSWER_KEY`, which an older goldrank would not find."""
