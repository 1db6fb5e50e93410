import JSON
import Policy
import TestSupport
import Testing
import TimeZones

/// From a check-in's payload to what the app says of it, and from there to the next check-in.
@Suite(.ownThreads) struct ActivityTests {
    private static let rules: [String: String?] = ["POLICY_BACK_OFF_AFTER": "2"]

    private func scene() async throws -> Scene {
        let scene = try await Scene(migrated: false)
        try scene.sql(Supabase.setUp)
        let run = try await scene.nudged(["migrate"])
        try #require(run.exit == .code(0), "\(run.text)")
        try scene.writeText()
        try scene.seedDue(2)
        return scene
    }

    /// As PostgREST calls for a signed-in user.
    private func call(_ scene: Scene, _ user: Int, _ call: String) throws -> String {
        try scene.sql(
            "set request.jwt.claim.sub = '\(Scene.user(user))'; set role authenticated; select (\(call)).done"
        )
    }

    /// Moves all that was sent and seen back by a day, so that today's slot comes next.
    private func passADay(_ scene: Scene) throws {
        var script = """
            update nudged.person set due_at = now() - interval '1 minute', since = since - interval '1 day';
            update nudged.seen set at = at - interval '1 day';
            update nudged.delivery set attempted_at = attempted_at - interval '1 day', slot = slot - 1, key = slot - 1;
            """
        for (user, var state) in try scene.states() {
            let history = state.history
            state.history = History(
                checkIns: history.checkIns.map { CheckIn(at: $0.at - 86_400, slot: $0.slot - 1) },
                sent: history.sent.map { $0 - 86_400 }
            )
            script += "update nudged.person set state = '\\x\(Scene.hex(state.bytes))' where user_id = '\(user)';"
        }
        try scene.sql(script)
    }

    /// Whom a run of the daemon sends to, and the last payload's name of its nudge.
    private func sent(_ scene: Scene) async throws -> (tokens: [String], nudge: String) {
        let before = scene.simulator.counts.accepted
        let run = try await scene.once(Self.rules)
        try #require(run.exit == .code(0), "\(run.text)")
        let pushes = scene.simulator.snapshot().accepted[before...]
        let nudge = try pushes.last.map { try JSONValue(parsing: $0.payload)["nudge"]?.text ?? "" }
        return (pushes.map(\.token).sorted(), nudge ?? "")
    }

    @Test func checkIns_comeLessOftenToWhoIgnoresThem_andTheReportShowsWhoOpens() async throws {
        let scene = try await scene()
        for day in 1...2 {
            let sent = try await sent(scene)
            #expect(sent.tokens == [Scene.token(1), Scene.token(2)], "day \(day)")
            #expect(try call(scene, 1, "nudged_me.opened(id => '\(sent.nudge)')") == "1")
            #expect(try call(scene, 1, "nudged_me.opened(id => '\(sent.nudge)')") == "0")
            if day == 2 {
                #expect(try call(scene, 1, "nudged_me.feedback(id => '\(sent.nudge)', helpful => true)") == "1")
            }
            try passADay(scene)
        }
        // The second user has ignored two.
        #expect(try await sent(scene).tokens == [Scene.token(1)])
        let status = "select reason || ' ' || ignored from nudged.person where user_id = '\(Scene.user(2))'"
        #expect(try scene.sql(status) == "frequency 2")
        let explained = try await scene.nudged(["explain", Scene.user(2)], Self.rules)
        #expect(explained.output.contains("2 check-ins, the app has never seen the user"), "\(explained.text)")

        #expect(try call(scene, 2, "nudged_me.seen()") == "1")
        // Who comes back is in the app now, so today's slot is over.
        #expect(try await sent(scene).tokens.isEmpty)
        try passADay(scene)
        #expect(try await sent(scene).tokens == [Scene.token(1), Scene.token(2)])
        #expect(try scene.sql("select ignored from nudged.person where user_id = '\(Scene.user(2))'") == "1")

        let works = """
            select sent, users, opened, rated, helpful, round(opened_low * 100), round(opened_high * 100)
            from nudged.what_works where kind = 'check_in' and by is null
            """
        #expect(try scene.sql(works) == "7|2|2|1|1|3|82")
        let opened = "Of 7 sent, 2 were opened: 29 % (3 to 82 %). "
        let rated = "Of 1 with feedback, 1 were helpful: 100 % (21 to 100 %)."
        try await scene.nudged(["report", "--html", "-"], Self.rules).ends(0, output: opened + rated)
    }
}
