import Configuration
import Glibc
import Policy
import Service
import TimeZones
import ArgumentParser
import LocalPostgres
import Core

extension Workbench {
    /// Starts the simulated Apple as a process. Returns it with its port. The caller ends it.
    func startApple() throws -> (process: ChildProcess, port: UInt16) {
        let apple = try ChildProcess([CommandLine.arguments[0], "apple", "--folder", folder], output: .captured)
        guard apple.waitForOutput(.seconds(20), where: { $0.contains("\n") }),
            let port = UInt16(apple.output.split(separator: "\n").first ?? "")
        else {
            apple.end()
            throw ValidationError("the simulated Apple did not start")
        }
        return (apple, port)
    }

    /// A daemon's configuration for this cluster and that Apple, loaded as the daemon does.
    func configuration(port: UInt16, _ changes: [String: String] = [:]) throws -> Configuration {
        let environment = [
            "APNS_TEAM_ID": Apple.teamID, "APNS_KEY_ID": Apple.keyID, "APNS_BUNDLE_ID": Apple.topic,
            "APNS_PRIVATE_KEY": try BenchFile.read(folder + "/key.p8"), "APNS_ENVIRONMENT": "sandbox",
            "APNS_ENDPOINT": "https://localhost:\(port)", "APNS_CA_FILE": folder + "/ca.pem",
            "DATABASE_URL": cluster.url(database: "bench"),
        ]
        return try ConfigurationLoader.load(
            environment: environment.merging(changes) { $1 },
            checks: .system,
            standardPath: "/nonexistent"
        ).configuration
    }

    /// Makes the app's tables, empty, and runs the migrations.
    func migrate() async throws { try await seed(users: 0, due: true) }

    /// Fills only the queue, in random order of ids, due a day from now or later. It is for benchmarks that only read
    /// the queue. Ten million rows take minutes, because the indexes are made afterwards.
    func seedQueue(users: Int) throws {
        let now = Instant(seconds: Int64(time(nil)))
        let checkIn = CheckIn(at: now, slot: LocalDate(days: Int32(now.seconds / 86_400)))
        let state = UserState(fingerprint: .max, history: History(checkIns: [checkIn], sent: [now]))
        let hex = state.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        try sql(
            """
            begin;
            truncate nudged.person;
            alter table nudged.person drop constraint person_pkey;
            drop index nudged.person_due;
            insert into nudged.person (user_id, due_at, since, evaluated_at, state)
            select gen_random_uuid(), now() + interval '1 day' + n % 86400 * interval '1 second', now(), now(), '\\x\(hex)'
            from generate_series(1, \(users)) n;
            alter table nudged.person add constraint person_pkey primary key (user_id);
            create index person_due on nudged.person ((uuid_hash(user_id) >> 26), due_at, user_id);
            commit;
            """,
            within: .seconds(3600)
        )
        try sql("vacuum (analyze) nudged.person", within: .seconds(3600))
        try sql("checkpoint", within: .seconds(3600))
    }

    /// As `sql(_:)`, with a limit for long statements.
    @discardableResult
    func sql(_ sql: String, within time: Duration) throws -> String {
        try cluster.sql(sql, database: "bench", within: time)
    }
}

/// The median.
func median(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.sorted()[values.count / 2]
}
