"""Clusters and maps of points: CLARA, k-means, principal components, self-organising maps.

`points` has rows of metrics and their distances, `clara` (by `fasterpam`, on samples) and `kmeans`
find clusters, `dispersion` computes how wide they are, `gap` how many there are; `components` finds
the directions in which points vary most, `som` trains maps. `columns` converts Arrow columns to
matrices and back, `sql` has the functions for SQL.
"""
