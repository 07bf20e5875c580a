/* A call-tree profiler for small MPI programs: own and inclusive time of every call path. */

#ifndef PROFILE_H
#define PROFILE_H

/* Go into and out of a function; name must be a literal, which is compared by its address. */
void profile_enter(const char *name);
void profile_leave(void);

/* Rank 0 writes the times of all ranks as CSV, whose columns are those of fn_timings and runs. */
void profile_write(const char *path, const char *app, int repetition, long problem_size);

#endif
