#include "Allocator.h"

/* One arena for all but very large blocks: a sweep moves between threads, and would hold its memory once in each arena.
   Each thread keeps few free blocks of each size: more would cost memory and save no time. A thread of jemalloc gives
   what is free back to the system, within about a second. */
const char *malloc_conf = "narenas:1,tcache_nslots_small_max:20,background_thread:true,dirty_decay_ms:1000";
