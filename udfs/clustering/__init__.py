"""Clustering of points: CLARA, and the gap statistic that says how many clusters there are.

`points` holds rows of metrics and their distances, `clara` finds clusters, `dispersion` says how
wide they are, `gap` how many; `columns` turns Arrow columns into matrices and back, `sql` holds
the functions for SQL.
"""
