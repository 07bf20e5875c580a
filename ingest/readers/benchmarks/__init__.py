"""Readers of what benchmarks, tests and commands measured."""
