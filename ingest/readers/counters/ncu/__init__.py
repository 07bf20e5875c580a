"""NVIDIA Nsight Compute: counters of kernels, and its source page."""
