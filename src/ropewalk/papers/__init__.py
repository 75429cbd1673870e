"""The papers: their tables and figures beside ours."""
