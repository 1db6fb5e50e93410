import NudgedKit
import TestSupport
import Testing

struct PayloadTests {
    private static let text = "0f4a1c3e-9b7d-4c2a-8e5f-001122334455"
    private let id = ConversationID(Self.text)
    private static let aps = #""aps":{"alert":{"title":"Hi","body":"there"},"sound":"default"}"#

    private func payload(_ members: String) -> Payload { Payload(parsing: "{\(Self.aps),\(members)}") }

    /// `Tests/Reference/payload-routes.txt` says where a tap leads.
    @Test func routes_areAsWritten() throws {
        let (id, subject) = (try #require(id), try #require(Subject(type: "task", id: "42")))
        let lines = try Checkout.reference("payload-routes")
        #expect(lines.count == 17)
        for line in lines {
            let isUsers = !line.hasPrefix("others ")
            let parts = line.dropFirst(isUsers ? 0 : "others ".count).split(separator: " → ").map(String.init)
            let wanted = parts[1].split(separator: "; ").map(String.init)
            let words = wanted[0].split(separator: " ").map(String.init)
            let domain = words.count > 1 ? words[1] : nil
            let routes: [String: Route] = [
                "new": .newConversation(domain: domain), "conversation": .conversation(id, domain: domain),
                "subject": .subject(subject),
            ]
            let payload = payload(parts[0])
            #expect(payload.route { _ in isUsers } == routes[words[0]], "\(line)")
            #expect(payload.route(among: isUsers ? [id] : []) == routes[words[0]], "\(line)")
            guard let malformed = wanted.dropFirst().first else { continue }
            #expect(payload.malformed == (malformed == "well-formed" ? nil : malformed), "\(line)")
        }
    }

    /// The database has a UUID in small letters, and Swift writes capitals.
    @Test func subject_whenItsIDIsAUUID_isTheSameInAnyCase() throws {
        let subject = try #require(Subject(type: "Task", id: Self.text.uppercased()))
        #expect(subject == Subject(type: "Task", id: Self.text) && subject.id == Self.text)
        #expect(payload(#""subject_type":"Task","subject_id":"\#(Self.text)""#).subject == subject)
        #expect(Subject(type: "Task", id: "A42")?.id == "A42")
        #expect(Subject(type: "task", id: "caf\u{E9}") != Subject(type: "task", id: "cafe\u{301}"))
        #expect(payload(#""action":"new_conversation","subject_type":"task","subject_id":"42""#).data.isEmpty)
    }

    @Test(arguments: ["\"1234\"", "17", "true", "[]", "{}", "\"\""])
    func route_whenConversationIsNoUUID_opensANewOneAndAsksNobody(value: String) {
        for action in ["", #","action":"open_conversation""#, #","action":"new_conversation""#] {
            let payload = payload(#""conversation_id":\#(value),"domain":"work","order":1\#(action)"#)
            #expect(payload.malformed == "conversation_id: wanted a UUID" && payload.conversationID == nil)
            let route = payload.route { _ in
                Issue.record("asked")
                return true
            }
            #expect(route == .newConversation(domain: "work"))
        }
    }

    @Test func route_whenMessageHasData_hasIt() {
        let members = #""action":"new_conversation","order":17,"note":"é","open":true,"deep":{"a":[1.5,null]}"#
        guard case .message(let data) = payload(members).route(isUsers: { _ in true }) else { return fail("no data") }
        #expect(data.keys == ["order", "note", "open", "deep"] && !data.isEmpty)
        #expect(data.int("order") == 17 && data.string("note") == "é" && data.bool("open") == true)
        #expect(data.string("order") == nil && data.int("note") == nil)
        #expect(data.bool("deep") == nil && data.int("x") == nil)
        #expect(data.json == #"{"order":17,"note":"é","open":true,"deep":{"a":[1.5,null]}}"#)
    }

    @Test(arguments: ["", "{", "[]", "1", "null", "\"x\"", "{\"aps\":{}}", "\u{FEFF}{}", "{\"a\":1}x"])
    func payload_whenNothingOfOurs_stillLeadsSomewhere(text: String) {
        let payload = Payload(parsing: text)
        #expect(payload.route { _ in true } == .newConversation(domain: nil))
        #expect((payload.malformed == nil) == (text == "{\"aps\":{}}"))
    }

    @Test func payload_whenInBytes_isTheSame() {
        let text = #"{"domain":"work","order":1}"#
        #expect(Payload(parsing: Array(text.utf8)) == Payload(parsing: text))
        #expect(Payload(parsing: [0x7B, 0xFF]).malformed == "found no JSON, wanted an object")
        #expect(payload(#""domain":7"#).malformed == "domain: wanted a string")
        #expect(payload(#""action":7"#).malformed == "action: wanted a string")
    }
}

struct ConversationIDTests {
    private static let id = "0f4a1c3e-9b7d-4c2a-8e5f-001122334455"

    @Test func id_whenInAnyCase_isTheSame() {
        #expect(ConversationID(Self.id)?.description == Self.id)
        #expect(ConversationID("0F4A1C3E-9B7D-4C2A-8e5f-001122334455") == ConversationID(Self.id))
    }

    /// `Tests/Reference/no-uuids.txt` has such texts.
    @Test func id_whenNoUUID_isNone() throws {
        let lines = try Checkout.reference("no-uuids")
        #expect(lines.count == 18)
        for line in lines {
            #expect(ConversationID(String(line.dropLast()).replacing("␀", with: "\0")) == nil, "\(line)")
        }
    }
}
