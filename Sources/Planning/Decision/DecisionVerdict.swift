import JSON

/// What was decided of a nudge beyond the policy, and by whom.
package struct DecisionVerdict: Sendable, Equatable {
    /// Who decided.
    package enum Origin: String, Sendable, CaseIterable {
        case service
        /// The user's strategy in its place (`FallbackDecider`).
        case fallback
    }

    /// What is counted of it.
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
    /// In place of the nudge's own; nil: that one.
    let title: String?
    let body: String?

    /// The service's.
    package init(_ answer: DecisionAnswer) {
        origin = .service
        shouldNotify = answer.shouldNotify
        priority = answer.priority
        reason = answer.reason
        title = answer.title
        body = answer.body
    }

    /// - Parameter priority: as it would have been asked.
    init(_ decision: FallbackDecider.Decision, _ priority: DecisionPriority, because failure: DecisionFailure) {
        origin = .fallback
        shouldNotify = decision.shouldNotify
        self.priority = priority
        reason = DecisionAnswer.line("\(decision.ground.rawValue): \(failure.words)")
        title = nil
        body = nil
    }

    package var kind: Kind { Kind(origin: origin, shouldNotify: shouldNotify) }

    /// What the record keeps, `nudged.delivery.decision`: `{"by", "notify", "priority", "reason"}`, never a text.
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
