import LocalPostgres
import TestSupport
import Testing

/// Many messages to one user. The daemon reads them page by page, so it stays small, and others don't wait.
@Suite(.ownThreads) struct FloodLongTests {
    @Test(.timeLimit(.minutes(10)), arguments: [(1, 2_000, 10), (10, 2_000, 10), (10, 2_000, 3_000), (1, 20_000, 10)])
    func messages_whenAUserHasVeryMany_areSentInLittleMemory(users: Int, count: Int, length: Int) async throws {
        let scene = try await Scene()
        try scene.seedDue(users + 1)
        try scene.sql("update nudged.setting set max_messages = 100000")
        let process = try scene.start(["run"], ["LOG_LEVEL": "info"])
        try #require(await scene.simulator.waitUntil(accepted: users + 1))
        let before = try #require(process.megabytes("VmRSS"))
        try scene.sql(
            """
            insert into nudged.message (user_id, id, title, body)
            select user_id, gen_random_uuid(), 'Ann', repeat('x', \(length))
            from public.context_profiles, generate_series(1, \(count))
            where user_id < '\(Scene.user(users + 1))';
            select count(nudged_api.touch(user_id)) from public.context_profiles
            """
        )
        try scene.sql("select (nudged_api.send('\(Scene.user(users + 1))', 'Ann', 'Hello')).id")
        let neighbour = Scene.token(users + 1)
        #expect(await eventually(within: .seconds(60)) { (scene.accepted()[neighbour] ?? 0) >= 2 })
        let meanwhile = scene.simulator.snapshot().accepted.count
        let all = users + 1 + users * count + 1
        #expect(await scene.simulator.waitUntil(accepted: all, within: .seconds(500)))
        try await scene.wait(for: "not exists (select from nudged.intent)", of: process)
        let peak = try #require(process.megabytes("VmHWM"))
        // Sweeps end when their last user is settled.
        let isSmall = await eventually(within: .seconds(60)) { (process.megabytes("VmRSS") ?? .max) < before + 32 }
        let after = try #require(process.megabytes("VmRSS"))
        print(
            "flood: \(users) x \(count) of \(length): \(before) MB before, peak \(peak), after \(after); neighbour at \(meanwhile) of \(all)"
        )
        #expect(peak < 128 && isSmall)
        try await scene.stop(process)
    }
}
