/* The catalog as C's #embed takes it in. */
#include "Catalog.h"

/* clang 19 and later know #embed in every C standard. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char catalog[] = {
#embed "../../systemd/nudged.catalog" suffix(, )
    0};

const char *nudged_catalog(void) { return catalog; }
