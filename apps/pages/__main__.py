"""The script that `pwh ui` passes to Streamlit."""

from __future__ import annotations

from apps.pages.dashboard import main

main()
