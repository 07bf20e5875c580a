"""Clustering of points: CLARA, and the gap statistic for the number of clusters.

`points` has rows of metrics and their distances, `clara` finds clusters, `dispersion` computes how
wide they are, `gap` how many there are; `columns` converts Arrow columns to matrices and back,
`sql` has the functions for SQL.
"""
