"""Statistics of a system over time: the tools of sysstat, and vmstat."""
