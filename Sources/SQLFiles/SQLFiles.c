/* The SQL as C's #embed takes it in. SwiftPM's .embedInCode would make Swift literals of it, which take the compiler
   many seconds whenever a file of their module changes. A changed SQL file is seen, as a header is. */
#include "SQLFiles.h"

/* clang 19 and later know #embed in every C standard. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char statements[] = {
#embed "../../sql/queries/claim.sql" suffix(, )
#embed "../../sql/queries/touches.sql" suffix(, )
#embed "../../sql/queries/intents.sql" suffix(, )
#embed "../../sql/queries/settlement.sql" suffix(, )
#embed "../../sql/queries/ownership.sql" suffix(, )
#embed "../../sql/queries/fan_out.sql" suffix(, )
#embed "../../sql/queries/previews.sql" suffix(, )
#embed "../../sql/queries/status.sql" suffix(, )
#embed "../../sql/queries/pause.sql" suffix(, )
#embed "../../sql/queries/explain.sql" suffix(, )
#embed "../../sql/queries/restore.sql" suffix(, )
#embed "../../sql/queries/doctor.sql" suffix(, )
#embed "../../sql/queries/report.sql" suffix(, )
#embed "../../sql/queries/upkeep.sql" suffix(, )
#embed "../../sql/queries/migration.sql" suffix(, )
    0};

const char *nudged_statements(void) { return statements; }

static const char app_tables[] = {
#embed "../../sql/0001_app_tables.sql" suffix(, 0)
};
static const char person_and_ownership[] = {
#embed "../../sql/0002_person_and_ownership.sql" suffix(, 0)
};
static const char messages[] = {
#embed "../../sql/0003_messages.sql" suffix(, 0)
};
static const char reminders[] = {
#embed "../../sql/0004_reminders.sql" suffix(, 0)
};
static const char record[] = {
#embed "../../sql/0005_record.sql" suffix(, 0)
};
static const char roles[] = {
#embed "../../sql/0006_roles.sql" suffix(, 0)
};
static const char templates_and_operations[] = {
#embed "../../sql/0007_templates_and_operations.sql" suffix(, 0)
};
static const char answers[] = {
#embed "../../sql/0008_answers.sql" suffix(, 0)
};
static const char previews[] = {
#embed "../../sql/0009_previews.sql" suffix(, 0)
};
static const char app[] = {
#embed "../../sql/0010_app.sql" suffix(, 0)
};

static const char *const migrations[] = {
    app_tables, person_and_ownership, messages, reminders, record, roles, templates_and_operations, answers,
    previews, app,
};

const char *_Nullable nudged_migration(int number) {
    int count = sizeof migrations / sizeof migrations[0];
    return number < 1 || number > count ? 0 : migrations[number - 1];
}
