import APNs
import FoundationEssentials
import NudgedKit
import TestSupport
import Testing

/// The client's library reads what the sender renders.
@Suite struct ClientPayloadTests {
    private func payload(_ change: (inout APNs.Notification) throws -> Void = { _ in }) throws -> Payload {
        var notification = APNs.Notification(title: "Hi", body: "\"é\n")
        notification.badge = 1
        notification.threadID = "t"
        try change(&notification)
        return Payload(parsing: try notification.rendered())
    }

    @Test func payload_whenOfACheckIn_opensItsConversation() throws {
        let id = UUID()
        let payload = try payload {
            $0.conversationID = id
            $0.domain = "work"
        }
        #expect(payload.malformed == nil && payload.data.isEmpty && payload.action == .openConversation)
        let conversation = try #require(ConversationID(id.uuidString))
        #expect(payload.route(among: [conversation]) == .conversation(conversation, domain: "work"))
        #expect(payload.route(among: []) == .newConversation(domain: "work"))
    }

    @Test func payload_whenPlain_opensANewConversation() throws {
        let payload = try payload()
        #expect(payload.malformed == nil && payload.action == .newConversation)
        #expect(payload.route { _ in true } == .newConversation(domain: nil))
    }

    /// The image is for the service extension. It is no data, which a tap would open.
    @Test func payload_whenItHasAnImage_namesItAndHasNoData() throws {
        let payload = try payload { $0.imageURL = "https://example.com/a.png" }
        #expect(payload.imageURL == "https://example.com/a.png" && payload.data.isEmpty && payload.malformed == nil)
        #expect(payload.route { _ in true } == .newConversation(domain: nil))
    }

    @Test func payload_whenItHasMembers_bringsThem() throws {
        let order = try #require(CustomMembers([("order", "17"), ("deep", #"{"a":[null]}"#)]))
        let message = try payload { $0.custom = order }
        guard case .message(let data) = message.route(isUsers: { _ in false }) else { return fail("no message") }
        #expect(data.json == #"{"order":17,"deep":{"a":[null]}}"#)
        let subject = try #require(CustomMembers([("subject_type", #""task""#), ("subject_id", #""42""#)]))
        let reminder = try payload { $0.custom = subject }
        #expect(reminder.route { _ in true } == Subject(type: "task", id: "42").map { .subject($0) })
    }
}
