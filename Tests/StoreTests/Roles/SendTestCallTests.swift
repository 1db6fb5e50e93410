import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// `nudged_me.send_test`: a signed-in user tries their own device. `CallTranscriptTests` has for which devices and daemons.
@Suite(.ownThreads) struct SendTestCallTests {
    private static let call = "select (nudged_me.send_test()).id"

    private static func device(_ user: Int, _ environment: String?) -> String {
        "insert into public.push_tokens (user_id, device_token, environment) values (\(F.quoted(user)), '\(F.token(user))\(environment?.prefix(2) == "pr" ? "ab" : "")', \(environment.map { "'\($0)'" } ?? "null"));"
    }

    @Test func test_whenTheDeviceIsOfSandbox_goesToTheUserThemselves() async throws {
        let fixture = try await F.onSupabase()
        try fixture.sql(Self.device(1, "sandbox") + Self.device(2, "sandbox") + "truncate nudged.touched")
        #expect(try fixture.perform("authenticated", as: 1, Self.call) == "00000")
        try fixture.expect(
            "select user_id = \(F.quoted(1)), urgent, data, expires_at - created_at between '4 minutes' and '5 minutes', title <> '', body <> '' from nudged.message",
            [#"t|t|{"test": true}|t|t|t"#]
        )
        #expect(try fixture.lines("select user_id = \(F.quoted(1)), urgent from nudged.touched") == ["t|t"])
    }

    @Test func test_whenItHasATextOfItsOwn_bringsIt() async throws {
        let fixture = try await F.onSupabase()
        try fixture.sql(Self.device(1, "sandbox"))
        let own = "select (nudged_me.send_test('Ann', 'Can you see this?')).id"
        #expect(try fixture.perform("authenticated", as: 1, own) == "00000")
        try fixture.expect(
            "select title, body, urgent, data from nudged.message",
            [#"Ann|Can you see this?|t|{"test": true}"#]
        )
        // One of them is enough, if it has something to show.
        #expect(try fixture.perform("authenticated", as: 1, "select (nudged_me.send_test(body => 'Hi')).id") == "00000")
    }

    /// A test that waits for sandbox never goes out as a production push.
    @Test(arguments: [
        ("environment => 'production'", true), ("environment => null", true),
        ("environment => 'sandbox', topic => 'a.c'", true),
        ("environment => 'sandbox'", false),
    ]) func test_whenTheDeviceRegistersAnew_isDropped(how: String, drops: Bool) async throws {
        let fixture = try await F.onSupabase()
        try fixture.sql(Self.device(1, "sandbox") + Self.device(2, "sandbox"))
        for user in 1...2 { #expect(try fixture.perform("authenticated", as: user, Self.call) == "00000") }
        _ = try fixture.sendMessage(1, more: ", dedupe_key => 'k'")
        let token = try fixture.sql("select device_token from public.push_tokens where user_id = \(F.quoted(1))")
        let register = "select nudged_me.register_device('\(token)', \(how))"
        #expect(try fixture.perform("authenticated", as: 1, register) == "00000")
        try await fixture.drain()
        try fixture.expect(
            "select right(user_id::text, 2), title from nudged.message order by 1, 2",
            ["01|Hi", drops ? nil : "01|nudged", "02|nudged"].compactMap { $0 }
        )
        try fixture.expect(
            "select string_agg(outcome || ' ' || reason, ',') from nudged.delivery",
            (drops ? "dropped device_changed" : "")
        )
    }

    @Test func tests_whenTenWereSentInAnHour_wait() async throws {
        let fixture = try await F.onSupabase()
        try fixture.sql(Self.device(1, "sandbox") + Self.device(2, "sandbox"))
        for _ in 1...10 { #expect(try fixture.perform("authenticated", as: 1, Self.call) == "00000") }
        let answer = try fixture.attempt("authenticated", as: 1, Self.call)
        #expect(answer.state == "ND011" && answer.message.contains("ten tests"), "\(answer)")
        #expect(try fixture.perform("authenticated", as: 2, Self.call) == "00000")
        // The hour rolls: each place is free by itself.
        try fixture.sql(
            "update nudged.message_key set at = now() - interval '61 minutes' where key in ('nudged.send_test 3', 'nudged.send_test 7') and user_id = \(F.quoted(1))"
        )
        for state in ["00000", "00000", "ND011"] {
            #expect(try fixture.perform("authenticated", as: 1, Self.call) == state)
        }
        #expect(try fixture.sql("select count(*), count(distinct id) from nudged.message") == "13|13")
        // A backend can't take these places with keys of its own.
        let own = try fixture.attempt(
            "nudged_app",
            "select (nudged_api.send(\(F.quoted(3)), 'a', 'b', dedupe_key => 'nudged.send_test 1')).id"
        )
        #expect(own.state == "22023" && own.message.contains("dedupe_key"), "\(own)")
        // A user who is forgotten has had none.
        try fixture.sql("select (nudged_api.forget(\(F.quoted(1)))).done")
        #expect(try fixture.sql("select count(*) from nudged.message_key where user_id = \(F.quoted(1))") == "0")
    }

    @Test func test_whenNobodyIsSignedIn_isRefused() async throws {
        let fixture = try await F.onSupabase()
        #expect(try fixture.attempt("authenticated", Self.call).state == "28000")
        let plain = try await F()
        try plain.prepareAttempts()
        #expect(try plain.attempt("postgres", Self.call).state == "0A000")
    }
}
