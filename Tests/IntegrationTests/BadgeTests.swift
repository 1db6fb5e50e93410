import APNsSimulator
import JSON
import TestSupport
import Testing

/// A badge that counts, from SQL to the bytes that the simulated Apple takes.
@Suite(.ownThreads) struct BadgeTests {
    private func badges(_ scene: Scene) throws -> [Int64?] {
        try scene.simulator.snapshot().accepted.map { push in
            guard case .int(let number)? = try JSONValue(parsing: push.payload)["aps"]?["badge"] else { return nil }
            return number
        }
    }

    /// A message, a check-in and a reminder count together, until the app sees the user.
    @Test func badge_whenItCounts_isANumberOfTheUsers() async throws {
        let scene = try await Scene()
        try scene.seedDue(1)
        let user = Scene.user(1)
        let counting = #"apns => '{"badge": "increment"}'"#
        try scene.sql(#"update nudged.template set apns = '{"badge": "increment"}'"#)
        try scene.sql("select (nudged_api.send('\(user)', 'Ann', 'Hello', \(counting))).id")
        let bytes = try scene.sql(
            "select nudged.payload_bytes(title, body, data, urgent, category, thread_id, apns) from nudged.message"
        )
        #expect(try await scene.once().number("sent") == 2)
        #expect(try badges(scene) == [1, 2])
        // Room for the largest number.
        #expect(try #require(scene.simulator.snapshot().accepted.first).payload.count + 9 == Int(bytes))
        try scene.sql(
            "select nudged_api.set_reminder('\(user)', 'task', '7', 'Water', '', due_at => now(), \(counting))"
        )
        try scene.sql("select (nudged_api.send('\(user)', null, null, \(counting))).id")
        #expect(try await scene.once().number("sent") == 2)
        #expect(try badges(scene).sorted { $0 ?? 0 < $1 ?? 0 } == [1, 2, 3, 4])
        try scene.sql("select nudged_api.seen('\(user)')")
        try scene.sql("select (nudged_api.send('\(user)', 'Ann', 'Hello', \(counting))).id")
        #expect(try await scene.once().number("sent") == 1)
        #expect(try badges(scene).last == 1)
    }
}
