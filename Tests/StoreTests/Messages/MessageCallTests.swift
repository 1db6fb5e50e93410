import Postgres
import Synchronization
import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// `nudged_api.send` and its relatives, where an app breaks or races them. `CallTranscriptTests` has their rules.
@Suite(.ownThreads) struct MessageCallTests {
    private let user = F.quoted(1)

    private static let members: [String: (types: Set<String>, phrase: String)] = [
        "user_id": (["string"], "UUID"), "title": (["string"], "text"), "body": (["string"], "text"),
        "data": (["object"], "object"), "urgent": (["boolean"], "boolean"), "category": (["string"], "text"),
        "thread_id": (["string"], "text"), "collapse_key": (["string"], "text"), "expires_at": (["string"], "instant"),
        "dedupe_key": (["string"], "text"), "apns": (["object"], "object"), "deliver_at": (["string"], "instant"),
        "deliver_local": (["string"], "wall time"),
    ]
    private static let values = [
        "number": ["5", "0", "1", "20291121", "-1.5e3"], "boolean": ["true", "false"],
        "array": ["[]", #"["planted"]"#],
        "object": ["{}", #"{"planted": 1}"#], "string": [#""""#, #""planted""#, #""true""#, #""1""#],
    ]

    /// A value of a wrong type is neither converted nor shown: the call names the message and the member.
    @Test(arguments: members.keys.sorted()) func sendMany_whenAMemberIsOfAWrongType_namesIt(member: String) async throws
    {
        let fixture = try await F()
        let (types, phrase) = try #require(Self.members[member])
        for (type, values) in Self.values where !types.contains(type) {
            for value in values {
                // A second one of the name would replace it.
                let rest = [
                    "user_id": "\"\(F.user(1).uuidString)\"", "title": #""a""#, "body": #""b""#,
                ].filter { $0.key != member }.map { #""\#($0.key)": \#($0.value)"# }
                let bad = "{" + (rest + [#""\#(member)": \#(value)"#]).joined(separator: ", ") + "}"
                let good = #"{"user_id": "\#(F.user(2).uuidString)", "title": "a"}"#
                let refused = try fixture.refusal("select nudged_api.send_many('[\(good), \(bad)]'::jsonb)")
                #expect(
                    refused.hasPrefix("22023 nudged_api.send_many: message 1: \(member) is no \(phrase)"),
                    "\(value): \(refused)"
                )
                #expect(!refused.contains("planted"))
            }
        }
        #expect(try fixture.sql("select count(*) from nudged.message") == "0")
        // Null is as if it were not there.
        guard member != "user_id" else { return }
        let body = member == "title" ? #", "body": "b""# : ""
        try fixture.sql(
            "select nudged_api.send_many('[{\"user_id\": \"\(F.user(1).uuidString)\"\(member == "title" ? "" : #", "title": "a""#)\(body), \"\(member)\": null}]'::jsonb)"
        )
        #expect(try fixture.sql("select count(*) from nudged.message") == "1")
    }
}
