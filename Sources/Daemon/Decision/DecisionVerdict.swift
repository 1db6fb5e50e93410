import JSON

/// What was decided of a nudge beyond the policy, and by whom.
struct DecisionVerdict: Sendable, Equatable {
    /// Who decided.
    enum Origin: String, Sendable, CaseIterable {
        case service
        /// The user's strategy in its place (`FallbackDecider`).
        case fallback
    }

    /// What is counted of it.
    struct Kind: Sendable, Hashable {
        let origin: Origin
        let shouldNotify: Bool
    }

    let origin: Origin
    let shouldNotify: Bool
    let priority: DecisionPriority
    /// One line of at most `DecisionAnswer.mostReason` scalars, without the nudge's texts.
    let reason: String
    /// In place of the nudge's own; nil: that one.
    let title: String?
    let body: String?

    /// The service's.
    init(_ answer: DecisionAnswer) {
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

    var kind: Kind { Kind(origin: origin, shouldNotify: shouldNotify) }

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
