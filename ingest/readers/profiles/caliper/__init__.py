"""Caliper profiles: .cali streams and the JSON that Hatchet reads."""
