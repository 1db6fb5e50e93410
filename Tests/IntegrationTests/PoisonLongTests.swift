import LocalPostgres
import TestSupport
import Testing

/// What one user can write about themselves while the daemon runs: their neighbours get their messages all the same, and the daemon stays small.
@Suite(.ownThreads) struct PoisonLongTests {
    /// What a user writes, and what the journal then says of them; nil: nothing is wrong with them.
    struct Attack: Sendable {
        let name: String
        let statement: String
        var journal: String?

        init(_ name: String, journal: String? = nil, _ statement: String) {
            self.name = name
            self.journal = journal
            self.statement = statement
        }
    }

    private static let malformed = "preferences of user USER are malformed"

    private static func preferences(_ value: String) -> String {
        "update public.context_profiles set notification_preferences = \(value) where user_id = 'USER'"
    }

    private static func context(_ value: String) -> String {
        "update public.context_profiles set nudge_context = \(value) where user_id = 'USER'"
    }

    private static func numbers(_ count: Int) -> String {
        "(select jsonb_build_object('x', jsonb_agg('1e131071'::numeric)) from generate_series(1, \(count)))"
    }

    private static func nested(_ levels: Int) -> String {
        preferences("('{\"a\":' || repeat('[', \(levels)) || repeat(']', \(levels)) || '}')::jsonb")
    }

    private static let large = "jsonb_build_object('x', repeat('a', 50000000))"

    /// In tables that nudged made.
    private static let inside: [Attack] = [
        Attack("8,500 huge numbers", journal: malformed, preferences(numbers(8_500))),
        // The journal names the first of those whose value is of one kind.
        Attack("2,400 huge numbers", preferences(numbers(2_400))),
        Attack("huge numbers in the context", context(numbers(300))),
        Attack(
            "a huge number in a key that counts",
            journal: malformed,
            preferences("notification_preferences || jsonb_build_object('max_per_day', '1e131071'::numeric)")
        ),
        Attack("nested deep", journal: malformed, nested(6000)),
        Attack(
            "10,000 keywords",
            preferences(
                "notification_preferences || jsonb_build_object('priority_keywords', (select jsonb_agg('k' || n) from generate_series(1, 10000) n))"
            )
        ),
        Attack(
            "100,000 changes of one row",
            """
            do $$ begin
                for i in 1..2000 loop
                    update public.context_profiles set timezone = case i % 2 when 0 then 'UTC' else 'GMT0' end where user_id = 'USER';
                end loop;
            end $$;
            insert into nudged.touched (user_id) select 'USER' from generate_series(1, 100000)
            """
        ),
    ]

    /// In tables that the app made, which have no limits.
    private static let outside: [Attack] = [
        Attack(
            "100,000 devices, changed at once",
            """
            insert into public.push_tokens (user_id, device_token, created_at, updated_at)
            select 'USER', md5(n::text) || md5(n::text), '2026-01-01', '2026-01-01' from generate_series(1, 100000) n;
            update public.push_tokens set updated_at = now() where user_id = 'USER'
            """
        ),
        Attack(
            "20 devices with a platform of 10 MB",
            "insert into public.push_tokens (user_id, device_token, platform) select 'USER', n::text, repeat('ios', 3500000) from generate_series(1, 20) n"
        ),
        Attack(
            "20 tokens, topics and environments of 2 MB",
            """
            insert into public.push_tokens (user_id, device_token, topic, environment)
            select 'USER', repeat('ab', 500000), repeat('x', 2000000), repeat('y', 2000000) from generate_series(1, 20) n
            """
        ),
        Attack(
            "a zone of 20 MB",
            "update public.context_profiles set timezone = repeat('z', 20000000) where user_id = 'USER'"
        ),
        Attack("preferences of 50 MB", journal: malformed, preferences(large)),
        Attack("20,000 huge numbers", preferences(numbers(20_000))),
        Attack("nested deep", journal: malformed, nested(6200)),
        Attack("a context of 50 MB", context(large)),
    ]

    @Test(.timeLimit(.minutes(10))) func neighbours_whenAUserWritesPoison_getTheirMessages() async throws {
        let scene = try await Scene()
        try await play(Self.inside, on: scene)
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
        try await play(Self.outside, on: scene)
    }

    /// Each attack by a user of its own; after it two neighbours are sent a message each.
    private func play(_ attacks: [Attack], on scene: Scene) async throws {
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
            if let text = attack.journal?.replacing("USER", with: attacker) {
                #expect(await eventually { process.errorOutput.contains(text) }, "\(attack.name): \(text)")
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
