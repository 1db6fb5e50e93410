#pragma once

#pragma clang assume_nonnull begin

/* systemd/nudged.catalog. */
const char *nudged_catalog(void);

#pragma clang assume_nonnull end
