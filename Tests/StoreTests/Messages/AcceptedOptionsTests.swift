import APNs
import Seeded
import TestSupport
import Testing

@testable import Core

/// A daemon takes an `apns` that it doesn't know for one of a newer version, and leaves its user alone. So it must know
/// all that SQL accepts.
@Suite(.ownThreads) struct AcceptedOptionsTests {
    /// Values for each member: mostly such as it has, in forms that differ a little.
    private static let values: [(String, [String])] = [
        ("subtitle", [#""s""#, #""é\u2028""#]), ("badge", ["0", "2147483647", #""increment""#, "1e1", "10.0"]),
        (
            "sound",
            [
                #""default""#, #""none""#, #""bell.caf""#, #"{"critical": 1}"#,
                #"{"critical": 1.0, "name": null, "volume": 1e-1}"#, #"{"critical": 1, "name": "x", "volume": 1}"#,
            ]
        ),
        ("interruption_level", [#""passive""#, #""active""#, #""time-sensitive""#, #""critical""#]),
        ("relevance_score", ["0", "1", "0.25", "1.0", "1e-90", "0.9999999"]), ("category", [#""c""#]),
        ("thread_id", [#""t""#]),
        ("mutable_content", ["true"]), ("image_url", [#""https://example.com/a.png""#]), ("title_loc_key", [#""T""#]),
        ("title_loc_args", [#"["x", ""]"#, "[]"]), ("subtitle_loc_key", [#""S""#]), ("subtitle_loc_args", [#"["x"]"#]),
        ("loc_key", [#""B""#]), ("loc_args", [#"["x"]"#]), ("filter_criteria", [#""f""#]),
        ("target_content_id", [#""w""#]),
        ("content_available", ["true"]), ("widgets", ["true"]), ("controls", ["true"]),
        ("data", ["{}", #"{"n": 1.50, "deep": {"x": [null]}}"#]),
        (
            "live_activity",
            [
                #"{"event": "start", "id": "1", "attributes_type": "A", "attributes": {}, "content_state": {"n": null}}"#,
                #"{"event": "update", "id": "1", "content_state": {"n": 1e300}, "stale_date": "2026-11-21T18:00:00Z", "priority": 5}"#,
                #"{"event": "end", "id": "1", "content_state": {}, "dismissal_date": "2199-12-31", "priority": 10, "attributes": null}"#,
            ]
        ),
    ]
    private static let odd = ["null", "false", "true", "1", #""""#, "{}", "[]", #""x""#]

    private static func draw(_ random: inout SplitMix64) -> String {
        // Most pairs of members are refused, so some have one member.
        let members = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let (name, fitting) = values.randomElement(using: &random)!
            let value = (Int.random(in: 0..<8, using: &random) == 0 ? odd : fitting).randomElement(using: &random)!
            return "\"\(name)\": \(value)"
        }
        return "{" + members.joined(separator: ", ") + "}"
    }

    @Test(arguments: Seeds.all) func apns_thatACallAccepts_isKnown(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let fixture = try await F()
        let drawn = (0..<300).map { _ in Self.draw(&random) }
        let list = drawn.map { "('\($0)')" }.joined(separator: ", ")
        try fixture.sql(
            """
            update nudged.setting set allow_critical = true;
            do $$ declare drawn jsonb; text text; begin
                for drawn, text in select d.apns::jsonb, t.text from (values \(list)) as d (apns), (values (null), ('b')) as t (text) loop
                    begin
                        perform nudged_api.send(\(F.quoted(1)), null, text, apns => drawn);
                    exception when invalid_parameter_value then
                    end;
                end loop;
            end $$
            """
        )
        let accepted = try fixture.lines("select distinct apns::text from nudged.message where apns is not null")
        #expect(accepted.count > 50)
        for apns in accepted { #expect(Notification.knows(apns: apns), "\(apns)") }
    }
}
