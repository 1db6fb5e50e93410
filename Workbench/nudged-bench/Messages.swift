import ArgumentParser
import Faults
import Postgres

/// `nudged-bench messages`: an app sends many messages in batches while check-ins become due, and some urgent messages.
///
/// Prints how long the load took and how late check-ins were. For urgent messages it prints the time from
/// `nudged_api.send` to the row of the record, which includes the simulated Apple's answer.
struct Messages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures a load of messages beside check-ins, and the latency of urgent ones."
    )

    @Option(help: "How many messages the load has.") var messages = 1_000_000
    @Option(help: "How many users share it.") var users = 200_000
    @Option(help: "Messages per call of nudged_api.send_many.") var batch = 10_000
    @Option(help: "Check-ins that become due per second.") var checkIns = 500
    @Option(help: "Milliseconds between two urgent messages.") var urgentEvery = 250

    func run() async throws {
        let bench = try Workbench()
        defer { bench.stop() }
        try await bench.seed(users: users)
        let (_, endpoint) = try bench.startApple()
        try bench.sql(
            """
            create schema bench;
            alter table nudged.delivery add column recorded_at timestamptz default clock_timestamp();
            create table bench.person as select user_id, row_number() over () as n from nudged.person;
            create unique index on bench.person (n);
            create table bench.urgent (id uuid, at timestamptz);
            create table bench.due as select user_id, now() + interval '5 seconds' + n * interval '1 second' / \(checkIns) as due_at from bench.person;
            update nudged.person p set due_at = d.due_at from bench.due d where d.user_id = p.user_id;
            """
        )
        // One per call, because several statements in a call are one transaction.
        for statement in ["vacuum analyze", "checkpoint"] { try bench.sql(statement) }
        let daemon = try BenchDaemon(bench.configuration(endpoint))
        let begin = ContinuousClock.now
        let end = End()
        let (users, pause) = (users, urgentEvery)
        try await withThrowingTaskGroup { group in
            group.addTask { try await Self.sendUrgent(bench, among: users, every: pause, until: end) }
            let sent = try await sendLoad(bench)
            try await awaitEnd(bench)
            let took = (ContinuousClock.now - begin) / .seconds(1)
            end.come()
            try await group.waitForAll()
            try await awaitEnd(bench)
            try report(bench, sent: sent, took: took)
        }
        await daemon.stop()
    }

    private func sendLoad(_ bench: Workbench) async throws -> Double {
        let begin = ContinuousClock.now
        let connection = try await Connection.open(bench.connection)
        var place = 0
        var left = messages
        while left > 0 {
            let count = min(batch, left)
            _ = try await connection.run(
                Statement(
                    "load",
                    sql: """
                        select count(*) from nudged_api.send_many(
                            array(select user_id from bench.person where n > $1 and n <= $2), 'Ann', 'Shall we meet at six?', data => '{"table": 4}')
                        """,
                    parameters: [.int8(Int64(place)), .int8(Int64(place + count))]
                ),
                timeout: .seconds(300)
            )
            left -= count
            place = (place + count) % max(users - batch, 1)
        }
        await connection.close()
        return (ContinuousClock.now - begin) / .seconds(1)
    }

    static func sendUrgent(_ bench: Workbench, among users: Int, every pause: Int, until end: End) async throws {
        let connection = try await Connection.open(bench.connection)
        while !end.hasCome {
            _ = try await connection.run(
                Statement(
                    "urgent",
                    sql: """
                        insert into bench.urgent (id, at)
                        select (nudged_api.send(user_id, 'Ann', 'Now!', urgent => true)).id, clock_timestamp() from bench.person where n = $1
                        """,
                    parameters: [.int8(Int64.random(in: 1...Int64(users)))]
                ),
                timeout: .seconds(60)
            )
            try await Task.sleep(for: .milliseconds(pause))
        }
        await connection.close()
    }

    private func awaitEnd(_ bench: Workbench) async throws {
        let isLeft = "select exists (select from nudged.message) or exists (select from nudged.touched)"
        while try bench.sql(isLeft).trimmed == "t" { try await Task.sleep(for: .milliseconds(200)) }
    }

    private func report(_ bench: Workbench, sent: Double, took: Double) throws {
        let urgent = try bench.row(
            """
            select count(*), round(1000 * percentile_cont(0.5) within group (order by s)), round(1000 * percentile_cont(0.95) within group (order by s)),
                round(1000 * max(s))
            from (
                select extract(epoch from d.recorded_at - u.at) as s
                from bench.urgent u join nudged.delivery d on d.kind = 'message' and d.key = u.id::text and d.outcome = 'accepted'
            ) x
            """
        )
        let late = try bench.row(
            """
            select count(*), round(1000 * percentile_cont(0.5) within group (order by s)), round(1000 * max(s))
            from (
                select extract(epoch from d.recorded_at - b.due_at) as s
                from bench.due b join nudged.delivery d on d.user_id = b.user_id and d.kind = 'check_in' and d.outcome = 'accepted'
            ) x
            """
        )
        let ends = try bench.row(
            "select count(*) filter (where outcome = 'accepted'), count(distinct key) from nudged.delivery where kind = 'message'"
        )
        let rss = ProcessUsage.now().maxResidentKilobytes
        print(
            #"{"messages":\#(messages),"accepted":\#(ends[0]),"ended":\#(ends[1]),"send_seconds":\#(sent.text(1)),"seconds":\#(took.text(1)),"#
                + #""messages_per_second":\#((Double(messages) / took).text(0)),"urgent":\#(urgent[0]),"urgent_median_ms":\#(urgent[1]),"#
                + #""urgent_p95_ms":\#(urgent[2]),"urgent_max_ms":\#(urgent[3]),"check_ins":\#(late[0]),"check_in_median_ms":\#(late[1]),"#
                + #""check_in_max_ms":\#(late[2]),"max_rss_kb":\#(rss)}"#
        )
    }
}
