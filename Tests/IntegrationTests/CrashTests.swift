import APNsSimulator
import Glibc
import LocalPostgres
import Testing

/// kill -9 at any point, then `run --once`: every device that was due got its push, none got two, but for those recorded unknown.
@Suite struct CrashTests {
    private static let users = 300
    private static let devices = 3

    @Test(arguments: ["claimed", "before_intent", "after_intent", "before_settle"], [1, 2])
    func devices_whenKilledAtAFailPoint_getTheirPushOnce(point: String, time: Int) async throws {
        let scene = try await Scene(perDevice: Self.slow)
        try scene.seedDue(Self.users, devices: Self.devices)
        let killed = try scene.nudged(["run", "--once", "--json"], Self.small.merging(["NUDGED_FAIL_POINT": "\(point):kill:\(time)"]) { $1 })
        #expect(killed.exit == .signal(SIGKILL), "\(killed.text)")
        try check(scene, "\(point):\(time)")
    }

    @Test(arguments: [1, 40, 200, 450, 700]) func devices_whenKilledInMidFlight_getTheirPushOnce(after: Int) async throws {
        let scene = try await Scene(perDevice: Self.slow)
        try scene.seedDue(Self.users, devices: Self.devices)
        let process = try scene.start(["run", "--once", "--json"], Self.small)
        let count = after + Int.random(in: 0..<40)
        #expect(await scene.simulator.waitUntil(accepted: count))
        process.signal(SIGKILL)
        try scene.finish(process)
        try check(scene, "after \(count) accepted")
    }

    /// Some answers late, some devices put off: several chunks are open at once, and users are split over them.
    private static let slow: @Sendable (String, Int) -> ScriptedAnswer? = { token, attempt in
        let last = token.utf8.last ?? 0
        if last == UInt8(ascii: "1") { return .delay(.milliseconds(30), then: .accept) }
        return last == UInt8(ascii: "2") && attempt == 1 ? .answer(status: 500, reason: "InternalServerError") : nil
    }

    private static let small: [String: String?] = ["APNS_MAX_IN_FLIGHT": "100", "SCHEDULE_BATCH": "50"]

    private func check(_ scene: Scene, _ moment: String) throws {
        let open = Int(try scene.sql("select coalesce(sum(cardinality(user_ids)), 0) from nudged.intent")) ?? -1
        try scene.expireLeases()
        let again = try scene.once(Self.small)
        #expect(again.exit == .code(0), "\(again.text)")
        // What 500 put off is due in a quarter of an hour: brought forward, then asked again.
        try scene.sql(
            """
            update nudged.person set due_at = now() - interval '1 second',
                retry = (select jsonb_set(retry, '{left}', jsonb_agg(l || '{"not_before":"2026-01-01T00:00:00Z"}')) from jsonb_array_elements(retry->'left') l)
            where retry is not null
            """
        )
        let last = try scene.once(Self.small)
        #expect(last.exit == .code(0), "\(last.text)")
        let unknown = Set(try scene.lines("select distinct user_id || ' ' || device_hash from nudged.delivery where outcome = 'unknown'"))
        print("killed \(moment): \(open) pushes in open intents, \(unknown.count) recorded unknown")
        #expect(unknown.count <= open)
        let accepted = scene.accepted()
        #expect(accepted.values.allSatisfy { $0 == 1 }, "\(moment): a device got two")
        let hashes = try scene.lines("select user_id || ' ' || left(encode(sha256(convert_to(lower(device_token), 'UTF8')), 'hex'), 16), device_token from public.push_tokens")
        for line in hashes {
            let parts = line.split(separator: "|").map(String.init)
            let isAccounted = accepted[parts[1]] != nil || unknown.contains(parts[0])
            #expect(isAccounted, "\(moment): a device got nothing, and nothing says why")
        }
        #expect(hashes.count == Self.users * Self.devices)
        // The record says accepted of exactly those that Apple has, or unknown.
        let recorded = Int(try scene.sql("select count(distinct (user_id, device_hash)) from nudged.delivery where outcome in ('accepted', 'unknown')")) ?? -1
        #expect(recorded == Self.users * Self.devices)
        #expect(try scene.sql("select count(*) from nudged.intent") == "0")
        #expect(try scene.sql("select count(*) from nudged.person where lease_id is not null and lease_until > now()") == "0")
    }
}
