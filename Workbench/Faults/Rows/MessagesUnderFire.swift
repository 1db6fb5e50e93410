import Postgres
import Synchronization

extension Fault {
    /// Messages are sent and cancelled as fast as the server allows, while daemons are killed. Those cancelled in time
    /// never arrive, all others end in the record. One that was unknown may come once more.
    static let messages = Fault(name: "messages-under-fire") { plan in
        let scenery = Scenery(answers: 20...120, inFlight: 30, batch: 40)
        return plan.rounds(quick: 1, full: 10, users: 120, scenery: scenery) { stage in
            // This row makes its own comparison, with its own data.
            let talk = Talk(stage)
            stage.compare { _ in try await talk.check() }
            try await stage.sql(
                """
                update public.context_profiles
                set notification_preferences = '{"quiet_hours_start": "00:00", "quiet_hours_end": "00:00"}'
                """
            )
            try await talk.play(kills: plan.pick(quick: 3, full: 6))
        }
    }
}

/// The app's side: writers send and cancel messages while daemons are killed.
private final class Talk: Sendable {
    private let stage: Stage
    private let isOver = End()
    /// The messages that the app sent, and those that it cancelled in time.
    private let said = Mutex((all: Set<String>(), takenBack: Set<String>()))

    init(_ stage: Stage) { self.stage = stage }

    func play(kills: Int) async throws {
        try await withThrowingTaskGroup { group in
            for _ in 1...2 { group.addTask { try await self.write() } }
            for _ in 1...kills {
                let process = try stage.service()
                try await stage.awaitAccepted(stage.taken.count + 20 + stage.draw(60), by: process)
                try await stage.kill(process)
            }
            isOver.come()
            try await group.waitForAll()
        }
        let process = try stage.service()
        try await stage.measureRecovery(since: .now)
        try await stage.wait(for: "all messages to end", every: .milliseconds(100)) {
            guard try await stage.number("select count(*) from nudged.message") == 0 else { return false }
            return try await stage.isIdle()
        }
        try await stage.stop(process)
        try await stage.expectNoDeadlocks()
    }

    /// Sends messages to random users, and cancels some of its earlier ones. No call may wait for the daemon.
    private func write() async throws {
        var mine: [(id: String, user: String)] = []
        let connection = try await stage.connect()
        let users = stage.population.people.map(\.id)
        while !isOver.hasCome {
            let some = (0..<4).map { _ in stage.pick(users) }
            let (rows, _) = try await stage.asTheApp(
                "select id::text, user_id::text from nudged_api.send_many($1::text[]::uuid[], 'a', 'b', urgent => $2)",
                [.textArray(some), .bool(stage.draw(4) == 0)],
                on: connection,
                waitingAtMost: 50
            )
            let new = try (0..<rows.count).map { (id: try rows.text($0, 0), user: try rows.text($0, 1)) }
            said.withLock { $0.all.formUnion(new.map(\.id)) }
            mine += new
            for _ in 0..<2 where !mine.isEmpty {
                let message = mine.remove(at: stage.draw(mine.count))
                let (answer, _) = try await stage.asTheApp(
                    "select done = 1 from nudged_api.cancel($1::text::uuid, $2::text::uuid)",
                    [.text(message.user), .text(message.id)],
                    on: connection,
                    waitingAtMost: 50
                )
                if try answer.bool(0, 0) { said.withLock { _ = $0.takenBack.insert(message.id) } }
            }
            // Paced so that the daemon keeps up. A backlog would only cost time.
            try await Task.sleep(for: .milliseconds(10))
        }
        await connection.close()
    }

    func check() async throws -> BookCheck {
        let said = said.withLock { $0 }
        let allowed = stage.result.withLock { $0.allowance.openAtKill }
        let record = "select key, apns_id, outcome from nudged.delivery where kind = 'message'"
        let rows = try await stage.rows(record).map { (key: $0[0], id: $0[1], outcome: $0[2]) }
        var outcomes: [String: [String]] = [:]
        var keys: [String: String] = [:]
        var unknown: [String: Int] = [:]
        for (key, id, outcome) in rows {
            outcomes[key, default: []].append(outcome)
            if !id.isEmpty { keys[id] = key }
            if outcome == "unknown" { unknown[id, default: 0] += 1 }
        }
        let left = try await stage.lines("select id from nudged.message")
        let open = try await stage.openIntents()

        // Counts pushes, like the allowance. A push counts once, even if its repetition became unknown too.
        var check = BookCheck(unknown: unknown.count)
        for id in said.all where outcomes[id] == nil { check.add(.lost, "message \(id)") }
        for id in left { check.add(.leftDue, "message \(id)") }
        for id in open { check.add(.leftOpen, "apns-id \(id)") }
        let pushes = Dictionary(grouping: stage.taken.all) { "\($0.apnsID) \($0.token)" }.values
        for same in pushes {
            guard let push = same.first, let key = keys[push.apnsID] else {
                check.add(.misrecorded, "apns-id \(same.first?.apnsID ?? "") is in no row of the record")
                continue
            }
            if said.takenBack.contains(key) { check.add(.notDue, "message \(key) was cancelled in time") }
            if same.count > 1 + min(1, unknown[push.apnsID] ?? 0) {
                check.add(.doubled, "message \(key), at \(same.map(\.at))")
            }
        }
        let taken = Set(stage.taken.all.map(\.apnsID))
        for row in rows where row.outcome == "accepted" && !taken.contains(row.id) {
            check.add(.misrecorded, "message \(row.key) is recorded as accepted, but Apple does not have it")
        }
        for (id, count) in unknown where !allowed.contains(id) || count > 2 {
            check.add(.unknownBeyond, "apns-id \(id), \(count) times")
        }
        for id in allowed where unknown[id] == nil { check.add(.notUnknown, "apns-id \(id)") }
        let ended = outcomes.values.count { $0.contains("accepted") }
        stage.note("\(said.all.count) messages, \(said.takenBack.count) cancelled, \(ended) accepted")
        return check
    }
}
