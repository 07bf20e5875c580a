"""Results of benchmarks, as the tools write them that run in continuous integration."""
