import ArgumentParser
import LocalPostgres
import Postgres
import Core

/// `nudged-bench record`: the cost of a month of the record, compared with an empty record in the same run.
struct Record: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compares a full record with an empty one: appending, status, pruning."
    )

    @Option(help: "How many days the record has.") var days = 30
    @Option(help: "Rows per day.") var rowsADay = 200_000
    @Option(help: "Rows that each round appends.") var rows = 20_000
    @Option(help: "Rows per settlement.") var batch = 500
    @Option(help: "How many rounds. The result is their median.") var rounds = 5

    private struct Side {
        let store: Store
        let connection: Connection
        var append: [Double] = []
        var single: [Double] = []
        var status: [Double] = []
    }

    func run() async throws {
        let bench = try Workbench()
        defer { bench.stop() }
        try await bench.seed(users: 0)
        try bench.cluster.createDatabase(named: "empty", template: "bench")
        try bench.sql(Self.month(days, rowsADay), within: .seconds(3600))
        try bench.sql("vacuum (analyze) nudged.delivery", within: .seconds(3600))
        try bench.sql("checkpoint", within: .seconds(3600))
        let size = try bench.sql("select sum(pg_total_relation_size(relid)) from pg_partition_tree('nudged.delivery')")

        var sides: [Side] = []
        for database in ["empty", "bench"] {
            let configuration = try ConnectionConfiguration.parse(url: bench.cluster.url(database: database))
            let connection = try await Connection.open(configuration)
            sides.append(Side(store: Store(configuration: configuration), connection: connection))
        }
        // The first round is not counted, so that neither side pays for cold caches. Then they alternate.
        for round in 0...rounds { for index in sides.indices { try await measure(&sides[index], counts: round > 0) } }
        let plans = try await Self.plans(sides)
        let prunes = try await prune(sides[1])
        for side in sides {
            await side.store.close()
            await side.connection.close()
        }
        report(sides, plans, prunes, bytes: size.filter(\.isNumber))
    }

    /// A partition for each past day, and half a day of today. Users are random.
    private static func month(_ days: Int, _ rowsADay: Int) -> String {
        let append = """
            insert into nudged.delivery (user_id, kind, key, slot, device_hash, apns_id, outcome, status, attempted_at, sweep_id)
            select gen_random_uuid(), 'check_in', to_char(%1$s, 'YYYY-MM-DD'), %1$s, substr(md5(n::text), 1, 16), gen_random_uuid(),
                case when n %% 1000 = 0 then 'unknown' else 'accepted' end, 200, %1$s::timestamp at time zone 'UTC' + n * interval '1 day' / %2$s,
                gen_random_uuid()
            from generate_series(0, %2$s - 1) n where n %% %3$s = 0
            """
        return """
            do $$
            declare
                today date := (now() at time zone 'UTC')::date;
                day date;
            begin
                for day in select d::date from generate_series(today - \(days), today - 1, interval '1 day') d loop
                    if to_regclass('nudged.delivery_' || to_char(day, 'YYYYMMDD')) is null then
                        execute format('create table nudged.%I partition of nudged.delivery for values from (%L) to (%L)',
                            'delivery_' || to_char(day, 'YYYYMMDD'), day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
                    end if;
                    execute format($q$\(append)$q$, quote_literal(day) || '::date', \(rowsADay), 1);
                end loop;
                execute format($q$\(append)$q$, quote_literal(today) || '::date', \(rowsADay), 2);
            end
            $$
            """
    }

    // MARK: Appending and asking

    private func measure(_ side: inout Side, counts: Bool) async throws {
        var start = monotonicSeconds()
        for _ in 0..<(rows / batch) { try await Self.append(batch, side.connection) }
        let append = Double(rows / batch * batch) / (monotonicSeconds() - start)
        var singles: [Double] = []
        for _ in 0..<50 {
            start = monotonicSeconds()
            try await Self.append(1, side.connection)
            singles.append((monotonicSeconds() - start) * 1000)
        }
        start = monotonicSeconds()
        _ = try await side.store.workStatus()
        let status = (monotonicSeconds() - start) * 1000
        guard counts else { return }
        side.append.append(append)
        side.single.append(median(singles))
        side.status.append(status)
    }

    /// Appends rows of random users, like `Query.settle`.
    private static func append(_ count: Int, _ connection: Connection) async throws {
        let sql = """
            insert into nudged.delivery (
                user_id, kind, key, slot, device_hash, apns_id, outcome, status, attempted_at, sweep_id
            )
            select gen_random_uuid(), 'check_in', '2026-01-01', '2026-01-01', '0123456789abcdef', gen_random_uuid(), 'accepted', 200,
                statement_timestamp(), gen_random_uuid()
            from generate_series(1, $1)
            """
        let statement = Statement("append", sql: sql, parameters: [.int8(Int64(count))])
        _ = try await connection.transaction([statement], settings: Store.pinnedPlans)
    }

    /// Milliseconds of planning on each side, for the statements that read or write partitions.
    private static func plans(_ sides: [Side]) async throws -> [String: [Double]] {
        var found: [String: [Double]] = [:]
        for query in [Query.settle, .status] {
            // Planned without values: NULL gives the parameters' types, all that planning needs.
            let name = "bench_\(query.name)"
            for side in sides {
                let planned = try await side.connection.transaction(settings: Store.pinnedPlans) { transaction in
                    try await transaction.execute(script: "prepare \(name) as \(query.sql)", name: "prepare")
                    var times: [Double] = []
                    let nulls = query == .settle ? Array(repeating: "null", count: 23) : ["10000", "null"]
                    let explain = "explain (summary) execute \(name)(\(nulls.joined(separator: ",")))"
                    for _ in 0..<5 {
                        let rows = try await transaction.run(Statement("explain", sql: explain))
                        for row in 0..<rows.count {
                            let line = try rows.text(row, 0)
                            guard line.hasPrefix("Planning Time:") else { continue }
                            times.append(Double(line.filter { $0.isNumber || $0 == "." }) ?? 0)
                        }
                    }
                    try await transaction.execute(script: "deallocate \(name)", name: "deallocate")
                    return median(times)
                }
                found[query.name, default: []].append(planned)
            }
        }
        return found
    }

    // MARK: Pruning

    private func prune(_ side: Side) async throws -> [Double] {
        var times: [Double] = []
        for step in 1...min(rounds, max(1, days - 1)) {
            try await side.connection.execute(script: "update nudged.setting set retention_days = \(days - step)")
            let start = monotonicSeconds()
            let (_, dropped) = try await side.store.maintainDelivery()
            guard dropped == 1 else { throw ValidationError("\(dropped) days were dropped, not one") }
            times.append((monotonicSeconds() - start) * 1000)
        }
        return times
    }

    private func report(_ sides: [Side], _ plans: [String: [Double]], _ prunes: [Double], bytes: String) {
        func pair(_ name: String, _ values: [Double], _ decimals: Int) -> String {
            let ratio = values[0] > 0 ? values[1] / values[0] : 0
            return
                #""\#(name)":{"empty":\#(values[0].text(decimals)),"full":\#(values[1].text(decimals)),"ratio":\#(ratio.text(3))}"#
        }
        let parts = [
            #""days":\#(days),"rows":\#(days * rowsADay + rowsADay / 2),"bytes":\#(bytes)"#,
            pair("rows_per_second", sides.map { median($0.append) }, 0),
            pair("one_row_ms", sides.map { median($0.single) }, 3),
            pair("record_planning_ms", plans[Query.settle.name] ?? [0, 0], 3),
            pair("status_planning_ms", plans[Query.status.name] ?? [0, 0], 3),
            pair("status_ms", sides.map { median($0.status) }, 2),
            #""prune_day_ms":\#(median(prunes).text(2)),"prune_day_ms_worst":\#((prunes.max() ?? 0).text(2))"#,
        ]
        print("{\(parts.joined(separator: ","))}")
    }
}
