#pragma once

#pragma clang assume_nonnull begin

/* systemd/nudged.catalog. */
const char *nudged_catalog(void);

/* report.css, the style sheet of the page that nudged report writes. */
const char *nudged_report_style(void);

#pragma clang assume_nonnull end
