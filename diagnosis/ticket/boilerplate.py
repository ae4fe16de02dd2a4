"""What tickets say besides the matter: greetings, signatures, mail heads, and phrases about the assistant."""

from __future__ import annotations

import re
from typing import Final

_NAMED: Final = r"(?:[ ,]+[^\W\d_]+){0,3}"
_BOT: Final = (
    r"(?:the|your|ur|our|this|that|my|der|die|das|ihre?r?|euer|eure|unser(?:e|er)?|dein(?:e|er)?)\s+(?:[a-z-]+\s+)?"
    r"(?:support\s?bot|chat\s?bot|bot|assistant|assistent|ai|ki|chat|tool|system|agent|helper|help\s?desk|widget|"
    r"llm|model)"
)
_IT: Final = rf"(?:{_BOT}|it|he|she|they|you|er|es|sie|ihr|ich|i|we|wir)"
_SAID: Final = (
    r"(?:told|said|says|answered|answers|replied|replies|claimed|claims|stated|states|responded|responds|wrote|"
    r"writes|"
    r"insists?(?:ed)?|suggests?(?:ed)?|tells|mentions?(?:ed)?|explained|explains|gave|gives|asked|ask|wanted to know|"
    r"sagte?|antwortete?|behauptete?|schrieb|schreibt|meinte?|erklärte?|gefragt|fragte|gesagt|geantwortet|behauptet)"
)

_LINES: Final = re.compile(
    r"^\s*(?:from|to|cc|bcc|sent|date|reply-to|von|an|gesendet|datum|betrifft|ticket|priority|status|requester|"
    r"sent from my|gesendet von)\b\s*(?:#?\d+)?\s*[:#].*$|^\s*(?:sent from my|gesendet von meinem)\b.*$|^\s*--\s*$",
    re.IGNORECASE | re.MULTILINE,
)
"""Lines of a mail's head."""

_GREETING: Final = re.compile(
    rf"^\W*(?:hi|hey|hello|dear|hallo|moin|servus|good (?:morning|afternoon|evening|day)|guten (?:tag|morgen|"
    rf"abend)|greetings|"
    rf"sehr geehrte[rs]?|liebe[rs]?|to whom it may concern){_NAMED}\s*[,!.:\n-]+",
    re.IGNORECASE,
)

_CLOSING: Final = re.compile(
    r"(?:(?:^|[\n.!?,\s]\s*)(?:(?:many |kind |best |warm )?regards|cheers|best wishes|sincerely|"
    r"thank(?:s| you)(?: you)?"
    r"(?: (?:in advance|a lot|so much|very much|for \w+(?: \w+)?))?|(?:viele|beste|liebe|schöne|mit freundlichen)"
    r" (?:dank|grüße|gruesse|grüßen)|danke(?: schön| im voraus)?|vielen dank)|"
    r"(?:^|[\n.!?,]\s*)(?:thx|kr|br|vg|lg|mfg|yours))"
    r"\b[\s,.!-]*(?:[^\W\d_]+[ .]?){0,4}\s*$",
    re.IGNORECASE,
)

_PHRASES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # Who said it to whom
        (
            rf"\b{_IT}\s+(?:just |then |now |only |again |still |always |keeps? |also |hat |haben |habe )?{_SAID}"
            r"(?:ing|s)?\b(?:\s+(?:me|us|my colleague|mir|uns|ihn|him|her|this|that|to|dass|about|nach|mich|ob|"
            r"whether|if|:))*"
        ),
        (
            rf"\b(?:when|as|since|after|nachdem|als|wenn) (?:i|we|ich|wir) (?:ask(?:ed)?|typed|"
            rf"fragten?)\b(?:\s+{_IT})?"
            r"(?:\s+(?:about|nach|for|to|whether|if|ob))?"
        ),
        (
            rf"\b(?:i|we|my (?:colleague|customer|boss)|a (?:customer|user|client)|one of our \w+|ein kunde|"
            rf"eine kundin|ich|wir)\s+"
            r"(?:was |were |have |had |has |just |recently |habe |haben |hatte |wollte |wanted to |want to |"
            r"tried to |"
            r"am )*"
            rf"(?:asking|asked|ask|know|find out|wissen|gefragt|fragen|trying)(?:\s+(?:{_BOT}|it|you))?"
            r"(?:\s+(?:about|nach|for|to|whether|if|ob|how|wie))?"
        ),
        rf"\baccording to {_BOT}\b|\blaut {_BOT}\b",
        rf"\b{_BOT}(?:'s)?\b",
        (
            r"\b(?:the|this|that|an?|its|your|die|diese|eine|ihre) (?:answers?|repl(?:y|ies)|responses?|"
            r"antwort(?:en)?|auskunft)\b"
        ),
        r"\b(?:the|my|our|his|her|die|meine|unsere) (?:question|frage) (?:was|is|war|ist|lautete)\b",
        # That it is wrong
        (
            r"\b(?:which|that|this|it|das|dies|es|and that) (?:is|was|seems?|looks?|sounds?|can'?t be|cannot be|ist|"
            r"war|kann|stimmt)\s*"
            r"(?:just |simply |completely |totally |clearly |definitely |obviously |not |nicht |doch |so |einfach |"
            r"völlig )*"
            r"(?:wrong|incorrect|right|true|correct|nonsense|outdated|misleading|useless|helpful|falsch|richtig|"
            r"unsinn|veraltet|sein)?\b"
        ),
        (
            r"\b(?:completely |totally |simply |clearly |absolutely )?(?:wrong|incorrect|misleading|useless|nonsense|"
            r"not (?:helpful|correct|right|true)"
            r"|falsch|nicht (?:richtig|hilfreich|korrekt)|quatsch)\b"
        ),
        (
            r"\b(?:user|customer|client|account|login|member|kunde|kundin|benutzer|nutzer|konto|"
            r"session)(?:\s*(?:id|no\.?|nr\.?|"
            r"number|name))?\s*[:#=]?\s*(?=\S*\d)[^\s,;)]+"
        ),
        # What to do about it
        (
            r"\b(?:can|could|would|will|können|könnten) (?:you|someone|somebody|anyone|sie|jemand|ihr)"
            r"(?: please| bitte)?"
            r"(?: (?:look into|check|have a look|take a look|fix|investigate|clarify|explain|help|confirm|prüfen|"
            r"nachsehen|klären|helfen))*"
            r"(?: (?:this|it|that|das|at|into|with|mir|me))*"
        ),
        (
            r"\bplease (?:check|fix|look|advise|help|investigate|clarify|correct|confirm|"
            r"have a look)\b(?: (?:this|it|"
            r"that|into|at|asap))*"
        ),
        r"\bbitte (?:prüfen|korrigieren|klären|um \w+)\b|\bwas (?:stimmt|ist) (?:nun|jetzt|denn)\b",
        (
            r"\b(?:i am|i'm|we are|we're|ich bin|wir sind) (?:a bit |very |really |quite |etwas |sehr )?(?:confused|"
            r"annoyed|frustrated|"
            r"upset|disappointed|angry|not happy|unhappy|surprised|sure|verwirrt|verärgert|enttäuscht)\b"
        ),
        (
            r"\b(?:hope (?:you|this)[^.!?\n]{0,40}|as (?:you|discussed)[^.!?,\n]{0,20}|see (?:below|attached|"
            r"screenshot)|fyi|asap|screenshot attached)\b"
        ),
        (
            r"\b(?:i (?:have|had|got|received|am having|'ve)|we (?:have|had|got)|there is|there's) "
            r"(?:a |an |the |some )?"
            r"(?:problem|issue|trouble|question|complaint)s?(?: (?:with|about|regarding|to report))?"
        ),
        r"\b(?:something like|along the lines of|more or less|in other words|or so|so etwas wie|sinngemäß)\b",
        (
            r"\b(?:i (?:think|guess|believe|remember|don'?t remember|can'?t remember)|if i remember(?: correctly)?|"
            r"ich glaube|soweit ich weiß)\b"
        ),
        r"\b(?:subject|betreff|re|aw|fwd|wg)\s*:",
    )
)

_COMMON = """
    a about after again all also am an and any are as at be because been before being but by can can't cannot
    could did didn didn't do does doesn doesn't doing don don't for from get gets got had has have he her here
    him his how i i'd i'll i'm i've if in into is isn it it's its just let like made make me more most much my
    no not now of off on once one only or other our out over own please said same say says she should so some
    still such than that that's the their them then there these they this those through to too told under
    until up us very was wasn we were what what's when where which while who whom why will with would you your
    yours ll ve re t s d m aber alle als also am an auch auf aus bei bin bis bitte da dann das dass dem den
    der des die dies diese dieser doch du ein eine einem einen einer er es für gibt haben habe hat hatte hier
    ich ihr im in ist ja kann kein keine man mein meine mich mir mit nach nicht noch nur ob oder schon sehr
    sein sich sie sind so über um und uns unser von vor war warum was wenn wer werden wie wir wird wo zu zum
    zur
    asked asks asking answer answers answered question questions wrong incorrect nonsense bot chatbot assistant hi hello
    thanks thank ur u n pls frage antwort falsch
    """
COMMON: Final = frozenset(_COMMON.split())
"""Words that say nothing of the matter, where others remain."""


def without_boilerplate(text: str) -> str:
    """What remains of a ticket when greetings, signatures and the usual phrases are taken out.

    Where nothing would remain, the text as it is: a ticket may consist of what elsewhere is a phrase.
    """
    rest = _LINES.sub("\n", text)
    rest = _GREETING.sub(" ", rest.strip(), count=1)
    for _ in range(2):  # "Thanks! Best regards, Ann"
        rest = _CLOSING.sub(" ", rest.rstrip(), count=1)
    for phrase in _PHRASES:
        rest = phrase.sub(" ", rest)
    rest = " ".join(rest.split())
    return rest if any(character.isalnum() for character in rest) else " ".join(text.split())
