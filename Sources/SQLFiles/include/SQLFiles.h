#pragma once

#pragma clang assume_nonnull begin

/* The files of sql/queries, one after the other. */
const char *nudged_statements(void);

/* The migration of sql/ with this number, from 1; NULL: there is none. */
const char *_Nullable nudged_migration(int number);

#pragma clang assume_nonnull end
