import APNsSimulator
import Glibc
import LocalPostgres
import Testing

/// A daemon that is killed by kill -9, and `run --once` after it: every device that was due got its push, and none got
/// two, except those that are recorded as unknown.
enum CrashScene {
    private static let users = 300
    private static let devices = 3

    static func killAtAFailPoint(_ point: String, visit: Int) async throws {
        let scene = try await Scene(perDevice: slow)
        try scene.seedDue(users, devices: devices)
        let killed = try await scene.nudged(
            ["run", "--once", "--json"],
            small.merging(["NUDGED_FAIL_POINT": "\(point):kill:\(visit)"]) { $1 }
        )
        #expect(killed.exit == .signal(SIGKILL), "\(killed.text)")
        try await check(scene, "\(point):\(visit)")
    }

    static func killInMidFlight(after: Int) async throws {
        let count = after + Int.random(in: 0..<40)
        let trigger = SignalTrigger(SIGKILL, atRequest: count)
        let scene = try await Scene(perDevice: { token, attempt in
            trigger.request()
            return slow(token, attempt)
        })
        try scene.seedDue(users, devices: devices)
        let process = try scene.start(["run", "--once", "--json"], small)
        trigger.arm(process)
        let run = try await scene.finish(process)
        #expect(run.exit == .signal(SIGKILL), "\(run.text)")
        try await check(scene, "at request \(count)")
    }

    /// Some answers late, some devices put off: several chunks are open at once, and users are split over them.
    private static let slow: @Sendable (String, Int) -> ScriptedAnswer? = { token, attempt in
        let last = token.utf8.last ?? 0
        if last != UInt8(ascii: "2") {
            return .delay(.milliseconds(last == UInt8(ascii: "1") ? 60 : 20), then: .accept)
        }
        // One device of some users only: a storm would slow the whole lane down.
        let isPutOff = last == UInt8(ascii: "2") && token.utf8.dropLast().last == UInt8(ascii: "7")
        return isPutOff && attempt == 1 ? .answer(status: 429, reason: "TooManyRequests") : nil
    }

    private static let small: [String: String?] = ["APNS_MAX_IN_FLIGHT": "100", "SCHEDULE_BATCH": "50"]

    private static func check(_ scene: Scene, _ moment: String) async throws {
        let open = try scene.openPushes()
        try scene.expireLeases()
        let again = try await scene.once(small)
        #expect(again.exit == .code(0), "\(again.text)")
        // What 429 put off is due in a minute: brought forward, then asked again.
        try scene.sql(
            """
            update nudged.person set due_at = now() - interval '1 second',
                retry = (select jsonb_set(retry, '{left}', jsonb_agg(l || '{"not_before":"2026-01-01T00:00:00Z"}')) from jsonb_array_elements(retry->'left') l)
            where retry is not null;
            update nudged.delivery set attempted_at = attempted_at - interval '1 hour' where outcome = 'deferred';
            """
        )
        let last = try await scene.once(small)
        #expect(last.exit == .code(0), "\(last.text)")
        let unknown = Set(
            try scene.lines(
                "select distinct user_id || ' ' || device_hash from nudged.delivery where outcome = 'unknown'"
            )
        )
        print("killed \(moment): \(open) pushes in open intents, \(unknown.count) recorded unknown")
        #expect(unknown.count <= open)
        let accepted = scene.accepted()
        #expect(accepted.values.allSatisfy { $0 == 1 }, "\(moment): a device got two")
        let hashes = try scene.lines(
            "select user_id || ' ' || left(encode(sha256(convert_to(lower(device_token), 'UTF8')), 'hex'), 16), device_token from public.push_tokens"
        )
        var lost = 0
        for line in hashes {
            let parts = line.split(separator: "|").map(String.init)
            if accepted[parts[1]] == nil, !unknown.contains(parts[0]) { lost += 1 }
        }
        #expect(lost == 0, "\(moment): \(lost) devices got nothing, and nothing says why")
        #expect(hashes.count == users * devices)
        // The record says accepted of exactly those that Apple has, or unknown.
        let recorded =
            Int(
                try scene.sql(
                    "select count(distinct (user_id, device_hash)) from nudged.delivery where outcome in ('accepted', 'unknown')"
                )
            ) ?? -1
        #expect(recorded == users * devices)
        #expect(try scene.sql("select count(*) from nudged.intent where user_ids <> '{}'") == "0")
    }
}
