import FoundationEssentials
import JSON
import Seeded
import TestSupport
import Testing

@testable import APNs

@Suite struct NotificationTests {
    private func text(_ notification: APNs.Notification) -> String {
        var out: [UInt8] = []
        notification.render(into: &out)
        return String(decoding: out, as: UTF8.self)
    }

    /// The payload of a push with these options; nil: they are refused.
    private func text(apns: String, of notification: APNs.Notification = .init(title: "t", body: "b")) -> String? {
        var notification = notification
        return notification.take(apns: apns) ? text(notification) : nil
    }

    @Test func payload_isExact_whenPlain() {
        #expect(
            text(.init(title: "Hi", body: "How are you?")) == #"{"aps":{"alert":{"title":"Hi","body":"How are you?"},"#
                + #""sound":"default"},"action":"new_conversation"}"#
        )
    }

    @Test func payload_isExact_whenEverythingIsSet() throws {
        var notification = APNs.Notification(title: "a\"b", body: "line\nline\\ \u{1}\u{1F} é 👋")
        notification.badge = 3
        notification.threadID = "t"
        notification.category = "c"
        notification.interruptionLevel = .timeSensitive
        notification.relevanceScore = 0.5
        notification.mutableContent = true
        notification.conversationID = UUID(uuidString: "0F0E0D0C-0B0A-0908-0706-050403020100")
        notification.domain = "work"
        notification.custom = try #require(CustomMembers([("campaign", "{\"n\":[1,2]}"), ("x", "null")]))
        #expect(
            text(notification) == #"{"aps":{"alert":{"title":"a\"b","body":"line\nline\\ \u0001\u001f é 👋"},"#
                + #""sound":"default","badge":3,"thread-id":"t","category":"c","interruption-level":"time-sensitive","#
                + #""relevance-score":0.5,"mutable-content":1},"#
                + #""conversation_id":"0f0e0d0c-0b0a-0908-0706-050403020100","domain":"work","#
                + #""action":"open_conversation","campaign":{"n":[1,2]},"x":null}"#
        )
    }

    /// Each member of `apns`, as `nudged.apns_fault` accepts it.
    @Test(arguments: [
        (#"{"subtitle":"é"}"#, #""alert":{"title":"t","subtitle":"é","body":"b"},"sound":"default""#),
        (#"{"badge":0}"#, #""alert":{"title":"t","body":"b"},"sound":"default","badge":0"#),
        (#"{"sound":"none"}"#, #""alert":{"title":"t","body":"b"}"#),
        (#"{"sound":"bell.caf"}"#, #""alert":{"title":"t","body":"b"},"sound":"bell.caf""#),
        (
            #"{"sound":{"name":"a\"","volume":0.5,"critical":1},"interruption_level":"critical"}"#,
            #""alert":{"title":"t","body":"b"},"sound":{"critical":1,"name":"a\"","volume":0.5},"interruption-level":"critical""#
        ),
        (
            #"{"interruption_level":"passive","relevance_score":1}"#,
            #""alert":{"title":"t","body":"b"},"sound":"default","interruption-level":"passive","relevance-score":1.0"#
        ),
        (
            #"{"category":"c","thread_id":"t","relevance_score":0.125}"#,
            #""alert":{"title":"t","body":"b"},"sound":"default","thread-id":"t","category":"c","relevance-score":0.125"#
        ),
        (
            #"{"mutable_content":true,"filter_criteria":"f","target_content_id":"w"}"#,
            #""alert":{"title":"t","body":"b"},"sound":"default","mutable-content":1,"filter-criteria":"f","#
                + #""target-content-id":"w""#
        ),
        (
            #"{"loc_key":"B","loc_args":["a","b\""],"title_loc_key":"T","subtitle_loc_key":"S","subtitle_loc_args":[]}"#,
            #""alert":{"title-loc-key":"T","subtitle-loc-key":"S","subtitle-loc-args":[],"loc-key":"B","#
                + #""loc-args":["a","b\""]},"sound":"default""#
        ),
    ]) func payload_isExact_whenTheAppSaysHowItLooks(apns: String, aps: String) {
        #expect(text(apns: apns) == #"{"aps":{\#(aps)},"action":"new_conversation"}"#)
    }

    @Test func payload_whenItHasAnImage_isMutable() {
        #expect(
            text(apns: #"{"image_url":"https://example.com/a.png"}"#)
                == #"{"aps":{"alert":{"title":"t","body":"b"},"sound":"default","mutable-content":1},"#
                + #""action":"new_conversation","image_url":"https://example.com/a.png"}"#
        )
    }

    @Test(arguments: [
        (#"{"content_available":true}"#, #""content-available":1"#), (#"{"badge":0}"#, #""badge":0"#),
        (#"{"badge":3,"content_available":true}"#, #""content-available":1,"badge":3"#),
    ]) func payload_whenItHasNoText_hasNothingToTap(apns: String, aps: String) throws {
        var notification = APNs.Notification(title: "", body: "")
        notification.custom = try #require(CustomMembers(object: #"{"sync": 1}"#))
        #expect(text(apns: apns, of: notification) == #"{"aps":{\#(aps)},"sync": 1}"#)
    }

    @Test(arguments: [
        "", "[]", #"{"bagde":1}"#, #"{"badge":"1"}"#, #"{"badge":1.5}"#, #"{"interruption_level":"loud"}"#,
        #"{"sound":null}"#, #"{"sound":{"critical":1}}"#,
    ]) func options_whenNoneThatTheDatabaseAccepts_areRefused(apns: String) { #expect(text(apns: apns) == nil) }

    @Test func payload_parsesBackToTheSameText_whateverItIs() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix64(seed: seed)
        func randomText() -> String {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                let top: UInt32 = [0x20, 0x80, 0x800, 0x1_0000, 0x11_0000].randomElement(using: &random) ?? 0x80
                if let scalar = Unicode.Scalar(UInt32.random(in: 0..<top, using: &random)) { text.append(scalar) }
            }
            return String(text)
        }
        for _ in 0..<3_000 {
            var notification = APNs.Notification(title: randomText(), body: randomText())
            notification.threadID = randomText()
            notification.domain = randomText()
            let value = try JSONValue(parsing: text(notification))
            let alert = value["aps"]?["alert"]
            // Compared by scalars: Swift's == also equates canonically equivalent strings.
            for (found, given) in [
                (alert?["title"], notification.title), (alert?["body"], notification.body),
                (value["aps"]?["thread-id"], notification.threadID ?? ""), (value["domain"], notification.domain ?? ""),
            ] {
                guard case .string(let found)? = found else { return fail("no string, seed \(seed)") }
                #expect(found.unicodeScalars.elementsEqual(given.unicodeScalars), "seed \(seed)")
            }
        }
    }

    /// Scenario 17.
    @Test func payload_isMeasured_whenAtAndOverTheLimit() throws {
        let limit = 4_096
        let frame = try APNs.Notification(title: "", body: "").rendered().count
        let full = APNs.Notification(title: "", body: String(repeating: "x", count: limit - frame))
        #expect(try full.rendered().count == limit)
        let over = APNs.Notification(title: "", body: String(repeating: "x", count: limit - frame + 1))
        #expect(throws: APNsError.payloadTooLarge(bytes: limit + 1, limit: limit)) { try over.rendered() }
    }

    @Test(arguments: ["aps", "conversation_id", "domain", "action", "image_url", "nudge", "withdraw"])
    func customMember_isRefused_whenItsNameIsTaken(name: String) {
        #expect(CustomMembers([(name, "1")]) == nil && CustomMembers(object: "{\"\(name)\":1}") == nil)
    }

    @Test func customMember_isRefused_whenGivenTwiceOrNoJSON() {
        #expect(CustomMembers([("a", "1"), ("a", "2")]) == nil)
        for bad in ["", "x", "1}", "1,\"aps\":{}", "{\"a\":}"] { #expect(CustomMembers([("a", bad)]) == nil) }
    }

    @Test func relevance_isLeftOut_whenNotFinite() {
        for score in [Double.nan, .infinity, -.infinity] {
            var notification = APNs.Notification(title: "", body: "")
            notification.relevanceScore = score
            #expect(!text(notification).contains("relevance"))
        }
    }
}
