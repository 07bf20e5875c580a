"""Rights of people in the app, where it has a login."""

from __future__ import annotations

ROLES = ("read", "acknowledge", "ingest")
"""Each includes those before it. Who acknowledges also saves queries."""
