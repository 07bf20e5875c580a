"""GPGPU-Sim: functional and timing traces, one line per executed thread instruction."""
