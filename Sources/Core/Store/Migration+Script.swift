extension Migration {
    /// The migrations after a number as one script, for psql or a migration tool. It does what `Migrator` does, and
    /// writes the rows by which `Migrator` later finds them applied. It begins and ends no transaction: the tools do
    /// that.
    package static func script(after last: Int32 = 0, usesTemplates: Bool = false) -> String {
        let wanted = all.filter { $0.number > last }
        guard let first = wanted.first, let final = wanted.last else {
            return "-- nudged has no migration after \(last).\n"
        }
        var text = """
            -- The schema of nudged, migrations \(first.label) to \(final.label) (nudged migrate --sql).
            -- Apply it in one transaction, as the role that owns the app's tables. First run nudged migrate --dry-run:
            -- it says what is in the way, and which tables are made. If a table stays locked for 3 s, the script ends
            -- with 55P03; then repeat it.

            -- Nothing that other roles may have made in another schema is called.
            select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

            \(Migrator.preparation)
            -- Waits for another migrator. In a block, since some tools send a statement in a transaction that LOCK
            -- doesn't recognise.
            do $$ begin \(Migrator.lock.sql); end $$;
            select set_config('lock_timeout', '\(Int64(LockPatience().wait / .milliseconds(1)))', true);

            """
        for migration in wanted {
            text += """

                -- \(migration.label)

                \(migration.script)
                insert into nudged.migration (number, name, checksum, oldest)
                values (\(migration.number), '\(migration.name)', \(migration.checksum), \(migration.oldest));

                """
        }
        if usesTemplates { text += "\n\(Migrator.templateActivation);\n" }
        return text
    }
}
