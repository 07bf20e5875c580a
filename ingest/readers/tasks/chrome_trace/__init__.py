"""Chrome's trace event format, and PyTorch Kineto's use of it."""
