#include "Allocator.h"

/* One arena: a sweep moves between threads, and would hold its memory once in each arena. A thread keeps few free pieces
   of a size for itself: more take memory and gain nothing. jemalloc's own thread gives the system back what was free
   for a second. */
const char *malloc_conf = "narenas:1,tcache_nslots_small_max:20,background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";
