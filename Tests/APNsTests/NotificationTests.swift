import Foundation
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

    /// `Tests/Reference/payloads.txt` says what the payload is.
    @Test func payload_isAsWritten_whenTheAppSaysHowItLooks() throws {
        let lines = try Checkout.reference("payloads")
        #expect(lines.count == 20)
        var silent = APNs.Notification(title: "", body: "")
        silent.custom = try #require(CustomMembers(object: #"{"sync": 1}"#))
        for line in lines {
            let isSilent = line.hasPrefix("silent ")
            let parts = line.dropFirst(isSilent ? "silent ".count : 0).split(separator: " → ").map(String.init)
            let found = isSilent ? text(apns: parts[0], of: silent) : text(apns: parts[0])
            #expect(found == (parts[1] == "refused" ? nil : parts[1]), "\(line)")
        }
        #expect(text(apns: "") == nil)
    }

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
