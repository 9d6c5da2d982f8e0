"""What the workbench is made of: what is at hand, and each thing that is asked for or waits."""
