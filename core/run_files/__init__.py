"""The kinds of file a run folder is made of; `core.run_folder` puts them together."""
