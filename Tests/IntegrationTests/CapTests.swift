import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// A cap is the user's: over all kinds, and over all daemons.
@Suite(.ownThreads) struct CapTests {
    private static let users = 60
    private static let cap = 3

    /// A check-in, a reminder and four messages for each, where three an hour are allowed.
    @Test(.timeLimit(.minutes(10))) func cap_whenKindsAndDaemonsShareIt_isNotExceeded() async throws {
        let scene = try await Scene(perDevice: { _, _ in .delay(.milliseconds(20), then: .accept) })
        try scene.seedDue(Self.users)
        try scene.sql(
            """
            update public.context_profiles set notification_preferences = notification_preferences || '{"max_per_hour": \(Self.cap)}';
            select nudged_api.set_reminder(user_id, 'task', user_id::text, 'Water', '', due_at => now()) from public.context_profiles
            """
        )
        // Slow enough that both have work at any time.
        let settings: [String: String?] = [
            "SCHEDULE_INTERVAL": "100ms", "SCHEDULE_BATCH": "8", "APNS_MAX_IN_FLIGHT": "6",
        ]
        let daemons = [try scene.start(["run"], settings), try scene.start(["run"], settings)]
        for message in 1...4 {
            try scene.sql(
                "select count((nudged_api.send(user_id, 'Ann', 'message \(message)')).id) from public.context_profiles"
            )
            // Users who may still get something have got it before the next message.
            try await scene.wait(for: "count(*) = 0 from nudged.touched")
            try await scene.wait(
                for:
                    "not exists (select from nudged.person where due_at <= now()) and not exists (select from nudged.intent where user_ids <> '{}')"
            )
        }
        let accepted = scene.accepted()
        #expect(accepted.count == Self.users)
        #expect(accepted.values.allSatisfy { $0 == Self.cap }, "\(Set(accepted.values))")
        let kinds = try scene.lines("select distinct kind from nudged.delivery where outcome = 'accepted' order by 1")
        #expect(kinds == ["check_in", "message", "reminder"])
        for daemon in daemons {
            try await scene.stop(daemon)
        }
    }
}
