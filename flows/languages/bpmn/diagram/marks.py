"""The marks in events, gateways and tasks: paths around (0, 0), about 18 wide; true where they are filled."""

from __future__ import annotations

_ENVELOPE = "M-9,-6 H9 V6 H-9 Z M-9,-6 L0,1 L9,-6"
EVENT_MARKS = {
    "message": (_ENVELOPE, False),
    "timer": ("M10,0 A10,10 0 1 1 -10,0 A10,10 0 1 1 10,0 M0,-7 V0 L4,3", False),
    "error": ("M-8,7 L-3,-6 L2,2 L8,-8 L3,7 L-2,0 Z", False),
    "terminate": ("M10,0 A10,10 0 1 1 -10,0 A10,10 0 1 1 10,0 Z", True),
    "conditional": ("M-7,-9 H7 V9 H-7 Z M-5,-5 H5 M-5,0 H5 M-5,5 H5", False),
    "signal": ("M0,-8 L8,6 H-8 Z", False),
    "escalation": ("M0,-9 L7,8 L0,1 L-7,8 Z", False),
    "link": ("M-9,-3 H2 V-8 L10,0 L2,8 V3 H-9 Z", False),
    "compensate": ("M0,-6 V6 L-8,0 Z M8,-6 V6 L0,0 Z", False),
}
GATEWAY_MARKS = {
    "exclusiveGateway": "M-7,-7 L7,7 M-7,7 L7,-7",
    "parallelGateway": "M-10,0 H10 M0,-10 V10",
    "inclusiveGateway": "M9,0 A9,9 0 1 1 -9,0 A9,9 0 1 1 9,0",
    "complexGateway": "M-10,0 H10 M0,-10 V10 M-7,-7 L7,7 M-7,7 L7,-7",
    "eventBasedGateway": "M12,0 A12,12 0 1 1 -12,0 A12,12 0 1 1 12,0 M0,-8 L8,-2 L5,7 H-5 L-8,-2 Z",
}
MARKERS = {
    "parallel": "M-4,-6 V6 M0,-6 V6 M4,-6 V6",
    "sequential": "M-6,-4 H6 M-6,0 H6 M-6,4 H6",
    "loop": "M-3,5.2 A6,6 0 1 1 3,5.2 M-7,6 L-3,5.2 L-4,1",
    "inside": "M-7,-7 H7 V7 H-7 Z M-4,0 H4 M0,-4 V4",
}
"""The markers at the lower border of activities: how they are repeated, and that there is more inside."""
TASK_MARKS = {
    "userTask": ("M0,-1 A4,4 0 1 1 0.01,-1 M-8,8 C-8,0 8,0 8,8 Z", False),
    "manualTask": ("M-8,2 V-4 H0 V-7 H2 V-4 H8 V6 H-8 Z", False),
    "serviceTask": (
        "M4,0 A4,4 0 1 1 -4,0 A4,4 0 1 1 4,0 M0,-8 V-4 M0,4 V8 M-8,0 H-4 M4,0 H8 M-6,-6 L-3,-3"
        " M3,3 L6,6 M-6,6 L-3,3 M3,-3 L6,-6",
        False,
    ),
    "scriptTask": ("M-6,-8 H6 C0,-3 12,3 6,8 H-6 C0,3 -12,-3 -6,-8 M-3,-4 H3 M-2,0 H4 M-2,4 H4", False),
    "sendTask": (_ENVELOPE, True),
    "receiveTask": (_ENVELOPE, False),
    "businessRuleTask": ("M-8,-6 H8 V6 H-8 Z M-8,-2 H8 M-3,-6 V6", False),
}
