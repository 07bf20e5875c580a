"""Neutral tables of task runtimes: a folder of CSV or Parquet files."""
