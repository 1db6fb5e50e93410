import FoundationEssentials
import HTTP2
import Certificates
import OpenSSL
import Testing

@testable import APNsSimulator

@Suite struct RequestCheckTests {
    private static func refusal(_ status: Int, _ reason: String) -> String { "\(status) {\"reason\":\"\(reason)\"}" }

    @Test func push_whenItIsGood() async throws {
        let pair = try SimulatorPair()
        let result = try await pair.send()
        #expect(result.text == "200 ")
        #expect(result.response?.headers["apns-id"] == "0e1d2c3b-4a59-6877-8695-a4b3c2d1e0f1")
        let snapshot = pair.simulator.snapshot()
        let push = try #require(snapshot.accepted.first)
        #expect(snapshot.accepted.count == 1)
        #expect(push.token == SimulatorPair.deviceToken)
        #expect(push.apnsID.uuidString.lowercased() == "0e1d2c3b-4a59-6877-8695-a4b3c2d1e0f1")
        #expect(push.collapseID == "nudge")
        #expect(push.topic == "com.example.app")
        #expect(push.priority == 10)
        #expect(push.expiration == 0)
        #expect(push.payload == SimulatorPair.payload)
        #expect(push.receivedAt == SimulatorPair.noon)
        #expect(push.connection == 1)
        #expect(push.attempt == 1)
        #expect(snapshot.answered == [AnsweredRequest(token: push.token, status: 200, reason: "", connection: 1)])
    }

    @Test func messageID_isReadInEitherCase() throws {
        let text = "0E1D2C3B-4A59-6877-8695-A4B3C2D1E0F1"
        let id = try #require(UUID(canonical: text))
        #expect(id.uuidString == text)
        #expect(id.canonical == text.lowercased())
        #expect(UUID(canonical: text + "0") == nil)
    }

    @Test func push_whenOptionalFieldsAreMissing() async throws {
        let pair = try SimulatorPair()
        let result = try await pair.send([
            "apns-id": nil, "apns-priority": nil, "apns-expiration": nil, "apns-collapse-id": nil,
        ])
        #expect(result.text == "200 ")
        let push = try #require(pair.simulator.snapshot().accepted.first)
        #expect(push.priority == 10)
        #expect(push.expiration == nil)
        #expect(push.collapseID == nil)
        #expect(result.response?.headers["apns-id"] == push.apnsID.uuidString.lowercased())
    }

    @Test(arguments: [
        ("GET", "/3/device/\(SimulatorPair.deviceToken)", 405, "MethodNotAllowed"),
        ("POST", "/2/device/00", 404, "BadPath"), ("POST", "/", 404, "BadPath"),
        ("POST", "/3/device/00/11", 404, "BadPath"),
        ("POST", "/3/device/", 400, "MissingDeviceToken"), ("POST", "/3/device", 400, "MissingDeviceToken"),
        ("POST", "/3/device/0g", 400, "BadDeviceToken"), ("POST", "/3/device/abc", 400, "BadDeviceToken"),
        ("POST", "/3/device/\(String(repeating: "0", count: 202))", 400, "BadDeviceToken"),
    ])
    func refused_whenTheTargetIs(method: String, path: String, status: Int, reason: String) async throws {
        let pair = try SimulatorPair()
        #expect(try await pair.send(path: path, method: method).text == Self.refusal(status, reason))
        #expect(pair.simulator.counts.accepted == 0)
        #expect(pair.simulator.counts.byReason == [reason: 1])
    }

    @Test(arguments: [
        ("apns-topic", nil, 400, "MissingTopic"), ("apns-topic", "no topic", 400, "BadTopic"),
        ("apns-topic", "com.example.other", 400, "TopicDisallowed"), ("apns-push-type", nil, 400, "InvalidPushType"),
        ("apns-push-type", "loud", 400, "InvalidPushType"), ("apns-push-type", "background", 400, "BadPriority"),
        ("apns-priority", "7", 400, "BadPriority"), ("apns-expiration", "soon", 400, "BadExpirationDate"),
        ("apns-expiration", "-1", 400, "BadExpirationDate"), ("apns-expiration", "1.5", 400, "BadExpirationDate"),
        ("apns-collapse-id", String(repeating: "x", count: 65), 400, "BadCollapseId"),
        ("apns-id", "123", 400, "BadMessageId"),
        ("apns-id", "0e1d2c3b4-a59-6877-8695-a4b3c2d1e0f1", 400, "BadMessageId"),
        ("apns-id", "0e1d2c3b-4a59-6877-8695-a4b3c2d1e0fg", 400, "BadMessageId"),
        ("authorization", nil, 403, "MissingProviderToken"), ("authorization", "bearer", 403, "MissingProviderToken"),
        ("authorization", "basic abc", 403, "MissingProviderToken"),
        ("authorization", "bearer a.b.c", 403, "InvalidProviderToken"),
        ("authorization", "bearer abc", 403, "InvalidProviderToken"),
    ])
    func refused_whenAFieldIs(name: String, value: String?, status: Int, reason: String) async throws {
        let pair = try SimulatorPair(settings: { $0.topics = ["com.example.app"] })
        #expect(try await pair.send([name: value]).text == Self.refusal(status, reason))
        #expect(pair.simulator.counts.accepted == 0)
    }

    @Test func collapseID_whenItHasExactly64Bytes() async throws {
        let pair = try SimulatorPair()
        #expect(try await pair.send(["apns-collapse-id": String(repeating: "x", count: 64)]).text == "200 ")
    }

    @Test(arguments: ["apns-topic", "authorization", "apns-id"])
    func refused_whenAFieldStandsTwice(name: String) async throws {
        let pair = try SimulatorPair()
        #expect(
            try await pair.send(repeating: name).text
                == Self.refusal(name == "authorization" ? 400 : 400, "DuplicateHeaders")
        )
    }

    private static func payload(_ size: Int) -> [UInt8] {
        let frame = #"{"aps":{"alert":""}}"#
        return Array(#"{"aps":{"alert":"\#(String(repeating: "x", count: size - frame.utf8.count))"}}"#.utf8)
    }

    @Test func payload_whenItsSizeIsAtTheLimit() async throws {
        let pair = try SimulatorPair()
        #expect(Self.payload(4096).count == 4096)
        #expect(try await pair.send(body: Self.payload(4096)).text == "200 ")
        #expect(try await pair.send(body: Self.payload(4097)).text == Self.refusal(413, "PayloadTooLarge"))
        #expect(try await pair.send(["apns-push-type": "voip"], body: Self.payload(5120)).text == "200 ")
        #expect(
            try await pair.send(["apns-push-type": "voip"], body: Self.payload(5121)).text
                == Self.refusal(413, "PayloadTooLarge")
        )
    }

    @Test(arguments: ["", "{}", "[]", "{\"aps\":1}", "{\"aps\":{}", "not json"])
    func refused_whenThePayloadIs(text: String) async throws {
        let pair = try SimulatorPair()
        #expect(try await pair.send(body: Array(text.utf8)).text == Self.refusal(400, "PayloadEmpty"))
    }

    // MARK: - Provider tokens

    @Test func token_whenAnythingInItIsWrong() async throws {
        let pair = try SimulatorPair()
        let other = try P256KeyPair.generate().privateKey
        let bad = [
            try SimulatorPair.bearer(pem: other), try SimulatorPair.bearer(keyID: "OTHERKEY01"),
            try SimulatorPair.bearer(teamID: "OTHERTEAM1"),
            try SimulatorPair.bearer(algorithm: "none"),
            try SimulatorPair.bearer(issuedAt: "\"\(SimulatorPair.noon)\""),
            try SimulatorPair.bearer() + "A", try SimulatorPair.bearer().replacing("bearer e", with: "bearer f"),
        ]
        for authorization in bad {
            #expect(
                try await pair.send(["authorization": authorization]).text == Self.refusal(403, "InvalidProviderToken")
            )
        }
        // None of them counts as this connection's token.
        #expect(try await pair.send().text == "200 ")
    }

    @Test(arguments: [
        (-3600, "403 {\"reason\":\"ExpiredProviderToken\"}"), (-3599, "200 "), (60, "200 "),
        (61, "403 {\"reason\":\"ExpiredProviderToken\"}"),
    ])
    func token_whenItsAgeIs(offset: Int64, expected: String) async throws {
        let pair = try SimulatorPair()
        let authorization = try SimulatorPair.bearer(issuedAt: "\(SimulatorPair.noon + offset)")
        #expect(try await pair.send(["authorization": authorization]).text == expected)
    }

    @Test func token_whenItIsRenewed() async throws {
        let pair = try SimulatorPair()
        let tokens = try (0..<Int64(4)).map { try SimulatorPair.bearer(issuedAt: "\(SimulatorPair.noon + $0)") }
        func send(_ number: Int) async throws -> String { try await pair.send(["authorization": tokens[number]]).text }
        let tooMany = Self.refusal(429, "TooManyProviderTokenUpdates")
        #expect(try await send(0) == "200 ")
        #expect(try await send(1) == tooMany)
        pair.clock.advance(by: 1199)
        #expect(try await send(2) == tooMany)
        // The refused ones did not become the connection's token.
        #expect(try await send(0) == "200 ")
        pair.clock.advance(by: 1)
        #expect(try await send(2) == "200 ")
        #expect(try await send(0) == tooMany)
        pair.clock.advance(by: 1200)
        #expect(try await send(3) == "200 ")
    }

    @Test func token_whenItsKeyChangesOnAConnection() async throws {
        let second = try P256KeyPair.generate()
        let pair = try SimulatorPair(settings: {
            $0.keys.append(.init(keyID: "SECONDKEY1", teamID: "OTHERTEAM1", pem: second.publicKey))
        })
        let other = try SimulatorPair.bearer(keyID: "SECONDKEY1", teamID: "OTHERTEAM1", pem: second.privateKey)
        #expect(try await pair.send().text == "200 ")
        #expect(try await pair.send(["authorization": other]).text == Self.refusal(403, "UnrelatedKeyIdInToken"))
    }

    @Test func token_whenItIsNotLookedAt() async throws {
        let pair = try SimulatorPair(settings: { $0.checksProviderToken = false })
        #expect(try await pair.send(["authorization": nil]).text == "200 ")
    }

    @Test func simulator_whenAKeyIsNone() throws {
        let certificate = try SimulatorPair.certificate.get()
        let settings = SimulatorSettings(keys: [.init(keyID: "K", teamID: "T", pem: "nothing")])
        #expect(throws: SimulatorError.self) {
            _ = try APNsSimulator(script: SimulatorScript(settings: settings), certificate: certificate.server)
        }
    }
}
