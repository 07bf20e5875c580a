"""Which bottleneck limits a sample of hardware counters, and what removing it can gain.

The classes and the first method are those of a deep-learning performance-analysis framework for the
Sunway TaihuLight (Feng, Liu, He, 2018); `training` has the training data, `autoencoder` the
framework's own classifier, `baselines` the classifiers that it is compared with, `costs` the shares
of the cycles that each component costs (trained by `cost_training`), `contested` the counters that
programs of different bottlenecks share; `judging` applies a stored model, `build` trains one,
`validation` scores it, `fit` does all of this and chooses, `apply` is the function for SQL.
"""
