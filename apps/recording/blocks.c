/* Measures blocks of x86-64 machine code: core cycles of one pass in the steady state.

   Reads lines "HEX FEW MANY REGISTER BASE STEP" and writes a line each: "position signal values".
   A block is laid out FEW and MANY times in a row, or, where REGISTER is not -1, is a loop that
   runs FEW and MANY times when that register begins with BASE + times * STEP. The difference of
   both times, over that of the numbers, is the value of one pass, in cycles of a chain of additions
   that is timed beside it, so that the clock rate does not matter; 0 where a pass failed.

   All registers begin with one valid address. Every page that a block touches is mapped to the same
   physical page, so that there are no cache misses. A child measures; where a block ends it by a
   signal, which is printed, another child goes on behind that block. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, PASSES = 5, CALIBRATIONS = 3, TIMES = 6, PAGES = 512, LONGEST = 1 << 18 };
/* Fixed and below 2 GiB, so that instructions can hold them. */
#define CONTROL 0x10000000u
#define DATA 0x12345000u
#define ADDRESS 0x12345800u
/* Ticks of a timed stretch: short against a time slice, long against the steps of the counter. */
#define STRETCH 40000u
#define CHAIN 600

struct control { uint64_t began, ended, count, stack; uint32_t flush, plain; };
struct shared { volatile int position, signal; volatile double values[PASSES]; };
struct block { unsigned char *code; int length, few, many, loop; long long base, step; };

static struct control *control = (struct control *)(uintptr_t)CONTROL;
static struct shared *shared;
static unsigned char *code;
static int memory, mapped, has_avx;
static uintptr_t pages[PAGES];

static void on_signal(int number, siginfo_t *info, void *unused) {
  uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1);
  (void)unused;
  if (number == SIGSEGV && info->si_code == SEGV_MAPERR && page >= 65536 && mapped < PAGES &&
      mmap((void *)page, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, memory,
           0) == (void *)page) {
    pages[mapped++] = page;
    return;
  }
  shared->signal = number;
  _exit(1);
}

static unsigned char *bytes(unsigned char *at, const char *text, int length) {
  memcpy(at, text, length);
  return at + length;
}
#define EMIT(text) at = bytes(at, text, sizeof(text) - 1)

static unsigned char *word(unsigned char *at, uint32_t value) {
  memcpy(at, &value, 4);
  return at + 4;
}

static uint32_t field(void *place) { return (uint32_t)(uintptr_t)place; }

static unsigned char *timestamp(unsigned char *at, uint64_t *place) {
  EMIT("\x0f\xae\xe8\x0f\x31\x0f\xae\xe8");   /* lfence; rdtsc; lfence */
  EMIT("\x48\xc1\xe2\x20\x48\x09\xd0");       /* shl rdx,32; or rax,rdx */
  EMIT("\x48\x89\x04\x25");                   /* mov [place],rax */
  return word(at, field(place));
}

/* Write a function that runs a block so many times in a row, control->count times. */
static void write_code(const struct block *b, int times) {
  unsigned char *at = code, *again;
  int copies = b->loop < 0 ? times : 1;
  EMIT("\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57");  /* push rbx, rbp, r12 .. r15 */
  EMIT("\x48\x89\x24\x25"); at = word(at, field(&control->stack));
  EMIT("\x0f\xae\x14\x25"); at = word(at, field(&control->flush)); /* ldmxcsr */
  at = timestamp(at, &control->began);
  again = at;
  if (has_avx) EMIT("\xc5\xf8\x77");  /* vzeroupper */
  for (int k = 0; k < 16; k++) {      /* movups xmm,[ADDRESS] */
    if (k >= 8) *at++ = 0x44;
    EMIT("\x0f\x10");
    *at++ = (unsigned char)((k & 7) << 3 | 4);
    *at++ = 0x25;
    at = word(at, ADDRESS);
  }
  EMIT("\xfc");  /* cld */
  for (int k = 0; k < 16; k++) {
    uint64_t value = k == b->loop ? (uint64_t)(b->base + times * b->step) : ADDRESS;
    *at++ = k >= 8 ? 0x49 : 0x48;
    *at++ = (unsigned char)(0xb8 + (k & 7));
    memcpy(at, &value, 8);
    at += 8;
  }
  EMIT("\x85\xc0\x0f\xae\xe8");  /* test eax,eax; lfence */
  for (int k = 0; k < copies; k++) at = bytes(at, (char *)b->code, b->length);
  EMIT("\x0f\xae\xe8\x48\xff\x0c\x25"); at = word(at, field(&control->count)); /* lfence; dec */
  EMIT("\x0f\x85"); at = word(at, (uint32_t)(again - (at + 4)));               /* jnz again */
  EMIT("\x48\x8b\x24\x25"); at = word(at, field(&control->stack));
  at = timestamp(at, &control->ended);
  if (has_avx) EMIT("\xc5\xf8\x77");
  EMIT("\xdb\xe3\x0f\xae\x14\x25"); at = word(at, field(&control->plain));     /* fninit */
  EMIT("\xfc\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3");                    /* pop ..; ret */
}

static double ticks(int count) {
  for (uint64_t *p = (uint64_t *)(uintptr_t)DATA; p < (uint64_t *)(uintptr_t)(DATA + PAGE);)
    *p++ = ADDRESS;
  control->count = (uint64_t)count;
  ((void (*)(void))code)();
  return (double)(control->ended - control->began);
}

/* Return the least ticks of one repetition of a block that runs so many times in a row. */
static double least(const struct block *b, int times, int tries) {
  double best;
  int count;
  write_code(b, times);
  ticks(1);
  best = ticks(1);
  count = best < STRETCH ? (int)(STRETCH / (best + 1)) + 1 : 1;
  best = 1e300;
  for (int k = 0; k < tries; k++) {
    double one = ticks(count) / count;
    if (one < best) best = one;
  }
  return best;
}

static double pass(const struct block *b, int tries) {
  double low = least(b, b->few, tries);
  return (least(b, b->many, tries) - low) / (b->many - b->few);
}

static void measure(const struct block *b) {
  static unsigned char add[] = {0x48, 0x01, 0xc8};  /* add rax,rcx: one cycle after the other */
  const struct block chain = {add, 3, CHAIN / 2, CHAIN, -1, 0, 0};
  least(b, b->many, 1);  /* maps the pages, warms up */
  for (int k = 0; k < PASSES; k++) {
    double clock = pass(&chain, CALIBRATIONS);
    shared->values[k] = clock > 0 ? pass(b, TIMES) / clock : 0;
  }
  while (mapped > 0) munmap((void *)pages[--mapped], PAGE);
}

static void child(const struct block *blocks, int from, int count) {
  static char stack[1 << 16];
  stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  const int numbers[] = {SIGSEGV, SIGILL, SIGFPE, SIGBUS, SIGTRAP, SIGPROF, SIGSYS};
  sigaltstack(&other, NULL);
  for (unsigned k = 0; k < sizeof numbers / sizeof *numbers; k++)
    sigaction(numbers[k], &action, NULL);
  for (int k = from; k < count; k++) {
    shared->position = k;
    /* of its own time: on a busy machine a block waits for the processor */
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = 3}}, NULL);
    measure(&blocks[k]);
    printf("%d 0", k);
    for (int p = 0; p < PASSES; p++) printf(" %.5f", shared->values[p]);
    printf("\n");
    fflush(stdout);
  }
  _exit(0);
}

static int parse(char *line, struct block *b) {
  static char hex[2 * LONGEST + 1];
  if (sscanf(line, "%524288s %d %d %d %lld %lld", hex, &b->few, &b->many, &b->loop, &b->base,
             &b->step) != 6) return 0;
  b->length = (int)strlen(hex) / 2;
  b->code = malloc((size_t)b->length + 1);
  for (int k = 0; k < b->length; k++) {
    unsigned value;
    sscanf(hex + 2 * k, "%2x", &value);
    b->code[k] = (unsigned char)value;
  }
  return (size_t)b->length * (size_t)(b->loop < 0 ? b->many : 1) < LONGEST - PAGE;
}

static void *fixed(uintptr_t where, int file) {
  void *got = mmap((void *)where, PAGE, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED_NOREPLACE | (file < 0 ? MAP_ANONYMOUS : 0), file, 0);
  if (got != (void *)where) { perror("mmap"); exit(2); }
  return got;
}

int main(int argc, char **argv) {
  struct block *blocks = NULL;
  int count = 0, from = 0, room = 0;
  char *line = NULL;
  size_t size = 0;
  if (argc > 1) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(atoi(argv[1]), &set);
    if (sched_setaffinity(0, sizeof set, &set)) { perror("sched_setaffinity"); return 2; }
  }
  while (getline(&line, &size, stdin) > 0) {
    if (count == room) blocks = realloc(blocks, sizeof *blocks * (size_t)(room = 2 * room + 64));
    if (!parse(line, &blocks[count++])) { fprintf(stderr, "line %d\n", count); return 2; }
  }
  __builtin_cpu_init();
  has_avx = __builtin_cpu_supports("avx");
  memory = memfd_create("page", 0);
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  code = mmap(NULL, LONGEST + PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory < 0 || ftruncate(memory, PAGE) || shared == MAP_FAILED || code == MAP_FAILED) {
    perror("memory");
    return 2;
  }
  fixed(CONTROL, -1);
  fixed(DATA, memory);
  control->flush = 0x9fc0;  /* denormal numbers count as 0, no exceptions */
  control->plain = 0x1f80;
  while (from < count) {
    int status;
    pid_t worker;
    shared->position = from;  /* before the child begins, which may have ended when we go on */
    shared->signal = 0;
    worker = fork();
    if (worker < 0) { perror("fork"); return 2; }
    if (!worker) child(blocks, from, count);
    waitpid(worker, &status, 0);
    if (WIFEXITED(status) && !WEXITSTATUS(status)) break;
    printf("%d %d\n", shared->position,
           WIFSIGNALED(status) ? WTERMSIG(status) : shared->signal ? shared->signal : SIGKILL);
    fflush(stdout);
    from = shared->position + 1;
  }
  return 0;
}
