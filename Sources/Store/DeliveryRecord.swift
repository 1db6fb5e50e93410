package import FoundationEssentials
import JSON
package import TimeZones

/// One row of the record, `nudged.delivery`.
package struct DeliveryRecord: Sendable, Equatable {
    /// What became of it. `deferred`: Apple asked to come back later, another row follows.
    package enum Outcome: String, Sendable, CaseIterable {
        case accepted, rejected, deferred, dropped, skipped, unknown
    }

    /// The user.
    package let userID: UUID
    /// `check_in`, `message`, `reminder`.
    package let kind: String
    /// Names the nudge among those of its user and kind: a check-in's slot.
    package let key: String
    /// A check-in's local date.
    package let slot: LocalDate?
    /// 16 hex digits of the token's digest; empty for a slot that went by.
    package let deviceHash: String
    /// The header `apns-id`; nil where nothing was attempted.
    package let apnsID: UUID?
    /// What became of it.
    package let outcome: Outcome
    /// Apple's word, or ours.
    package let reason: String?
    /// Apple's HTTP status, where there was an answer.
    package let status: Int?
    /// The policy's now of the attempt; for a slot that went by, of the decision.
    package let attemptedAt: Instant
    /// Microseconds beyond `attemptedAt`: two attempts of one second are two rows of the record (`Intent.fraction`).
    package var fraction: Int32 = 0
    /// What was decided of it beyond the policy, as a JSON object (`DecisionVerdict`); nil: nobody was asked.
    package let decision: String?
    /// The template of a check-in's words; nil: they are of none.
    package let template: Int32?

    package init(
        userID: UUID,
        kind: String,
        key: String,
        slot: LocalDate?,
        deviceHash: String,
        apnsID: UUID? = nil,
        outcome: Outcome,
        reason: String? = nil,
        status: Int? = nil,
        attemptedAt: Instant,
        fraction: Int32 = 0,
        decision: String? = nil,
        template: Int32? = nil
    ) {
        self.userID = userID
        self.kind = kind
        self.key = key
        self.slot = slot
        self.deviceHash = deviceHash
        self.apnsID = apnsID
        self.outcome = outcome
        self.reason = reason
        self.status = status
        self.attemptedAt = attemptedAt
        self.fraction = fraction
        self.decision = decision
        self.template = template
    }

    /// In microseconds since 1970.
    var attemptedAtMicroseconds: Int64 { attemptedAt.microseconds &+ Int64(fraction) }
}

extension DeliveryRecord {
    /// Rows as `nudged.intent.records` holds them; nil: there are none.
    static func json(_ records: [DeliveryRecord]) -> String? {
        guard !records.isEmpty else { return nil }
        var json = JSONWriter()
        json.beginArray()
        for record in records { record.write(to: &json) }
        json.endArray()
        return json.string
    }

    private func write(to json: inout JSONWriter) {
        json.beginObject()
        for (name, text) in [
            ("user_id", userID.uuidString.lowercased()), ("kind", kind), ("key", key), ("slot", slot?.iso),
            ("device_hash", deviceHash), ("outcome", outcome.rawValue), ("reason", reason),
            ("attempted_at", timestamp),
        ] {
            json.key(name)
            json.string(text)
        }
        json.key("status")
        if let status { json.int(status) } else { json.null() }
        if let decision, let value = try? JSONValue(parsing: decision) {
            json.key("decision")
            json.value(value)
        }
        json.endObject()
    }

    /// As PostgreSQL reads it.
    private var timestamp: String {
        let text = attemptedAt.rfc3339
        guard fraction != 0, text.hasSuffix("Z") else { return text }
        let digits = String(fraction)
        return text.dropLast() + "." + String(repeating: "0", count: max(0, 6 - digits.count)) + digits + "Z"
    }
}
