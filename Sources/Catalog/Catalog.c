/* The catalog and the report's style sheet as C's #embed takes them in. */
#include "Catalog.h"

/* clang 19 and later know #embed in every C standard. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char catalog[] = {
#embed "../../systemd/nudged.catalog" suffix(, )
    0};

const char *nudged_catalog(void) { return catalog; }

static const char report_style[] = {
#embed "report.css" suffix(, )
    0};

const char *nudged_report_style(void) { return report_style; }
