public import JSON
public import TimeZones

/// What to do with a nudge.
public enum Action: String, Sendable {
    /// Send it now.
    case send
    /// Evaluate again at `nextAt`, not before.
    case wait
    /// Only a change from outside can make it sendable.
    case hold
    /// Never send it. For messages and reminders only.
    case drop
}

/// Why an action was chosen.
public enum Reason: String, Sendable, CaseIterable {
    // Send.
    case due
    case urgent
    // Wait.
    case notDue = "not_due"
    case frequency
    case quietHours = "quiet_hours"
    case capped
    // Hold.
    case paused
    case notOptedIn = "not_opted_in"
    case preferencesMalformed = "preferences_malformed"
    case firstSessionIncomplete = "first_session_incomplete"
    case timezoneUnresolved = "timezone_unresolved"
    // Hold for check-ins, drop for messages and reminders.
    case disabled
    case noDevice = "no_device"
    // Drop.
    case expired
    case expiresInQuietHours = "expires_in_quiet_hours"
    case expiresWhileCapped = "expires_while_capped"
}

/// The policy's answer for one nudge at one instant.
public struct Decision: Sendable, Equatable {
    public var action: Action
    public var reason: Reason
    /// With `wait`: when to evaluate again, later than `now`. Otherwise nil.
    public var nextAt: Instant?
    /// With the `send` of a check-in: its local date. Otherwise nil.
    public var slot: LocalDate?
    /// Whether it is an urgent message whose urgency was checked.
    public var urgent: Bool
    /// With `send`: when this answer ends, later than `now`. nil: never, or another action.
    public var validUntil: Instant?

    public init(
        _ action: Action,
        _ reason: Reason,
        nextAt: Instant? = nil,
        slot: LocalDate? = nil,
        urgent: Bool = false,
        validUntil: Instant? = nil
    ) {
        self.action = action
        self.reason = reason
        self.nextAt = nextAt
        self.slot = slot
        self.urgent = urgent
        self.validUntil = validUntil
    }
}

/// One rule that was checked for a decision.
public struct TraceStep: Sendable, Equatable {
    /// The rule's name, such as `quiet_hours`.
    public let rule: String
    /// `pass`, or the action that the rule decided.
    public let outcome: String
    /// What the rule used: zone, offset, local time, slot, instants, counts. Never a message's text.
    public let facts: JSONObject
}

/// The steps of a decision, where they are asked for. Otherwise no fact is computed.
struct Trace {
    typealias Facts = [(String, JSONValue)]

    private(set) var steps: [TraceStep] = []
    private let isRecorded: Bool

    init(recording: Bool) {
        isRecorded = recording
    }

    @inline(__always)
    mutating func note(_ rule: @autoclosure () -> String, _ outcome: Action?, _ facts: @autoclosure () -> Facts) {
        if isRecorded { record(rule(), outcome, facts()) }
    }

    private mutating func record(_ rule: String, _ outcome: Action?, _ facts: Facts) {
        let members = facts.map { JSONObject.Member(key: $0.0, value: $0.1) }
        steps.append(TraceStep(rule: rule, outcome: outcome?.rawValue ?? "pass", facts: JSONObject(members)))
    }
}

extension JSONValue {
    static func instant(_ instant: Instant?) -> JSONValue { text(instant?.rfc3339) }
    static func date(_ date: LocalDate?) -> JSONValue { text(date?.iso) }
    static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    static func count(_ count: Int64?) -> JSONValue { count.map { .int($0) } ?? .null }
}
