import Postgres
import TestSupport
import Testing

@testable import Core

/// Registrations at the same moment, and what the daemon makes of one. `CallTranscriptTests` has the calls' rules.
@Suite(.ownThreads) struct DeviceCallTests {
    /// Nobody is signed in where nothing says who.
    @Test(arguments: ["register_device('x')", "unregister_device('x')", "send_test()"])
    func call_whenThereIsNoSignIn_isRefused(call: String) async throws {
        let fixture = try await F()
        try fixture.prepareAttempts()
        let answer = try fixture.attempt("postgres", "select nudged_me.\(call)")
        #expect(answer.state == "0A000" && answer.more.contains("schema nudged_api"), "\(answer)")
    }

    /// A test push that waits for sandbox never goes out as a production push.
    @Test(arguments: [
        ("environment => 'production'", true), ("environment => null", true),
        ("environment => 'sandbox', topic => 'a.c'", true), ("environment => 'sandbox'", false),
    ]) func test_whenTheDeviceRegistersAnew_isDropped(how: String, drops: Bool) async throws {
        let fixture = try await F.onSupabase()
        for user in 1...2 {
            let device = "insert into public.push_tokens (user_id, device_token, environment) values"
            try fixture.sql("\(device) (\(F.quoted(user)), '\(F.token(user))', 'sandbox')")
            let call = "select (nudged_me.send_test()).id"
            #expect(try fixture.perform("authenticated", as: user, call) == "00000")
        }
        _ = try fixture.sendMessage(1, more: ", dedupe_key => 'k'")
        let register = "select nudged_me.register_device('\(F.token(1))', \(how))"
        #expect(try fixture.perform("authenticated", as: 1, register) == "00000")
        try await fixture.drain()
        try fixture.expect(
            "select right(user_id::text, 2), title from nudged.message order by 1, 2",
            ["01|Hi"] + (drops ? [] : ["01|nudged"]) + ["02|nudged"]
        )
        try fixture.expect("select outcome, reason from nudged.delivery", drops ? ["dropped|device_changed"] : [])
    }

    /// Two users register one phone at the same moment, where no key forbids it: the second takes it.
    @Test(.timeLimit(.minutes(10))) func device_whenTwoRegisterItAtOnce_isTheLasts() async throws {
        let fixture = try await F()
        func call(_ user: Int) -> String { "select nudged_api.register_device(\(F.quoted(user)), '\(F.token(1))')" }
        try await race(fixture, first: call(1), second: call(2))
        #expect(try fixture.sql("select right(user_id::text, 2) from public.push_tokens") == "02")
    }

    /// The app writes the row itself in that moment, without the lock that calls take: the call finds it then.
    @Test(.timeLimit(.minutes(10))) func device_whenTheAppWritesItAtOnce_isRenewed() async throws {
        let fixture = try await F()
        let row = "insert into public.push_tokens (user_id, device_token) values (\(F.quoted(1)), '\(F.token(1))')"
        try await race(
            fixture,
            first: row,
            second: "select nudged_api.register_device(\(F.quoted(1)), '\(F.token(1))', 'visionos')"
        )
        #expect(try fixture.lines("select platform from public.push_tokens") == ["visionos"])
    }

    /// The second statement begins while the first's transaction is open, which ends once the second waits.
    private func race(_ fixture: F, first: String, second: String) async throws {
        let other = try await fixture.connection()
        let connection = try await fixture.connection()
        let waiting = try await connection.transaction { transaction in
            try await transaction.execute(script: first)
            let ended = Flag()
            let task = Task {
                defer { ended.raise() }
                try await other.execute(script: second)
            }
            try await fixture.untilSomebodyWaits { ended.isRaised }
            return task
        }
        try await waiting.value
    }
}
