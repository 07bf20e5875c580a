-- The rows of a CSV file of labels, all columns as text.
SELECT * FROM read_csv(
  $path, columns = $columns, delim = $delimiter, header = true, auto_detect = false,
  quote = '"', escape = '"'
)
