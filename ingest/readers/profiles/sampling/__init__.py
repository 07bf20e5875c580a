"""Sampling profiles: call stacks with the weight that was sampled in them, as many tools write.

What lands, for each call path of each thread: its own weight and that with its callees, in which
recursion counts once. Time lands in fn_timings, in seconds; every other weight, also the number of
samples, in pmu_samples with the call path as region.
"""
