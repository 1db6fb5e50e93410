import JSON
import Policy
import TimeZones

package import struct FoundationEssentials.UUID

/// What the decision service is asked of a nudge that the rules allow.
package struct DecisionQuestion: Sendable {
    let kind: NudgeKind
    package let userID: UUID
    /// Of a check-in.
    let slot: LocalDate?
    /// `urgent` where the policy found it so, else `normal`.
    let priority: DecisionPriority
    /// The texts that go out unless the service gives others.
    package let title: String
    package let body: String
    /// What else may help to planner. Never a device token.
    let context: JSONObject

    /// `{"kind", "user_id", "slot", "priority", "title", "body", "context"}`, every key always there; `slot` is
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

/// How much a nudge matters, as it is asked of the decision service and as the service answers.
enum DecisionPriority: String, Sendable, CaseIterable {
    case low, normal, high, urgent
}
