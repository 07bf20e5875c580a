-- The rows of a Parquet file of labels.
SELECT * FROM read_parquet($path)
