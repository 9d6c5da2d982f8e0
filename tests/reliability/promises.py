"""The promises of docs/reliability.md by number; `tests/reliability/test_NAME.py` tests the promise called NAME."""

PROMISES = {
    1: "atomic",
    2: "exact_resume",
    3: "signals",
    4: "disk",
    5: "damage",
    6: "strangers_files",
    7: "numbers",
    8: "plugins",
    9: "window",
    10: "memory",
    11: "two_at_once",
    12: "upgrades",
    13: "time_and_place",
    14: "no_network",
}
