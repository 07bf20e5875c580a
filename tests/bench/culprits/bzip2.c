#include <stdlib.h>

#include "bzlib.h"

/* Compress a text. */
void program(int times) {
  unsigned size = 150000, space = size * 2;
  char *text = malloc(size), *out = malloc(space);
  for (unsigned i = 0; i < size; i++) text[i] = "etaoin shrdlu"[(i * i / 7 + i % 11) % 13];
  for (int t = 0; t < times; t++) {
    unsigned used = space;
    if (BZ2_bzBuffToBuffCompress(out, &used, text, size, 9, 0, 0) != BZ_OK) abort();
  }
  free(text);
  free(out);
}
