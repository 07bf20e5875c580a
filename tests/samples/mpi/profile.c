/* The profiler, and PMPI wrappers that feed it. */

#include "profile.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64, TEXT = 256, LINE = 2 * TEXT };

static struct node {
    const char *name;
    int caller;
    long calls;
    double own, inclusive, entered;
} nodes[MOST];

static int count;
static int current = -1;
static double since;

void profile_enter(const char *name)
{
    double now = PMPI_Wtime();
    int n = 0;
    while (n < count && (nodes[n].caller != current || nodes[n].name != name))
        n++;
    if (n == MOST)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    if (n == count)
        nodes[count++] = (struct node){.name = name, .caller = current};
    if (current >= 0)
        nodes[current].own += now - since;
    nodes[n].entered = since = now;
    nodes[n].calls++;
    current = n;
}

void profile_leave(void)
{
    double now = PMPI_Wtime();
    nodes[current].own += now - since;
    nodes[current].inclusive += now - nodes[current].entered;
    since = now;
    current = nodes[current].caller;
}

static void path_of(int n, char *text)
{
    if (nodes[n].caller >= 0) {
        path_of(nodes[n].caller, text);
        strcat(text, "->");
    } else {
        text[0] = 0;
    }
    strcat(text, nodes[n].name);
}

void profile_write(const char *path, const char *app, int repetition, long problem_size)
{
    char lines[MOST * LINE] = "";
    int rank, ranks;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int n = 0; n < count; n++) {
        char callpath[TEXT];
        path_of(n, callpath);
        snprintf(lines + strlen(lines), LINE, "%s,%d,%d,%ld,%d,%d,%s,%s,%.7f,%.7f,%ld\n", app,
                 ranks, ranks, problem_size, rank, repetition, nodes[n].name, callpath,
                 nodes[n].own, nodes[n].inclusive, nodes[n].calls);
    }
    if (rank > 0) {
        PMPI_Send(lines, sizeof lines, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        return;
    }
    FILE *file = fopen(path, "w");
    if (!file)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    fputs("app,ranks,parallelism,problem_size,rank,repetition,function,callpath,seconds,"
          "inclusive_seconds,calls\n", file);
    for (int from = 0; from < ranks; from++) {
        if (from > 0)
            PMPI_Recv(lines, sizeof lines, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        fputs(lines, file);
    }
    fclose(file);
}

#define WRAPPED(name, parameters, arguments) \
    int MPI_##name parameters                \
    {                                        \
        profile_enter("MPI_" #name);         \
        int result = PMPI_##name arguments;  \
        profile_leave();                     \
        return result;                       \
    }

WRAPPED(Isend, (const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *r),
        (b, n, t, to, tag, c, r))
WRAPPED(Irecv, (void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request *r),
        (b, n, t, from, tag, c, r))
WRAPPED(Waitall, (int n, MPI_Request *r, MPI_Status *s), (n, r, s))
WRAPPED(Bcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c))
WRAPPED(Allreduce, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c),
        (a, b, n, t, o, c))
WRAPPED(Reduce, (const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, int root, MPI_Comm c),
        (a, b, n, t, o, root, c))
