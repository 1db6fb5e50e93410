import JSON
import LocalPostgres
import TestSupport
import Testing

/// What others wrote into the database, the configuration or a command line can't control the operator's terminal.
@Suite(.ownThreads) struct TerminalTests {
    /// It sets the window's title (ESC ]0;), turns the order of what follows round, and clears the screen by C1.
    static let hostile = "x\u{1B}]0;planned\u{7}\u{202E}\u{9B}2Jy"

    /// Whether a terminal would obey something in the text.
    static func controls(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            let category = scalar.properties.generalCategory
            return scalar != "\n" && (category == .control || category == .format)
        }
    }

    /// What was typed, here in place of the @, is quoted in the error.
    @Test(arguments: [
        ["@"], ["help", "@"], ["status", "--@"], ["explain", "@"], ["pause", "@"], ["status", "--config", "/tmp/@"],
        ["replan", "--over", "@"], ["send-test", "--token", "@"],
    ]) func error_whenItQuotesWhatWasTyped_controlsNoTerminal(arguments: [String]) async throws {
        let typed = arguments.map { $0.replacing("@", with: Self.hostile) }
        let run = try await ChildProcess.toEnd([Scene.binary] + typed, [:])
        let said = run.output + run.errors
        #expect(said.contains("nudged:") && !Self.controls(said), "\(said.debugDescription)")
    }
}

/// Each command, on a database in which every text is hostile.
@Suite(.ownThreads) struct TerminalLongTests {
    private static let hostile = TerminalTests.hostile

    /// A database in which every text that an app, a daemon or an operator can write is hostile.
    private static func scene() async throws -> Scene {
        let scene = try await Scene()
        try scene.seedDue(2)
        let lane = Self.object(["environment", "topic", "state", "reason", "remedy", "other_server"])
        let failure = Self.object(["statement", "cause", "remedy"])
        try scene.sql(
            """
            update public.context_profiles set timezone = '\(hostile)', notification_preferences
                = notification_preferences || jsonb_build_object('frequencyy', '\(hostile)', '\(hostile)', '\(hostile)', 'timezone', '\(hostile)');
            insert into nudged.template (domain, title, body, weight) values ('\(hostile)', '\(hostile)', '\(hostile)', 1000), (null, '\(hostile)', '\(hostile)', 1000);
            insert into nudged.paused (kind, by_whom, reason) values ('check_in', '\(hostile)', '\(hostile)');
            insert into nudged.daemon (daemon_id, host, pid, version, started_at, seen_at, state) values
                ('11111111-1111-4111-8111-111111111111', '\(hostile)', 1, '\(hostile)', now() - interval '1 hour', now(),
                jsonb_build_object('lanes', jsonb_build_array(\(lane)), 'failure', \(failure), 'interval_ms', 1000, 'decision', \(Self.object(["state", "reason"]))));
            insert into nudged.member (id, daemon_id) values ('22222222-2222-4222-8222-222222222222', '11111111-1111-4111-8111-111111111111');
            insert into nudged.lease (member, alive_until) values ('22222222-2222-4222-8222-222222222222', now() + interval '1 hour');
            insert into nudged.delivery (user_id, kind, key, device_hash, outcome, reason, attempted_at, sweep_id, decision) values
                ('\(Scene.user(1))', 'message', '\(hostile)', '\(hostile)', 'rejected', '\(hostile)', now() - interval '1 hour', gen_random_uuid(), \(Self.object(["by", "reason"])));
            select nudged_api.set_reminder('\(Scene.user(1))', '\(hostile)', '\(hostile)', '\(hostile)', '\(hostile)', due_at => now() + interval '1 hour');
            """
        )
        return scene
    }

    private static func object(_ keys: [String]) -> String {
        "jsonb_build_object(\(keys.map { "'\($0)', '\(hostile)'" }.joined(separator: ", ")))"
    }

    /// `run --once` waits for a lease of the hostile daemon.
    private static let own = Scene.impatient.merging(["SUDO_USER": hostile]) { $1 }

    @Test func output_ofEachCommand_controlsNoTerminal() async throws {
        let scene = try await Self.scene()
        let user = Scene.user(1)
        let commands: [[String]] = [
            ["status"], ["explain", user], ["explain", user, "--at", "2026-11-21T12:00:00Z"], ["forecast"],
            ["pause", "check_in", "--reason", Self.hostile], ["pause", "message", "--reason", Self.hostile],
            ["after-restore"], ["doctor"], ["report", "--html", "-"], ["send-test", "--user", user],
            ["migrate", "--dry-run"], ["migrate"], ["config"], ["check-config"], ["replan"], ["run", "--once"],
            ["resume"], ["reload"],
        ]
        for command in commands {
            let run = try await scene.nudged(command, Self.own)
            let said = run.output + run.errors
            #expect(!said.isEmpty && !TerminalTests.controls(said), "\(command): \(run.text.debugDescription)")
            #expect(run.exit != .code(78), "it used its configuration: \(run.text.debugDescription)")
        }
        let refused = try await scene.nudged(["check-config"], ["MESSAGES_DIGEST_TITLE": Self.hostile])
        #expect(refused.exit == .code(78) && !TerminalTests.controls(refused.output + refused.errors))
    }

    /// A program reads the same values as before.
    @Test func json_ofEachCommand_hasEscapesAndTheSameValues() async throws {
        let scene = try await Self.scene()
        let user = Scene.user(1)
        let commands: [[String]] = [
            ["status"], ["explain", user], ["forecast"], ["pause", "--reason", Self.hostile], ["after-restore"],
            ["doctor"], ["send-test", "--user", user], ["config"], ["run", "--once"], ["replan"], ["resume"],
        ]
        for command in commands {
            let run = try await scene.nudged(command + ["--json"], Self.own)
            #expect(!TerminalTests.controls(run.output + run.errors), "\(command): \(run.text.debugDescription)")
            #expect(throws: Never.self, "\(command): \(run.text)") { try JSONValue(parsing: run.output) }
        }
        let paused = try await scene.nudged(["pause", "check_in", "--reason", Self.hostile, "--json"], Self.own)
        guard case .array(let pauses)? = try JSONValue(parsing: paused.output)["paused"] else {
            Issue.record("\(paused.text)")
            return
        }
        #expect(pauses.first?["reason"] == .string(Self.hostile), "\(paused.text)")
    }
}
