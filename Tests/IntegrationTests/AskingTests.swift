import APNsSimulator
import Glibc
import JSON
import LocalPostgres
import TestSupport
import Testing

/// `nudged explain`, `forecast` and `send-test` as an operator runs them.
@Suite(.ownThreads) struct AskingTests {
    @Test func explain_whenTheUserIsDue_saysWhatASweepThenDoes() async throws {
        let scene = try await Scene()
        try scene.seedDue(2, devices: 2)
        try scene.sql("update public.push_tokens set topic = 'com.example.other' where device_token like '%1'")
        let plain = try await scene.nudged(["explain", Scene.user(1)])
        #expect(plain.exit == .code(0), "\(plain.text)")
        let said = plain.output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        #expect(said.hasPrefix("Waits: no daemon runs. A check-in is due"), "\(plain.text)")
        for part in [
            "user \(Scene.user(1)) at 20", " +00:00 in UTC", "decision send the check-in of ",
            "why: check_in: send, due",
            "quiet_hours", "no lane of this configuration serves it", "the record nothing",
        ] { #expect(said.contains(part), "\(part): \(plain.output)") }
        #expect(!plain.output.contains("c0ffee"))
        #expect(
            plain.output.split(separator: "\n").allSatisfy { $0.count <= 80 || !$0.dropFirst(80).contains(" ") },
            "\(plain.output)"
        )
        let json = try await scene.nudged(["explain", Scene.user(1), "--json"])
        #expect(
            json.output.contains(#""plan":{"action":"send""#) && json.output.contains(#""state":"other_topic""#),
            "\(json.text)"
        )
        #expect(
            try scene.sql("select count(*) from nudged.person where evaluated_at is not null")
                == "0"
        )
        #expect(try await scene.once().number("sent") == 2)
        let after = try await scene.nudged(["explain", Scene.user(1)])
        let flat = after.output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        #expect(flat.contains("accepted (status 200)") && flat.contains("sent check-in of 20"), "\(after.text)")
        #expect(flat.hasPrefix("Waits: no daemon runs. Next would be a check-in "), "\(after.text)")
        // A past instant: the record, and no decision. A future one: what is sent before, and the decision then.
        let past = try await scene.nudged(["explain", Scene.user(1), "--at", "2026-01-05T13:00:00+01:00"])
        #expect(past.output.hasPrefix("Past: from a day before") && !past.output.contains("decision"), "\(past.text)")
        #expect(past.output.contains("the record around then\n  nothing"), "\(past.text)")
        let then = try scene.sql("select to_char(now() + interval '2 days', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
        let future = try await scene.nudged(["explain", Scene.user(1), "--at", then, "--json"])
        #expect(
            future.output.contains(#""question":"future""#) && future.output.contains(#""action":"nothing""#)
                && future.output.contains(#""before":[{"at":"20"#),
            "\(future.text)"
        )
        #expect(!future.output.contains("stale"), "\(future.text)")
        let far = try await scene.nudged(["explain", Scene.user(1), "--at", "2099-01-05T12:00:00Z"])
        #expect(far.exit == .code(64) && far.errors.contains("at most 366 days ahead"), "\(far.text)")
    }

    @Test func explain_whenTheKindIsPaused_saysSo() async throws {
        let scene = try await Scene()
        try scene.seedDue(1)
        try await scene.nudged(["pause", "message"])
        #expect(try await scene.nudged(["explain", Scene.user(1), "--json"]).output.contains(#""action":"send""#))
        try await scene.nudged(["pause", "check_in", "--reason", "a wrong text"])
        let run = try await scene.nudged(["explain", Scene.user(1), "--json"])
        #expect(run.output.contains(#""plan":{"action":"nothing","reason":"paused""#), "\(run.text)")
        #expect(run.output.contains(#""cause":"paused","kind":"check_in""#), "\(run.text)")
        let plain = try await scene.nudged(["explain", Scene.user(1)])
        let said = plain.output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        #expect(said.contains("check-ins are paused since ") && said.contains("a wrong text"), "\(plain.text)")
        #expect(try await scene.nudged(["forecast", "--json"]).number("pushes") == 0)
    }

    /// Messages by their ids; what they say is shown nowhere.
    @Test func explain_whenMessagesWait_showsEachDecision() async throws {
        let scene = try await Scene()
        try scene.seedDue(1)
        let send = "select nudged_api.send('\(Scene.user(1))', 'Ann', 'planted-message-text', urgent => true)"
        let ids = [try scene.sql(send), try scene.sql(send)]
        let forecast = try await scene.nudged(["forecast", "--hours", "1", "--json"])
        #expect(forecast.output.contains(#""by_kind":{"check_in":1,"message":2,"#), "\(forecast.text)")
        let plain = try await scene.nudged(["explain", Scene.user(1)])
        let json = try await scene.nudged(["explain", Scene.user(1), "--json"])
        for id in ids {
            #expect(plain.output.contains("why: message \(id): send, urgent"), "\(plain.text)")
            #expect(
                json.output.contains("{\"kind\":\"message\",\"key\":\"\(id)\",\"members\":[\"\(id)\"],"),
                "\(json.text)"
            )
        }
        #expect(plain.output.contains("why: check_in: send, due"), "\(plain.text)")
        try await scene.nudged(["pause", "message"])
        let held = try await scene.nudged(["explain", Scene.user(1)])
        #expect(held.output.contains("why: message \(ids[0]): hold, paused"), "\(held.text)")
        for run in [forecast, plain, json, held] { #expect(!run.text.contains("planted")) }
    }

    @Test func explain_whenNobodyIsThere_saysSo() async throws {
        let scene = try await Scene()
        let nobody = try await scene.nudged(["explain", Scene.user(7)])
        #expect(
            nobody.exit == .code(67)
                && nobody.errors.contains("neither nudged.recipient nor nudged.device has user \(Scene.user(7))"),
            "\(nobody.text)"
        )
        #expect(try await scene.nudged(["explain", "seven"]).exit == .code(64))
        #expect(try await scene.nudged(["explain", Scene.user(7), "--at", "noon"]).exit == .code(64))
    }

    /// The first line says what to act on: a stopped lane of a daemon that runs.
    @Test func explain_whenTheLaneIsStopped_leadsWithIt() async throws {
        let scene = try await Scene(perDevice: { _, _ in .answer(status: 403, reason: "InvalidProviderToken") })
        let process = try scene.start(["run"], ["SCHEDULE_INTERVAL": "100ms"])
        try scene.seedDue(2)
        try await scene.wait(
            for: #"exists (select from nudged.daemon where state @? '$.lanes[*] ? (@.state == "stopped")')"#,
            of: process
        )
        let run = try await scene.nudged(["explain", Scene.user(1)])
        let said = run.output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        #expect(
            said.hasPrefix("Waits: the lane sandbox \(Scene.topic) is stopped (Apple answers InvalidProviderToken). "),
            "\(run.text)"
        )
        #expect(said.contains("in the way the lane sandbox"), "\(run.text)")
        process.signal(SIGTERM)
        try await scene.finish(process)
    }

    /// A user who was there before the triggers, or whose change was lost.
    @Test func explain_whenNudgedHasNotSeenTheUser_saysWhatAddsThem() async throws {
        let scene = try await Scene()
        try scene.seedDue(1)
        try scene.sql("delete from nudged.touched")
        let run = try await scene.nudged(["explain", Scene.user(1)])
        #expect(run.exit == .code(0) && run.output.hasPrefix("Not seen yet: the app has a row"), "\(run.text)")
        #expect(try await scene.nudged(["explain", Scene.user(1), "--json"]).output.contains(#""seen":false"#))
    }

    @Test func explain_whenThereIsNoDevice_tellsTheReasonsApart() async throws {
        let scene = try await Scene()
        try scene.seedDue(1)
        for (change, reason) in [
            ("update public.push_tokens set platform = 'android'", "devices are of other platforms (android), and no"),
            (
                "update public.push_tokens set platform = 'ios', environment = 'production'",
                "1 device is of the environment production, which is not configured"
            ),
            (
                """
                alter table public.push_tokens alter device_token drop not null;
                update public.push_tokens set device_token = null
                """,
                "nudged.device has 1 row of this user without a token"
            ),
            ("delete from public.push_tokens", "Nothing is planned: nudged.device has no row of this user"),
        ] {
            try scene.sql(change)
            let run = try await scene.nudged(["explain", Scene.user(1)])
            let said = run.output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
            #expect(said.hasPrefix("Nothing is planned: ") && said.contains(reason), "\(change): \(run.text)")
        }
    }

    @Test func forecast_whenUsersAreDue_countsTheirPushes() async throws {
        let scene = try await Scene()
        try scene.seedDue(20, devices: 2)
        let json = try await scene.nudged(["forecast", "--hours", "2", "--json"])
        #expect(json.exit == .code(0) && json.number("pushes") == 40 && json.number("nudges") == 20, "\(json.text)")
        #expect(json.errors == "")
        let plain = try await scene.nudged(["forecast", "--hours", "30"])
        #expect(plain.output.contains(" for 30 h: 80 pushes; 20 users are due"), "\(plain.text)")
        #expect(try scene.sql("select count(*) from nudged.person where evaluated_at is not null") == "0")
        #expect(try await scene.nudged(["forecast", "--hours", "0"]).exit == .code(64))
    }

    @Test func sendTest_whenAppleAnswers_saysWhatItMeans() async throws {
        let scene = try await Scene(perDevice: { token, _ in
            if token.hasSuffix("1") { return .answer(status: 400, reason: "BadDeviceToken") }
            if token.hasSuffix("2") { return .unregistered(timestamp: nil) }
            return nil
        })
        try scene.seedDue(1, devices: 3)
        let taken = try await scene.nudged(["send-test", "--token", Scene.token(5)])
        #expect(taken.exit == .code(0) && taken.output.contains("(not Apple's): 200: accepted"), "\(taken.text)")
        #expect(!taken.output.contains("c0ffee"))
        let own = ["--title", "Ann", "--body", "Can you see this?"]
        #expect(try await scene.nudged(["send-test", "--token", Scene.token(5)] + own).exit == .code(0))
        let alerts = try scene.simulator.snapshot().accepted.map { try JSONValue(parsing: $0.payload)["aps"]?["alert"] }
        #expect(alerts.map { $0?["title"] } == [.string("nudged"), .string("Ann")])
        #expect(alerts.last??["body"] == .string("Can you see this?"))
        #expect(try await scene.nudged(["send-test", "--token", Scene.token(5), "--title", " "]).exit == .code(64))
        let long = ["--body", String(repeating: "x", count: 4_000)]
        let tooLong = try await scene.nudged(["send-test", "--token", Scene.token(5)] + long)
        #expect(tooLong.exit == .code(64) && tooLong.errors.contains("--title and --body"), "\(tooLong.text)")
        let all = try await scene.nudged(["send-test", "--user", Scene.user(1)])
        #expect(all.exit == .code(65) && all.output.split(separator: "\n").count == 3, "\(all.text)")
        #expect(all.output.contains("400 BadDeviceToken: the token belongs to the other environment"), "\(all.text)")
        #expect(all.output.contains("410 Unregistered: the app was removed"), "\(all.text)")
        // It leaves no trace.
        #expect(try scene.sql("select count(*) from public.push_tokens") == "3")
        #expect(try scene.sql("select count(*) from nudged.delivery") == "0")
        #expect(try await scene.nudged(["send-test", "--user", Scene.user(9)]).exit == .code(67))
        #expect(try await scene.nudged(["send-test"]).exit == .code(64))
    }

    @Test func sendTest_whenItIsProduction_isRefused() async throws {
        let scene = try await Scene()
        let production: [String: String?] = ["APNS_ENVIRONMENT": "production"]
        let refused = try await scene.nudged(["send-test", "--token", Scene.token(5)], production)
        #expect(refused.exit == .code(77) && refused.errors.contains("--force"), "\(refused.text)")
        #expect(scene.simulator.counts.accepted == 0)
        let forced = try await scene.nudged(["send-test", "--token", Scene.token(5), "--force"], production)
        #expect(forced.exit == .code(0) && scene.simulator.counts.accepted == 1, "\(forced.text)")
    }

    @Test func sendTest_whenTheLaneIsRefusedOrAway_saysTheRemedy() async throws {
        let scene = try await Scene(perDevice: { _, _ in .answer(status: 403, reason: "InvalidProviderToken") })
        let refused = try await scene.nudged(["send-test", "--token", Scene.token(5), "--json"])
        #expect(refused.exit == .code(78) && refused.output.contains("check that apns.keyId"), "\(refused.text)")
        let away = try await scene.nudged(
            ["send-test", "--token", Scene.token(5)],
            ["APNS_ENDPOINT": "https://localhost:1"]
        )
        #expect(away.exit == .code(69) && away.output.contains("the connection failed"), "\(away.text)")
    }
}
