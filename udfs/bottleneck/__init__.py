"""Which one bottleneck holds a sample of hardware counters back, and what curing it can bring.

The classes and the first method are those of a deep-learning performance-analysis framework for
the Sunway TaihuLight (Feng, Liu, He, 2018); `training` says what a model learns from, `autoencoder`
is the framework's own classifier, `baselines` the ones beside it, `costs` the shares of the cycles
that each component costs (trained by `cost_training`), `judging` applies a stored model, `build`
trains one, `validation` and `transfer` score it, `fit` does all and chooses, `apply` is the
function for SQL.
"""
