import JSON

/// What was decided about a nudge after the policy, and who decided it.
package struct DecisionOutcome: Sendable, Equatable {
    package enum Origin: String, Sendable, CaseIterable {
        case service
        /// The user's fallback strategy (`FallbackDecider`).
        case fallback
    }

    /// What the metrics distinguish.
    package struct Kind: Sendable, Hashable {
        package let origin: Origin
        package let shouldNotify: Bool

        package init(origin: Origin, shouldNotify: Bool) {
            self.origin = origin
            self.shouldNotify = shouldNotify
        }
    }

    let origin: Origin
    package let shouldNotify: Bool
    let priority: DecisionPriority
    /// One line of at most `DecisionAnswer.mostReason` scalars, without the nudge's texts.
    let reason: String
    /// Replaces the nudge's own title. nil: no change. `body` likewise.
    let title: String?
    let body: String?

    package init(_ answer: DecisionAnswer) {
        origin = .service
        shouldNotify = answer.shouldNotify
        priority = answer.priority
        reason = answer.reason
        title = answer.title
        body = answer.body
    }

    /// - Parameter priority: the priority that the service would have been asked with.
    init(_ decision: FallbackDecider.Decision, _ priority: DecisionPriority, because failure: DecisionFailure) {
        origin = .fallback
        shouldNotify = decision.shouldNotify
        self.priority = priority
        reason = "\(decision.ground.rawValue): \(failure.text)".oneLine(most: DecisionAnswer.mostReason)
        title = nil
        body = nil
    }

    package var kind: Kind { Kind(origin: origin, shouldNotify: shouldNotify) }

    /// The value of `nudged.delivery.decision`: `{"by", "notify", "priority", "reason"}`. It never holds a title or
    /// body.
    var json: String {
        var json = JSONWriter(reservingCapacity: 96 + reason.utf8.count)
        json.beginObject()
        json.put("by", origin.rawValue)
        json.key("notify")
        json.bool(shouldNotify)
        json.put("priority", priority.rawValue)
        json.put("reason", reason)
        json.endObject()
        return json.string
    }
}
