"""Calls the command line with each line of standard input, a JSON list of arguments, and prints each call's result.

For calls with other privileges or limits than the tests': one process loads Headlight once for all calls.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.in_process import run_headlight

for line in sys.stdin:
    result = run_headlight(*json.loads(line), cwd=Path.cwd())
    print(json.dumps([result.returncode, result.stdout, result.stderr]))
