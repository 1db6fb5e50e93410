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
}
