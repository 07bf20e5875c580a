"""StarPU: tasks.rec, data.rec and paje.trace."""
