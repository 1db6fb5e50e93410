import APNsSimulator
import Glibc
import LocalPostgres
import TestSupport
import Testing

/// `nudged explain`, `forecast` and `send-test` as an operator runs them.
@Suite(.ownThreads) struct AskingTests {
    @Test func explain_whenTheUserIsDue_saysWhatASweepThenDoes() async throws {
        let scene = try await Scene()
        try scene.seedDue(2, devices: 2)
        try scene.sql("update public.push_tokens set topic = 'com.example.other' where device_token like '%1'")
        let words = try await scene.nudged(["explain", Scene.user(1)])
        #expect(words.exit == .code(0), "\(words.text)")
        let said = words.output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        for part in [
            "user \(Scene.user(1)) at 20", " +00:00 in UTC", "decision send the check-in of ",
            "why: check_in: send, due",
            "quiet_hours", "no lane of this configuration serves it", "the record nothing",
        ] { #expect(said.contains(part), "\(part): \(words.output)") }
        #expect(!words.output.contains("c0ffee"))
        #expect(
            words.output.split(separator: "\n").allSatisfy { $0.count <= 80 || !$0.dropFirst(80).contains(" ") },
            "\(words.output)"
        )
        let json = try await scene.nudged(["explain", Scene.user(1), "--json"])
        #expect(
            json.output.contains(#""verdict":{"action":"send""#) && json.output.contains(#""standing":"not_served""#),
            "\(json.text)"
        )
        #expect(
            try scene.sql("select count(*) from nudged.person where asked_at is not null")
                == "0"
        )
        #expect(try await scene.once().number("sent") == 2)
        let after = try await scene.nudged(["explain", Scene.user(1)])
        let flat = after.output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        #expect(flat.contains("accepted (status 200)") && flat.contains("sent check-in of 20"), "\(after.text)")
        // A past instant: the record, and no decision. A future one: the decision then.
        let past = try await scene.nudged(["explain", Scene.user(1), "--at", "2026-01-05T13:00:00+01:00"])
        #expect(past.output.contains("This instant is past") && !past.output.contains("decision"), "\(past.text)")
        #expect(past.output.contains("the record around then\n  nothing"), "\(past.text)")
        let future = try await scene.nudged(["explain", Scene.user(1), "--at", "2099-01-05T12:00:00Z", "--json"])
        #expect(
            future.output.contains(#""question":"future""#) && future.output.contains(#""action":"#),
            "\(future.text)"
        )
    }

    @Test func explain_whenTheKindIsPaused_saysSo() async throws {
        let scene = try await Scene()
        try scene.seedDue(1)
        try await scene.nudged(["pause", "message"])
        #expect(try await scene.nudged(["explain", Scene.user(1), "--json"]).output.contains(#""action":"send""#))
        try await scene.nudged(["pause", "check_in"])
        let run = try await scene.nudged(["explain", Scene.user(1), "--json"])
        #expect(run.output.contains(#""verdict":{"action":"rest","reason":"paused""#), "\(run.text)")
        #expect(try await scene.nudged(["forecast", "--json"]).number("pushes") == 0)
    }

    /// Messages by their ids; what they say is shown nowhere.
    @Test func explain_whenMessagesWait_showsEachDecision() async throws {
        let scene = try await Scene()
        try scene.seedDue(1)
        let send = "select nudged.send('\(Scene.user(1))', 'Ann', 'planted-message-text', urgent => true)"
        let ids = [try scene.sql(send), try scene.sql(send)]
        let forecast = try await scene.nudged(["forecast", "--hours", "1", "--json"])
        #expect(forecast.output.contains(#""by_kind":{"check_in":1,"message":2,"#), "\(forecast.text)")
        let words = try await scene.nudged(["explain", Scene.user(1)])
        let json = try await scene.nudged(["explain", Scene.user(1), "--json"])
        for id in ids {
            #expect(words.output.contains("why: message \(id): send, urgent"), "\(words.text)")
            #expect(
                json.output.contains("{\"kind\":\"message\",\"key\":\"\(id)\",\"members\":[\"\(id)\"],"),
                "\(json.text)"
            )
        }
        #expect(words.output.contains("why: check_in: send, due"), "\(words.text)")
        try await scene.nudged(["pause", "message"])
        let held = try await scene.nudged(["explain", Scene.user(1)])
        #expect(held.output.contains("why: message \(ids[0]): hold, paused"), "\(held.text)")
        for run in [forecast, words, json, held] { #expect(!run.text.contains("planted")) }
    }

    @Test func explain_whenNobodyIsThere_saysSo() async throws {
        let scene = try await Scene()
        let nobody = try await scene.nudged(["explain", Scene.user(7)])
        #expect(
            nobody.exit == .code(67) && nobody.errors.contains("nothing is known of user \(Scene.user(7))"),
            "\(nobody.text)"
        )
        #expect(try await scene.nudged(["explain", "seven"]).exit == .code(64))
        #expect(try await scene.nudged(["explain", Scene.user(7), "--at", "noon"]).exit == .code(64))
    }

    @Test func forecast_whenUsersAreDue_countsTheirPushes() async throws {
        let scene = try await Scene()
        try scene.seedDue(20, devices: 2)
        let json = try await scene.nudged(["forecast", "--hours", "2", "--json"])
        #expect(json.exit == .code(0) && json.number("pushes") == 40 && json.number("nudges") == 20, "\(json.text)")
        #expect(json.errors == "")
        let words = try await scene.nudged(["forecast", "--hours", "30"])
        #expect(words.output.contains(" for 30 h: 80 pushes; 20 users are due"), "\(words.text)")
        #expect(try scene.sql("select count(*) from nudged.person where asked_at is not null") == "0")
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
        #expect(taken.exit == .code(0) && taken.output.contains("(sandbox): 200: accepted"), "\(taken.text)")
        #expect(!taken.output.contains("c0ffee"))
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

    @Test func sendTest_whenTheLaneIsRefusedOrAway_saysTheMend() async throws {
        let scene = try await Scene(perDevice: { _, _ in .answer(status: 403, reason: "InvalidProviderToken") })
        let refused = try await scene.nudged(["send-test", "--token", Scene.token(5), "--json"])
        #expect(refused.exit == .code(78) && refused.output.contains("check that apns.keyId"), "\(refused.text)")
        let away = try await scene.nudged(
            ["send-test", "--token", Scene.token(5)],
            ["APNS_ENDPOINT": "https://localhost:1"]
        )
        #expect(away.exit == .code(69) && away.output.contains("the connection to Apple failed"), "\(away.text)")
    }
}
