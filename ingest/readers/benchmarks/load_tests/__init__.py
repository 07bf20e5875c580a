"""Load tests of servers, and benchmarks of machines."""
