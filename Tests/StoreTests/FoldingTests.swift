import NudgedPreferences
import TestSupport
import Testing

@testable import Core

/// Names in ASCII where a locale could change them, and values that can't be read. `CallTranscriptTests` has collations.
@Suite(.ownThreads) struct FoldingTests {
    /// In Turkish, the small letter of I has no dot. In Lithuanian and Azeri, i keeps or gets one.
    @Test(arguments: ["tr-TR", "az", "lt-LT", "de-DE"])
    func names_whenTheLocaleFoldsOtherwise_areTheSame(locale: String) async throws {
        let fixture = try await F(made: "encoding 'UTF8' locale_provider icu icu_locale '\(locale)' locale 'C.UTF-8'")
        #expect(try fixture.sql("select count(*) from nudged.excess_right") == "0")
        try fixture.seed(1...1)
        for platform in ["IOS", "iOS", " iPadOS ", "VISIONOS\r", "tvOS\t"] {
            try fixture.sql("update public.push_tokens set platform = '\(platform)'")
            #expect(try fixture.sql("select count(*) from nudged.device") == "1", "\(platform)")
            #expect(try fixture.sql("select nudged.devices_left_out(\(F.quoted(1))) is null") == "t", "\(platform)")
        }
        try fixture.sql("update public.push_tokens set platform = 'android'")
        #expect(try fixture.sql("select nudged.devices_left_out(\(F.quoted(1)))") == "android")
        let fault = #"select nudged_api.preferences_fault('{"TIMEZONE": "a/b", "check_ins_enabled": true}')"#
        try fixture.expect(fault, "TIMEZONE is unknown: did you mean timezone?")
        let token = String(repeating: "AI", count: 32).replacing("I", with: "1")
        try fixture.sql("select nudged_api.register_device(\(F.quoted(1)), '\(token)')")
        try fixture.expect("select device_token from public.push_tokens where device_token ~ 'a1'", token.lowercased())
    }

    /// A value that can't be read hides no "no".
    @Test(arguments: ["1e200", "null"]) func preferences_whenTheyCantBeRead_keepTheirNo(value: String) async throws {
        let fixture = try await F()
        let deep = value == "null" ? String(repeating: "[", count: 600) + String(repeating: "]", count: 600) : value
        func read(_ json: String) throws -> Preferences {
            Preferences(parsing: try fixture.sql("select nudged.preferences_text('\(json)'::jsonb)"))
        }
        #expect(try read(#"{"messages_enabled": false, "x": \#(deep)}"#).messagesEnabled == false)
        let other = try read(#"{"messages_enabled": true, "x": \#(deep)}"#)
        #expect(other.messagesEnabled && other.malformed != nil)
        #expect(try read(#"{"messages_enabled": \#(deep)}"#).messagesEnabled == false)
    }
}
