"""The parts of the workbench: the draft and the current run, and one class for each kind of request or wait."""
