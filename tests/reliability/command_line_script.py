"""Calls the command line with each line of standard input, a JSON list of arguments, and prints what each call said.

For calls with other rights than the tests': a process for each would load Headlight as often.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.in_process import run_headlight

for line in sys.stdin:
    done = run_headlight(*json.loads(line), cwd=Path.cwd())
    print(json.dumps([done.returncode, done.stdout, done.stderr]))
