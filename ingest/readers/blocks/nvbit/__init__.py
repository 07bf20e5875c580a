"""Reader of warp traces that Accel-Sim's NVBit tracer records on real GPUs."""
