#include <stdio.h>
#include <stdlib.h>

#include "cJSON.h"

/* Parse a document and print it. */
void program(int times) {
  for (int t = 0; t < times; t++) {
    cJSON *all = cJSON_CreateArray();
    for (int i = 0; i < 6000; i++) {
      cJSON *one = cJSON_CreateObject();
      cJSON_AddNumberToObject(one, "number", i * 1.5);
      cJSON_AddStringToObject(one, "name", "a name with \"quotes\"");
      cJSON_AddItemToArray(all, one);
    }
    char *text = cJSON_Print(all);
    cJSON *again = cJSON_Parse(text);
    if (cJSON_GetArraySize(again) != 6000) abort();
    cJSON_Delete(again);
    cJSON_Delete(all);
    free(text);
  }
}
