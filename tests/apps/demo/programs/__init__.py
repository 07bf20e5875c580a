"""The programs that made the demo's recordings; record.sh runs them."""
