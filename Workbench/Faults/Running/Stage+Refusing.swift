extension Stage {
    /// Makes the server refuse statements on a table with an SQLSTATE, by a trigger `fault_refuses`.
    ///
    /// - Parameters:
    ///   - events: `insert`, `insert or update` and so on.
    ///   - share: how many in a hundred are refused. The statement's number in a sequence decides, since a rollback
    ///     doesn't reset that. It is not every N-th, because a sweep of N statements would always meet the same
    ///     refusal.
    public func refuse(_ table: String, on events: String, state: String, share: Int) async throws {
        let name = table.filter { $0.isLetter }
        try await sql(
            """
            create sequence if not exists public.fault_\(name);
            create or replace function public.fault_\(name)() returns trigger language plpgsql security definer as $$
            begin
                if abs(hashint8(nextval('public.fault_\(name)')) % 100) < \(share) then
                    raise exception 'refused by the fault script' using errcode = '\(state)';
                end if;
                return null;
            end $$;
            create or replace trigger fault_refuses before \(events) on \(table) for each statement execute function public.fault_\(name)();
            """
        )
    }

    /// Ends the refusals.
    public func relent(_ table: String) async throws {
        try await sql("drop trigger if exists fault_refuses on \(table)")
    }

    /// How many statements on the table the trigger has checked.
    public func asked(_ table: String) async throws -> Int {
        try await number(
            "select case when is_called then last_value else 0 end from public.fault_\(table.filter { $0.isLetter })"
        )
    }
}
