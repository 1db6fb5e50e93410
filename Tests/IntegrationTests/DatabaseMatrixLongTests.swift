import APNsSimulator
import LocalPostgres
import TestSupport
import Testing

/// Databases as they are: encodings, locales, settings by `alter database … set`, and tables of other shapes. In each, all
/// works, or is refused with what to do: migrate, register, send, a 410, a reminder, doctor.
@Suite(.ownThreads) struct DatabaseMatrixLongTests {
    /// A line of `Tests/Reference/databases.txt`, which says what the parts mean.
    struct Cell: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var options = "encoding 'UTF8' locale 'C.UTF-8'"
        var needs: String?
        var (isSetting, spares, isMapped) = (false, false, false)
        var app = ""
        var swap: String?
        var status: Int32 = 78
        var refusal: String?
        var errors: Set<String> = []

        static let all = ((try? Checkout.reference("databases")) ?? []).map(Cell.init)

        init(_ line: String) {
            let parts = line.split(separator: " | ").map(String.init)
            testDescription = parts[0]
            for part in parts.dropFirst() {
                let word = part.prefix { $0 != " " }
                let value = String(part.dropFirst(word.count + 1))
                switch word {
                case "options": options = value
                case "needs": needs = value
                case "set": (isSetting, spares) = (true, value == "spares")
                case "mapped": isMapped = true
                case "app": app = value
                case "swap": swap = value
                case "exits": status = Int32(value) ?? -1
                case "refused": refusal = value
                case "errors": errors = [value]
                default: preconditionFailure(line)
                }
            }
        }
    }

    /// Apart from the other suites, since it has roles of its own.
    private static let cluster = Result {
        let options = LocalCluster.Options(maxConnections: 100, settings: ["autovacuum_naptime": "1h"])
        let cluster = try LocalCluster(options)
        try cluster.sql("create role nudged_daemon login; create role nudged_app; create role nudged_writer")
        try cluster.sql("create role migrator superuser login")
        return cluster
    }

    // MARK: What each of them does

    private static let capitals = "0F4A1C3E-9B7D-4C2A-8E5F-00112233ABCD"

    @Test func databases_areAllFound() {
        #expect([77, 50, 5] == [Cell.all.count, Cell.all.count(where: \.isSetting), Cell.all.count(where: \.spares)])
    }

    @Test(arguments: Cell.all) func database_asItIs_worksOrIsRefused(cell: Cell) async throws {
        let cluster = try Self.cluster.get()
        if let needed = cell.needs, try cluster.sql("select from pg_collation where collname = '\(needed)'").isEmpty {
            return
        }
        let scene = try await Scene(migrated: false, cluster: cluster, options: cell.options) { token, _ in
            token == Scene.token(1) ? .unregistered(timestamp: nil) : nil
        }
        defer { try? cluster.dropDatabase(named: scene.database) }
        try scene.sql("create schema hostile; \(cell.app)")
        // A setting that this version does not have.
        guard (try? set(cell, scene)) != nil else { return }

        func url(_ user: String) -> [String: String?] {
            ["DATABASE_URL": cluster.url(database: scene.database, user: user)]
        }
        let migrated = try await scene.nudged(["migrate"], url("migrator"))
        if let refusal = cell.refusal {
            #expect(migrated.exit == .code(cell.status) && migrated.text.contains(refusal), "\(migrated.text)")
            return
        }
        try #require(migrated.exit == .code(0), "\(migrated.text)")
        try use(scene, isMapped: cell.isMapped)
        if let swap = cell.swap {
            try scene.sql(swap)
            // Nothing is sent until nudged migrate has bound to the new table.
            let halted = try await scene.once(url("nudged_daemon"))
            #expect(halted.exit == .code(78) && halted.text.contains("nudged migrate"), "\(halted.text)")
            #expect(scene.accepted().isEmpty)
            let bound = try await scene.nudged(["migrate"], url("migrator"))
            try #require(bound.exit == .code(0), "\(bound.text)")
        }

        let sent = try await scene.once(url("nudged_daemon")).ends(0, ["tokens_deleted": 1])
        #expect(Set(scene.accepted().keys) == Set((2...8).map { Scene.token($0) }), "\(sent.text)")
        // Payloads are UTF-8 in any database.
        let texts = scene.simulator.snapshot().accepted.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(texts.count { $0.contains("Caf\u{e9}") } == 6)
        let left = cell.isMapped ? "public.devices" : "public.push_tokens"
        #expect(try scene.sql("select count(*) from \(left)") == "7")
        #expect(try scene.sql("select count(*) from nudged.delivery where outcome = 'accepted'") == "7")

        let doctor = try await scene.nudged(["doctor", "--json"], url("nudged_daemon"))
        let findings = try DoctorScene.findings(doctor).filter { $0.id.hasPrefix("database.") }
        try #require(!findings.isEmpty, "\(doctor.text)")
        let errors = findings.filter { $0.level == "error" }
        #expect(Set(errors.map(\.id)) == cell.errors, "\(errors)")
        #expect(errors.allSatisfy { $0.remedy != nil })
    }

    private func set(_ cell: Cell, _ scene: Scene) throws {
        let setting = cell.testDescription
        guard cell.isSetting, let name = setting.split(separator: " ").first else { return }
        try scene.cluster.sql("alter database \"\(scene.database)\" set \(setting)")
        guard cell.spares else { return }
        let value = name == "default_transaction_read_only" ? "off" : "0"
        try scene.cluster.sql("alter role postgres in database \"\(scene.database)\" set \(name) = \(value)")
    }

    /// Two users: a message to seven devices, of which Apple refuses one for good, and a reminder. The app calls as
    /// nudged_app.
    private func use(_ scene: Scene, isMapped: Bool) throws {
        let (one, two) = (Scene.user(1), Scene.user(2))
        let wishes = #"{"quiet_hours_start": "00:00", "quiet_hours_end": "00:00"}"#
        let devices = (1...8).map { ($0 < 8 ? one : two, Scene.token($0)) }
        scene.secrets.withLock { $0.append("c0ffee00000000") }
        let profiles =
            isMapped
            ? "users" : "context_profiles (user_id, notification_preferences, timezone, first_session_complete)"
        try scene.sql(
            "insert into public.\(profiles) values ('\(one)', '\(wishes)', 'UTC', true), ('\(two)', '\(wishes)', 'UTC', true)"
        )
        if isMapped {
            let rows = devices.map { "('\($0)', '\($1)', '2026-01-01')" }.joined(separator: ", ")
            try scene.sql("insert into public.devices values \(rows)")
        } else {
            let calls = devices.map {
                "select nudged_api.register_device('\($0)', '\($1)', topic => 'com.example.app')"
            }
            try scene.sql("set local role nudged_app; \(calls.joined(separator: "; "))")
            try scene.sql("update public.push_tokens set created_at = '2026-01-01', updated_at = '2026-01-01'")
        }
        try scene.sql(
            """
            set local role nudged_app;
            select (nudged_api.send('\(one)', 'Caf' || convert_from(decode('c3a9', 'hex'), 'UTF8'), 'there', urgent => true, dedupe_key => 'a', expires_at => now() + interval '1 day')).id;
            select nudged_api.set_reminder('\(two)', 'task', '\(Self.capitals)', 'Hi', 'there', due_at => now() + interval '1 hour');
            """
        )
        try scene.expect("select subject_id from nudged_api.list_reminders('\(two)')", Self.capitals.lowercased())
        try scene.sql("insert into nudged.template (title, body) values ('Hi {first_name}', '{{ }}')")
        try scene.sql("update nudged.occurrence set due_at = now() - interval '1 minute'")
    }
}
