/* Jacobi iteration on a square grid, rows shared out over the ranks: strong scaling. */

#include "profile.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 100, CHECK = 5 };

static int rank, ranks, width, height;

static void exchange(double *grid)
{
    profile_enter("exchange");
    MPI_Request requests[4];
    int open = 0;
    double *first = grid + width, *last = grid + (size_t)height * width;
    if (rank > 0) {
        MPI_Irecv(grid, width, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, &requests[open++]);
        MPI_Isend(first, width, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, &requests[open++]);
    }
    if (rank < ranks - 1) {
        MPI_Irecv(last + width, width, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, &requests[open++]);
        MPI_Isend(last, width, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD, &requests[open++]);
    }
    MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
    profile_leave();
}

static void relax(const double *old, double *grid)
{
    profile_enter("relax");
    for (int y = 1; y <= height; y++)
        for (int x = 1; x < width - 1; x++) {
            const double *at = old + (size_t)y * width + x;
            grid[(size_t)y * width + x] = 0.25 * (at[-1] + at[1] + at[-width] + at[width]);
        }
    profile_leave();
}

static double residual(const double *old, const double *grid)
{
    profile_enter("residual");
    double mine = 0, all = 0;
    for (size_t i = width; i < (size_t)(height + 1) * width; i++)
        mine += (grid[i] - old[i]) * (grid[i] - old[i]);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    profile_leave();
    return sqrt(all);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 4 || atoi(argv[1]) < ranks) {
        fprintf(stderr, "usage: %s WIDTH REPETITION CSV\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    profile_enter("main");
    width = rank ? 0 : atoi(argv[1]);
    MPI_Bcast(&width, 1, MPI_INT, 0, MPI_COMM_WORLD);
    height = width / ranks + (rank < width % ranks);
    size_t cells = (size_t)(height + 2) * width;
    double *old = calloc(cells, sizeof *old), *grid = calloc(cells, sizeof *grid);
    for (int x = 0; rank == 0 && x < width; x++)
        old[x] = grid[x] = 1;
    double left = 0, worst = 0;
    for (int step = 1; step <= STEPS; step++) {
        exchange(old);
        relax(old, grid);
        if (step % CHECK == 0)
            left = residual(old, grid);
        double *swap = old;
        old = grid;
        grid = swap;
    }
    MPI_Reduce(&left, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    profile_leave();
    profile_write(argv[3], "stencil", atoi(argv[2]), (long)width * width);
    free(old);
    free(grid);
    MPI_Finalize();
    return 0;
}
