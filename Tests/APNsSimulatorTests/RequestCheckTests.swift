import HTTP2Server
import Testing

@testable import APNsSimulator

/// The simulated Apple refuses what Apple refuses. The rest of it is tested by the sender's scenarios.
@Suite struct RequestCheckTests {
    private static let good = [
        "apns-topic": "com.example.app", "apns-push-type": "alert", "apns-priority": "10", "apns-expiration": "0",
        "apns-id": "0E1D2C3B-4a59-6877-8695-a4b3c2d1e0f1", "apns-collapse-id": String(repeating: "x", count: 64),
    ]

    private static func payload(_ size: Int) -> String {
        let frame = #"{"aps":{"alert":""}}"#
        return #"{"aps":{"alert":"\#(String(repeating: "x", count: size - frame.utf8.count))"}}"#
    }

    /// The reason of the refusal; nil if the push is valid.
    private static func refusal(_ changes: [String: String?] = [:], body: String = payload(100)) -> String? {
        var headers = HeaderFields()
        for name in [":method", ":scheme", ":authority", ":path"] { headers.append(name, "x") }
        for (name, value) in good.merging(changes.compactMapValues(\.self), uniquingKeysWith: { $1 })
        where changes[name] != .some(nil) { headers.append(name, value) }
        var settings = SimulatorSettings()
        settings.topics = ["com.example.app"]
        do throws(RequestRefusal) {
            let bytes = Array(body.utf8)
            _ = try AcceptedPush(token: "00", headers: headers, body: bytes, settings: settings, now: 0, connection: 1)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(arguments: [
        ("GET", "/3/device/00", "MethodNotAllowed"), ("POST", "/2/device/00", "BadPath"), ("POST", "/", "BadPath"),
        ("POST", "/3/device/00/11", "BadPath"), ("POST", "/3/device/", "MissingDeviceToken"),
        ("POST", "/3/device/0g", "BadDeviceToken"), ("POST", "/3/device/abc", "BadDeviceToken"),
        ("POST", "/3/device/\(String(repeating: "0", count: 202))", "BadDeviceToken"),
        ("POST", "/3/device/0aF9", "0aF9"),
    ]) func target_isAcceptedOrRefused(method: String, path: String, expected: String) {
        do throws(RequestRefusal) {
            #expect(try AcceptedPush.token(method: method, path: path) == expected)
        } catch {
            #expect(error.reason == expected)
        }
    }

    @Test func push_whenAFieldIsWrong_isRefused() {
        let table: [(String, String?, String)] = [
            ("apns-topic", nil, "MissingTopic"), ("apns-topic", "no topic", "BadTopic"),
            ("apns-topic", "com.example.other", "TopicDisallowed"), ("apns-push-type", nil, "InvalidPushType"),
            ("apns-push-type", "loud", "InvalidPushType"), ("apns-push-type", "background", "BadPriority"),
            ("apns-priority", "7", "BadPriority"), ("apns-expiration", "soon", "BadExpirationDate"),
            ("apns-expiration", "-1", "BadExpirationDate"), ("apns-id", "123", "BadMessageId"),
            ("apns-collapse-id", String(repeating: "x", count: 65), "BadCollapseId"),
            ("apns-id", "0e1d2c3b4-a59-6877-8695-a4b3c2d1e0f1", "BadMessageId"),
        ]
        for (name, value, reason) in table { #expect(Self.refusal([name: value]) == reason, "\(name) \(value ?? "")") }
        #expect(Self.refusal() == nil)
        #expect(Self.refusal(["apns-id": nil, "apns-priority": nil, "apns-expiration": nil]) == nil)
    }

    @Test func push_whenItsPayloadIsWrong_isRefused() {
        for body in ["", "{}", "[]", #"{"aps":1}"#, #"{"aps":{}"#] {
            #expect(Self.refusal(body: body) == "PayloadEmpty")
        }
        #expect(Self.refusal(body: Self.payload(4096)) == nil)
        #expect(Self.refusal(body: Self.payload(4097)) == "PayloadTooLarge")
        #expect(Self.refusal(["apns-push-type": "voip"], body: Self.payload(5120)) == nil)
        #expect(Self.refusal(["apns-push-type": "voip"], body: Self.payload(5121)) == "PayloadTooLarge")
    }
}
