-- What is in the warehouse?
SELECT reader, count(*) AS files, sum(rows) AS rows, sum(bytes) AS bytes
FROM sources
GROUP BY reader
ORDER BY reader
