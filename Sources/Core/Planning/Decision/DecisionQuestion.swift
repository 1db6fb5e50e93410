import JSON
import Policy
import TimeZones

package import struct FoundationEssentials.UUID

/// What the decision service is asked about a nudge that the policy allows.
package struct DecisionQuestion: Sendable {
    let kind: NudgeKind
    package let userID: UUID
    /// nil: not a check-in.
    let slot: LocalDate?
    /// `urgent` if the policy found the nudge urgent, else `medium`.
    let priority: DecisionPriority
    /// The texts that are sent unless the service replaces them.
    package let title: String
    package let body: String
    /// What the app knows about the user (the view's column `context`). Never a device token.
    let context: JSONObject

    /// `{"kind", "user_id", "slot", "priority", "title", "body", "context"}`, always with every key. `slot` is
    /// `YYYY-MM-DD` or null.
    package var json: [UInt8] {
        var json = JSONWriter(reservingCapacity: 512 + title.utf8.count + body.utf8.count)
        json.beginObject()
        json.key("kind")
        json.string(kind.rawValue)
        json.key("user_id")
        json.string(userID.uuidString.lowercased())
        json.key("slot")
        json.string(slot?.iso)
        json.key("priority")
        json.string(priority.rawValue)
        json.key("title")
        json.string(title)
        json.key("body")
        json.string(body)
        json.key("context")
        json.value(.object(context))
        json.endObject()
        return json.bytes
    }
}

/// How much a nudge matters, in questions and in answers.
enum DecisionPriority: String, Sendable, CaseIterable {
    case low, medium, high, urgent

    /// As a service writes it: `normal` is another name of `medium`. nil: none of them.
    init?(answered name: String) { self.init(rawValue: name == "normal" ? "medium" : name) }
}
