"""Every figure and table of the five papers, ours beside the published numbers."""
