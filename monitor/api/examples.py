"""Examples of the document: a value for each parameter, and a whole one for each body that is sent."""

from __future__ import annotations

from typing import Any

PARAMETERS: dict[str, Any] = {
    "name": "order",
    "wid": 12,
    "seq": 3,
    "job": 40,
    "view": 5,
    "sla": 2,
    "calendar": 1,
    "case": 17,
    "proposal": 5,
    "bulk": 4,
    "file": 3,
    "q": "status:exception since:2h",
    "flow": "order",
    "columns": "customer,amount",
    "transition": "tr_pay",
    "every": 3600,
    "as_of": "2026-01-31T14:30:00Z",
    "since": "2026-01-31T00:00:00Z",
    "until": "2026-02-01T00:00:00Z",
}
BODIES: dict[str, Any] = {
    "StartIn": {"state": {"customer": "Ann", "amount": 120.5}, "key": "order-2026-0001"},
    "ReasonIn": {"reason": "The customer asked for it."},
    "LookIn": {"attributes": ["tax_number"], "reason": "The customer called about the invoice."},
    "PriorityIn": {"reason": "An important customer.", "priority": 10},
    "ExtendIn": {"reason": "The printer is slow today.", "seconds": 600},
    "RepairPreviewIn": {"operation": "patch", "arguments": {"changes": {"payment": "paid"}}},
    "RepairIn": {
        "operation": "patch",
        "arguments": {"changes": {"payment": "paid"}},
        "reason": "The bank confirmed it.",
        "seq": 4,
    },
    "BulkPreviewIn": {
        "operation": "patch",
        "q": "status:exception",
        "arguments": {"changes": {"payment": "paid"}},
    },
    "BulkIn": {
        "operation": "patch",
        "q": "status:exception",
        "arguments": {"changes": {"payment": "paid"}},
        "reason": "The bank confirmed them.",
        "expected": 3,
        "digest": "3f1c6f0b3ad4a3c5",
    },
    "ReassignIn": {"reason": "Only this machine reaches the printer.", "to": "wedworker#1@print"},
    "NextCaseIn": {"queue": "cards", "minutes": 20},
    "ClaimIn": {"minutes": 30},
    "NoteIn": {"note": "The photo shows it."},
    "CaseFileIn": {"name": "letter.txt", "content": "RGVhciBBbm4sCg=="},
    "CommentIn": {"text": "The bank is asked."},
    "WaitIn": {"until": "2026-12-24T09:00:00Z", "text": "The bank answers tomorrow."},
    "CaseChangesIn": {"priority": 80, "reason_code": "declined"},
    "RematchIn": {"reason": "A condition was corrected."},
    "SlaIn": {
        "name": "answer",
        "duration": 14_400,
        "start_when": "stage = 'open'",
        "stop_when": "stage = 'answered'",
        "calendar": "office",
    },
    "CalendarIn": {
        "name": "office",
        "zone": "Europe/Berlin",
        "hours": {"1": [["09:00", "12:30"], ["13:30", "18:00"]]},
        "holidays": {"2026-12-25": "Christmas"},
    },
    "SavedViewIn": {"name": "Large orders", "flow": "order", "query": "amount>=100", "columns": ["customer"]},
}
