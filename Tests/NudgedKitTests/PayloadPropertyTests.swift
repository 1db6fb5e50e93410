import JSON
import NudgedKit
import Seeded
import TestSupport
import Testing

/// Payloads as nobody should send them.
struct PayloadPropertyTests {
    private static let users = "0f4a1c3e-9b7d-4c2a-8e5f-001122334455"
    private static let secret = "s3cret-that-no-error-may-tell"
    private static let keys = [
        "aps", "conversation_id", "domain", "action", "subject_type", "subject_id", "data", "order", "", "\u{0}",
        "conversation_id\u{301}",
    ]

    private static func value(_ random: inout SplitMix64, depth: Int = 0) -> JSONValue {
        switch random.int(0...9) {
        case 0: .null
        case 1: .bool(random.chance(50))
        case 2: .int(Int64(bitPattern: random.next()))
        case 3: .number(Double(bitPattern: random.next() & ~(1 << 62)))
        case 4 where depth < 4: .array((0..<random.int(0...3)).map { _ in value(&random, depth: depth + 1) })
        case 5 where depth < 4: .object(object(&random, depth: depth + 1))
        case 6: .string(random.pick(["open_conversation", "new_conversation", "Open_Conversation"]))
        case 7: .string(random.pick([users, users.uppercased(), String(users.dropLast()), users + "\u{301}"]))
        default: .string(random.pick(["", secret, "task", "42", "\u{202E}\u{0}", "é", "緊急"]))
        }
    }

    private static func object(_ random: inout SplitMix64, depth: Int) -> JSONObject {
        JSONObject(
            (0..<random.int(0...6)).map { _ in .init(key: random.pick(keys), value: value(&random, depth: depth)) }
        )
    }

    private func check(_ bytes: [UInt8], _ seed: UInt64) -> Route {
        let payload = Payload(parsing: bytes)
        let text: Comment = "seed \(seed): \(String(decoding: bytes, as: UTF8.self))"
        #expect(payload.malformed?.contains(Self.secret) != true, text)
        #expect(payload == Payload(parsing: bytes), text)
        var asked = 0
        let route = payload.route { id in
            asked += 1
            return id.description == Self.users
        }
        #expect(asked <= 1, text)
        switch route {
        case .subject(let subject): #expect(!subject.type.isEmpty && !subject.id.isEmpty, text)
        case .conversation(let id, _):
            #expect(id.description == Self.users && asked == 1 && payload.action != .newConversation, text)
        case .message(let data):
            #expect(!data.isEmpty && asked == 0 && !payload.namesConversation, text)
            let again = Payload(parsing: data.json)
            #expect(again.data == data && again.malformed == nil, text)
        case .newConversation(let domain): #expect(domain == payload.domain, text)
        }
        // Nobody's conversations: none is ever opened.
        if case .conversation = payload.route(among: []) { Issue.record(text) }
        return route
    }

    @Test(arguments: Seeds.all) func payload_whenAnyJSON_leadsSomewhereAllowed(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var seen: [String: Int] = [:]
        for _ in 0..<1_200 {
            switch check(JSONValue.object(Self.object(&random, depth: 0)).bytes, seed) {
            case .subject: seen["subject", default: 0] += 1
            case .conversation: seen["conversation", default: 0] += 1
            case .message: seen["message", default: 0] += 1
            case .newConversation: seen["new", default: 0] += 1
            }
        }
        #expect(seen.count == 4, "seed \(seed): \(seen)")
    }

    @Test(arguments: Seeds.all) func payload_whenBytesAreSpoilt_leadsSomewhereAllowed(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let good = Array(
            """
            {"aps":{"alert":{"title":"Hi","body":"there"}},"conversation_id":"\(Self.users)","domain":"work",\
            "action":"open_conversation","subject_type":"task","subject_id":"42","order":[1,{"a":"\\u00e9"}]}
            """.utf8
        )
        for _ in 0..<1_200 {
            var bytes = good
            for _ in 0..<random.int(1...6) {
                let place = random.int(0...bytes.count - 1)
                switch random.int(0...3) {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(random.pick(Array("{}[]\":,\\u".utf8) + [0, 0xFF, 0xC0]), at: place)
                default: bytes.replaceSubrange(place..., with: bytes[random.int(0...place)...])
                }
                if bytes.isEmpty || bytes.count > 20_000 { bytes = good }
            }
            _ = check(bytes, seed)
        }
    }

    @Test func payload_whenNestedDeep_isNone() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let deepest = String(repeating: open, count: 63) + "1" + String(repeating: close, count: 63)
            #expect(Payload(parsing: "{\"a\":\(deepest)}").malformed == nil)
            let deeper = Payload(parsing: "{\"a\":\(open)\(deepest)\(close)}")
            #expect(deeper.malformed == "found no JSON, wanted an object" && deeper.data.isEmpty)
        }
    }
}
