import LocalPostgres
import TestSupport
import Testing

/// What one user can write about themselves while the daemon runs: their neighbours get their messages all the same, and the daemon stays small.
@Suite(.ownThreads) struct PoisonLongTests {
    private struct Attack {
        let name: String
        let isMalformed: Bool
        let statement: String
    }

    /// `Tests/Reference/poison.txt` has what users write into these tables.
    private static func attacks(_ tables: String) throws -> [Attack] {
        try Checkout.reference("poison").compactMap { line in
            let parts = line.split(separator: " | ", maxSplits: 3).map(String.init)
            guard parts[0] == tables else { return nil }
            precondition(["-", "malformed"].contains(parts[2]), line)
            return Attack(name: parts[1], isMalformed: parts[2] == "malformed", statement: parts[3])
        }
    }

    @Test(.timeLimit(.minutes(10))) func neighbours_whenAUserWritesPoison_getTheirMessages() async throws {
        let scene = try await Scene()
        try await play("nudged's", 7, on: scene)
    }

    @Test(.timeLimit(.minutes(10))) func neighbours_whenTheAppsTablesHaveNoLimits_getTheirMessages() async throws {
        let scene = try await Scene(migrated: false)
        try scene.sql(
            """
            create table public.context_profiles (
                user_id uuid primary key, notification_preferences jsonb, first_session_complete boolean, timezone text, nudge_context jsonb
            );
            create table public.push_tokens (
                id bigint generated always as identity primary key, user_id uuid, device_token text, platform text default 'ios',
                created_at timestamptz default now(), updated_at timestamptz default now(), environment text, topic text
            );
            create index on public.push_tokens (user_id)
            """
        )
        try await scene.nudged(["migrate"]).ends()
        try scene.writeText()
        try await play("app's", 8, on: scene)
    }

    /// Each attack by a user of its own; after it two neighbours are sent a message each.
    private func play(_ tables: String, _ count: Int, on scene: Scene) async throws {
        let attacks = try Self.attacks(tables)
        #expect(attacks.count == count)
        try scene.seedDue(3 * attacks.count)
        let process = try scene.start(["run"], ["LOG_LEVEL": "info"])
        #expect(await scene.simulator.waitUntil(accepted: 3 * attacks.count))
        for (index, attack) in attacks.enumerated() {
            let attacker = Scene.user(3 * index + 1)
            try scene.sql(attack.statement.replacing("USER", with: attacker))
            let urgent = try await reach(3 * index + 2, ", urgent => true", scene, attack)
            let ordinary = try await reach(3 * index + 3, "", scene, attack)
            print("poison: \(attack.name): urgent after \(urgent), ordinary after \(ordinary), \(peak(process)) MB")
            // Deadlines of tests are for hangs: on a quiet machine both come within a second or two.
            #expect(urgent < .seconds(30) && ordinary < .seconds(60), "\(attack.name)")
            let malformed = "preferences of user \(attacker) are malformed"
            if attack.isMalformed {
                #expect(await eventually { process.errorOutput.contains(malformed) }, "\(attack.name): \(malformed)")
            }
        }
        #expect(peak(process) < 128)
        try await scene.stop(process)
        // The attackers themselves are neither lost nor in anybody's hand.
        #expect(try scene.sql("select count(*) from nudged.intent") == "0")
    }

    /// How long a message to a user takes to reach Apple.
    private func reach(_ user: Int, _ more: String, _ scene: Scene, _ attack: Attack) async throws -> Duration {
        let token = Scene.token(user)
        let before = scene.accepted()[token] ?? 0
        let began = ContinuousClock.now
        try scene.sql("select (nudged_api.send('\(Scene.user(user))', 'Ann', 'Hello'\(more))).id")
        #expect(await eventually { (scene.accepted()[token] ?? 0) > before }, "\(attack.name)\(more)")
        return ContinuousClock.now - began
    }

    /// The daemon's largest resident size so far.
    private func peak(_ process: ChildProcess) -> Int { process.megabytes("VmHWM") ?? .max }
}
