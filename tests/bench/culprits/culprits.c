/* An open program with a slowdown of known place and mechanism in it; see bench_culprits.
   culprits MECHANISM before|after SECONDS */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __cplusplus
#define EXTERN extern "C"
#else
#define EXTERN
#endif
EXTERN void program(int times);

#define KEPT __attribute__((noinline))
static volatile long sink;
static const int CALLS = 8;

/* A loop, ten times as long. */
KEPT static void checksum(double seconds, int slow) {
  unsigned long hash = 1;
  for (long i = 0, n = (long)(seconds * 7e8 * (slow ? 1 : .1)); i < n; i++)
    hash = hash * 31 + (hash >> 7) + i;
  sink = hash;
}

/* A table that is read in order, or as no cache likes. */
static unsigned *table;
static const unsigned SIZE = 1u << 24;
KEPT static void gather(double seconds, int slow) {
  unsigned at = 0, total = 0, step = slow ? 1048583u : 1u;
  for (long i = 0, n = (long)(seconds * 8e7); i < n; i++) {
    at = (at + step) % SIZE;
    total += table[at];
  }
  sink = total;
}

/* A lock that another thread holds for long. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static void *holder(void *seconds) {
  pthread_mutex_lock(&mutex);
  pthread_barrier_wait(&barrier);
  usleep((useconds_t)(1e6 * *(double *)seconds));
  pthread_mutex_unlock(&mutex);
  return NULL;
}
KEPT static void publish(double seconds, int slow) {
  pthread_t other;
  double held = slow ? seconds : seconds / 50;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&other, NULL, holder, &held);
  pthread_barrier_wait(&barrier);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(other, NULL);
}

/* A buffer that is kept, or a new one every time. */
KEPT static void assemble(double seconds, int slow) {
  static char *kept;
  const size_t size = 64 << 20;  /* the heap keeps no block that large */
  if (!kept) kept = (char *)calloc(1, size);
  for (int i = 0, n = (int)(seconds * 40) + 1; i < n; i++) {
    char *buffer = slow ? (char *)malloc(size) : kept;
    for (size_t at = 0; at < size; at += 4096) buffer[at] = (char)i;
    sink = buffer[size / 2];
    if (slow) free(buffer);
  }
}

/* Records that are written, or wait for the disk. */
KEPT static void journal(double seconds, int slow) {
  char name[] = "/tmp/journal-XXXXXX", line[4096] = {0};
  int file = mkstemp(name);
  for (int i = 0, n = (int)(seconds * 600) + 1; i < n; i++) {
    if (write(file, line, sizeof line) < 0) abort();
    if (slow) fsync(file);
  }
  close(file);
  unlink(name);
}

/* A pause that got longer. */
KEPT static void settle(double seconds, int slow) {
  usleep((useconds_t)(1e6 * seconds * (slow ? 1 : .02)));
}

/* A recursion that goes deeper. */
KEPT static long descend(int n) { return n < 2 ? n : descend(n - 1) + descend(n - 2); }
KEPT static void visit(double seconds, int slow) {
  int n = 25;
  for (double left = seconds * 7000; left > 1; left /= 1.618) n++;
  sink = descend(n - (slow ? 0 : 5));
}

/* A loop that was vectorised. */
static float *values;
static const int VALUES = 1 << 16;
KEPT __attribute__((optimize("O3"))) static void scale_wide(int times) {
  for (int t = 0; t < times; t++) {
    for (int i = 0; i < VALUES; i++) values[i] = values[i] * .5f + 1;
    __asm__ volatile("" ::: "memory");
  }
}
KEPT __attribute__((optimize("O1,no-tree-vectorize"))) static void scale_narrow(int times) {
  for (int t = 0; t < times; t++) {
    for (int i = 0; i < VALUES; i++) values[i] = values[i] * .5f + 1;
    __asm__ volatile("" ::: "memory");
  }
}
KEPT static void scale(double seconds, int slow) {
  (slow ? scale_narrow : scale_wide)((int)(seconds * 50000) + 1);
}

/* The sort of the library, or one's own. */
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
KEPT static void arrange(double seconds, int slow) {
  int n = 4000, *items = (int *)malloc(n * sizeof(int));
  for (int t = 0, times = (int)(seconds * 600) + 1; t < times; t++) {
    for (int i = 0; i < n; i++) items[i] = (int)((i * 7919L) % 10007);
    if (!slow) {
      qsort(items, n, sizeof(int), compare);
    } else {
      for (int i = 1; i < n; i++) {
        int item = items[i], j = i;
        for (; j > 0 && items[j - 1] > item; j--) items[j] = items[j - 1];
        items[j] = item;
      }
    }
    sink = items[n / 2];
  }
  free(items);
}

/* A table that is made once, or anew in each call. */
KEPT static void prepare(double seconds, int slow) {
  static double logs[4096];
  static int made;
  for (int t = 0, n = (int)(seconds * 25000) + 1; t < n && (slow || !made); t++) {
    for (int i = 0; i < 4096; i++) {
      double x = 1 + i, sum = 0;
      for (int k = 0; k < 8; k++) sum += x / (k + x);
      logs[i] = sum;
    }
    made++;
  }
  sink = (long)logs[17];
}

static const struct {
  const char *name;
  void (*run)(double, int);
} MECHANISMS[] = {
    {"more_work", checksum},    {"worse_locality", gather}, {"lock", publish},
    {"allocation", assemble},   {"fsync", journal},         {"sleep", settle},
    {"recursion", visit},       {"scalar", scale},          {"slower_library", arrange},
    {"warm_up", prepare},       {"neighbour", NULL},
};

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  int slow = !strcmp(argv[2], "after");
  double seconds = atof(argv[3]);
  if (!strcmp(argv[1], "worse_locality")) {
    table = (unsigned *)malloc(SIZE * sizeof(unsigned));
    for (unsigned i = 0; i < SIZE; i++) table[i] = i;
  }
  values = (float *)calloc(VALUES, sizeof(float));
  program((int)(seconds * 20) + 1);
  for (size_t m = 0; m < sizeof MECHANISMS / sizeof *MECHANISMS; m++)
    if (!strcmp(argv[1], MECHANISMS[m].name) && MECHANISMS[m].run)
      for (int call = 0; call < CALLS; call++) MECHANISMS[m].run(seconds / CALLS, slow);
  return 0;
}
