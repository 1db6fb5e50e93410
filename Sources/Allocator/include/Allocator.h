#pragma once

/* jemalloc's settings: it reads this name before main. */
extern const char *_Nonnull malloc_conf;
