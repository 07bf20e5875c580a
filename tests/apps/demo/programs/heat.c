/* The plate in C on three threads, for a trace of its basic blocks and for its machine code.
 *
 *     gcc -O2 -fno-inline -pthread -o heat heat.c
 *
 * Every thread sweeps a strip of rows. After every fourth sweep the first thread saves the whole
 * plate as text while the others wait for it.
 */
#include <pthread.h>
#include <stdio.h>

enum { SIZE = 64, SWEEPS = 40, SAVE_EVERY = 4, THREADS = 3 };

static double plate[2][SIZE][SIZE];
static char text[SIZE * SIZE * 12];
static double largest[THREADS];
static pthread_barrier_t all_done;

static void sweep(double (*new)[SIZE], double (*old)[SIZE], int first, int last)
{
    for (int y = first; y < last; y++)
        for (int x = 1; x < SIZE - 1; x++)
            new[y][x] = 0.25 * (old[y - 1][x] + old[y + 1][x] + old[y][x - 1] + old[y][x + 1]);
}

static double change(double (*new)[SIZE], double (*old)[SIZE], int first, int last)
{
    double most = 0;
    for (int y = first; y < last; y++)
        for (int x = 1; x < SIZE - 1; x++) {
            double d = new[y][x] > old[y][x] ? new[y][x] - old[y][x] : old[y][x] - new[y][x];
            if (d > most)
                most = d;
        }
    return most;
}

static char *write_number(char *to, long hundredths)
{
    char digits[12];
    int n = 0;
    do {
        digits[n++] = (char)('0' + hundredths % 10);
        hundredths /= 10;
    } while (hundredths);
    while (n)
        *to++ = digits[--n];
    return to;
}

static void save(double (*new)[SIZE])
{
    char *to = text;
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            to = write_number(to, (long)(new[y][x] * 100));
            *to++ = x < SIZE - 1 ? ',' : '\n';
        }
    *to = 0;
}

static void *work(void *argument)
{
    int rank = (int)(long)argument;
    int first = 1 + rank * (SIZE - 2) / THREADS, last = 1 + (rank + 1) * (SIZE - 2) / THREADS;
    for (int number = 1; number <= SWEEPS; number++) {
        sweep(plate[number & 1], plate[~number & 1], first, last);
        largest[rank] = change(plate[number & 1], plate[~number & 1], first, last);
        pthread_barrier_wait(&all_done);
        if (number % SAVE_EVERY == 0) {
            if (rank == 0)
                save(plate[number & 1]);
            pthread_barrier_wait(&all_done);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int x = 0; x < SIZE; x++)
        plate[0][0][x] = plate[1][0][x] = 100;
    pthread_barrier_init(&all_done, NULL, THREADS);
    for (long rank = 1; rank < THREADS; rank++)
        pthread_create(&threads[rank], NULL, work, (void *)rank);
    work((void *)0);
    for (int rank = 1; rank < THREADS; rank++)
        pthread_join(threads[rank], NULL);
    for (int rank = 0; rank < THREADS; rank++)
        printf("strip %d changed by %g last\n", rank, largest[rank]);
    return 0;
}
