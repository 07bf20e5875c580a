"""The script that `pwh ui` gives to Streamlit.

Beside apps/dashboard.py lies the folder pages, which Streamlit would take for an app of its older
kind: the first link to a page would run that page's file instead.
"""

from __future__ import annotations

from apps.dashboard import main

main()
