"""The precision that `auto` picks on a processor: measured once for a machine and size, and remembered."""
