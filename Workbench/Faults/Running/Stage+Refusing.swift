extension Stage {
    /// Makes the server refuse statements on a table with an SQLSTATE, by a trigger `judge_refuses`.
    ///
    /// - Parameters:
    ///   - events: `insert`, `insert or update` …
    ///   - share: how many of a hundred are refused, drawn by the statement's number (which outlives the statements that are rolled back). Drawn and not counted:
    ///     a sweep that asks as many statements as a count has would meet the same refusal each time.
    public func refuse(_ table: String, on events: String, state: String, share: Int) async throws {
        let name = table.filter { $0.isLetter }
        try await sql(
            """
            create sequence if not exists public.judge_\(name);
            create or replace function public.judge_\(name)() returns trigger language plpgsql security definer as $$
            begin
                if abs(hashint8(nextval('public.judge_\(name)')) % 100) < \(share) then
                    raise exception 'refused by the judge' using errcode = '\(state)';
                end if;
                return null;
            end $$;
            create or replace trigger judge_refuses before \(events) on \(table) for each statement execute function public.judge_\(name)();
            """
        )
    }

    /// The server takes everything again.
    public func relent(_ table: String) async throws {
        try await sql("drop trigger if exists judge_refuses on \(table)")
    }

    /// How many statements on the table were counted: so many times the trigger was asked.
    public func asked(_ table: String) async throws -> Int {
        try await number(
            "select case when is_called then last_value else 0 end from public.judge_\(table.filter { $0.isLetter })"
        )
    }
}
