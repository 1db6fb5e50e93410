import LocalPostgres
@testable import Core
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Operator
@testable import Service
@testable import Demo

/// What `nudged explain` says of a user is what the sweep of that instant does: over a seeded population, with everything that Apple answers.
@Suite(.ownThreads, .serialized) struct ExplainedDayLongTests {
    private static let start = Instant(rfc3339: "2027-03-27T20:00:00Z") ?? Instant(seconds: 0)

    private func explain(_ user: UUID, _ scene: PlayedScene, now: Instant) async throws -> Explanation {
        let (planner, store) = (scene.engine.engine.assembly.planner, scene.engine.engine.store)
        return try #require(try await Explanation.explain(user, at: nil, planner: planner, store: store, now: now))
    }

    /// What was sent from that instant on, by user.
    private func sent(_ scene: PlayedScene, at now: Instant) throws -> [String: Set<String>] {
        let rows = try scene.lines(
            "select user_id || ' ' || key || ' ' || device_hash from nudged.delivery where outcome <> 'skipped' and apns_id is not null and attempted_at >= '\(now.rfc3339)'"
        )
        var sent: [String: Set<String>] = [:]
        for row in rows {
            let parts = row.split(separator: " ").map(String.init)
            sent[parts[0], default: []].insert("\(parts[1]) \(parts[2])")
        }
        return sent
    }

    @Test func explain_whenTheSweepFollows_isWhatItDoes() async throws {
        let scene = try await PlayedScene(users: 250, seed: 11, start: Self.start)
        var compared = (sends: 0, rests: 0, skips: 0)
        for step in 0..<30 {
            // Now and then nobody sweeps for six hours: slots go by.
            let now = Self.start + Int64(step) * 2700 + Int64(step / 6) * 21_600 + 7
            // Changes that no sweep has seen: explain must see them as the drain does.
            let changing = scene.population.people[(step * 8)..<(step * 8 + 8)].map {
                (userID: $0.userID, preferences: Self.preferences(step))
            }
            try await scene.app.change(changing, at: now - 60)
            let due = try scene.lines(
                "select user_id from nudged.person where due_at <= '\(now.rfc3339)' union select user_id from nudged.touched order by 1 limit 120"
            )
            var explained: [(name: String, plan: Plan)] = []
            for name in due {
                let id = try #require(UUID(uuidString: name))
                explained.append((name, try #require(try await explain(id, scene, now: now).plan)))
            }
            try await scene.serve(at: now)
            let sent = try sent(scene, at: now)
            let rows = try scene.lines(
                "select user_id || ' ' || extract(epoch from due_at)::bigint || ' ' || coalesce(retry::text, '-') from nudged.person where evaluated_at = '\(now.rfc3339)'"
            )
            let evaluated = Dictionary(rows.map { ($0.prefix(36), $0.dropFirst(37)) }) { first, _ in first }
            let skipped = Set(
                try scene.lines(
                    "select user_id || ' ' || key || ' ' || extract(epoch from attempted_at)::bigint from nudged.delivery where outcome = 'skipped'"
                )
            )
            for (name, plan) in explained {
                for record in plan.records where record.outcome == .skipped {
                    let row = "\(name) \(record.key) \(record.attemptedAt.seconds)"
                    #expect(skipped.contains(row), "\(name) \(now.rfc3339)")
                    compared.skips += 1
                }
                switch plan {
                case .send(let sendPlan, _):
                    let pushes = sendPlan.nudges.flatMap { nudge in
                        nudge.members.flatMap { member in nudge.targets.map { "\(member.key) \($0.hash)" } }
                    }
                    #expect(sent[name] == Set(pushes), "\(name) \(now.rfc3339)")
                    compared.sends += 1
                case .nothing(let update, let reason, _):
                    #expect(sent[name] == nil, "\(name) \(now.rfc3339) \(reason)")
                    let row = evaluated[Substring(name)]?.split(separator: " ", maxSplits: 1).map(String.init)
                    #expect(row?.first == "\(update.dueAt.seconds)", "\(name) \(now.rfc3339) \(reason)")
                    #expect((row?.last == "-") == (update.retry == nil), "\(name) \(now.rfc3339) \(reason)")
                    compared.rests += 1
                case .unreadable: Issue.record("\(name) could not be decided")
                }
            }
        }
        #expect(compared.sends > 100 && compared.rests > 300 && compared.skips > 0, "\(compared)")
        await scene.end()
    }

    private static func preferences(_ step: Int) -> String {
        let frequency = ["daily", "few_times_a_week", "weekly"][step % 3]
        let zone = ["Europe/Berlin", "Asia/Kolkata", "America/New_York", "Pacific/Auckland"][step % 4]
        let hour = 7 + step % 14
        return
            #"{"check_ins_enabled":\#(step % 7 > 0),"frequency":"\#(frequency)","timezone":"\#(zone)","check_in_time":"\#(hour < 10 ? "0" : "")\#(hour):00","max_per_day":1}"#
    }
}
