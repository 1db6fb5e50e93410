package import JSON
package import TimeZones

/// How the decision service stands, for `nudged status`: active, or nudges are decided by the users' fallback strategies; since when, and why.
package struct DecisionStanding: Sendable, Equatable {
    /// A word for it. Not an enum: a newer daemon's word is shown as it is.
    package struct State: RawRepresentable, Sendable, Equatable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        package static let active = State(rawValue: "active")
        static let fallback = State(rawValue: "using fallback")
    }

    package private(set) var state = State.active
    /// Since when it stands so; nil while no clock was read.
    package private(set) var since: Instant?
    /// Why the service isn't used: our words, never the service's.
    package private(set) var reason: String?

    /// Begins as active.
    init(since: Instant?) { self.since = since }

    /// Notes how it stands now.
    ///
    /// - Parameters:
    ///   - fault: why the service isn't used; nil: it is.
    ///   - now: the policy's; nil while it is not known.
    mutating func note(fault: String?, now: Instant?) {
        let next = fault == nil ? State.active : .fallback
        if next != state { since = now }
        since = since ?? now
        state = next
        reason = fault
    }

    /// Whether both say the same to somebody who waits for news.
    func isNews(after other: DecisionStanding) -> Bool { state != other.state || reason != other.reason }

    // MARK: JSON

    /// `{"state", "since", "reason"}`, the last two may be null.
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

    /// nil where it doesn't say how it stands.
    package init?(_ json: JSONValue) {
        guard let state = json["state"]?.text else { return nil }
        self.state = State(rawValue: state)
        since = json["since"]?.text.flatMap { Instant(rfc3339: $0) }
        reason = json["reason"]?.text
    }
}
