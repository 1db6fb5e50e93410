package import JSON
package import TimeZones

/// The decision service's state for `nudged status`: in use, or replaced by the users' fallback strategies. Also since
/// when, and why.
package struct DecisionStatus: Sendable, Equatable {
    /// The state's name. Not an enum, so that the name from a newer daemon is shown as it is.
    package struct State: RawRepresentable, Sendable, Equatable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        package static let active = State(rawValue: "active")
        static let fallback = State(rawValue: "using fallback")
    }

    package private(set) var state = State.active
    /// Since when the state holds. nil until a clock was read.
    package private(set) var since: Instant?
    /// Why the service isn't used. Always nudged's own text, never the service's.
    package private(set) var reason: String?

    /// Starts as active.
    init(since: Instant?) { self.since = since }

    /// Updates the state.
    ///
    /// - Parameters:
    ///   - fault: why the service isn't used. nil: it is used.
    ///   - now: the policy's `now`. nil until it is known.
    mutating func note(fault: String?, now: Instant?) {
        let next = fault == nil ? State.active : .fallback
        if next != state { since = now }
        since = since ?? now
        state = next
        reason = fault
    }

    /// Whether state or reason differ.
    func isNews(after other: DecisionStatus) -> Bool { state != other.state || reason != other.reason }

    // MARK: JSON

    /// `{"state", "since", "reason"}`. The last two may be null.
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("state")
        json.string(state.rawValue)
        json.key("since")
        json.string(since?.rfc3339)
        json.key("reason")
        json.string(reason?.oneLine)
        json.endObject()
    }

    /// nil if there is no state.
    package init?(_ json: JSONValue) {
        guard let state = json["state"]?.text else { return nil }
        self.state = State(rawValue: state)
        since = json["since"]?.text.flatMap { Instant(rfc3339: $0) }
        reason = json["reason"]?.text
    }
}
