import APNs
import Policy
package import TimeZones

/// What is left of a nudge that not all devices have answered: an element of the column `nudged.person.retry`.
///
/// A nudge counts once, for all its devices. If one was answered (`countedAt`), the others follow under the first
/// answer until `validUntil`. After that they are evaluated without the nudge's own entry in the history. If none was,
/// the policy is evaluated each time.
package struct Retry: Sendable, Equatable {
    /// A device that is left, and when it may be tried.
    package struct Left: Sendable, Equatable {
        package let deviceHash: String
        package let notBefore: Instant
        /// Whether the device may have got it. Then it is repeated once, with the same ids.
        var isRepeat: Bool = false
    }

    /// The first back-off after a delayed push, except for a 429. It doubles with each.
    static let backOffSeconds: Int64 = 900
    /// A push that was not written may be claimed again at once. One second keeps the same sweep from claiming it
    /// twice.
    static let unsentSeconds: Int64 = 1
    /// A refused token waits until its window of answers has closed, and a little longer.
    static let refusalSeconds = RefusalWindow.spanSeconds + 5

    package let identity: NudgeIdentity
    /// What the record names: the messages of a digest, else the nudge itself.
    let members: [NudgeIdentity]
    /// When the first answer ends. nil: never.
    package let validUntil: Instant?
    /// The version of the first answer. After a change the nudge is evaluated again.
    let version: Int64
    /// Delayed attempts so far: the back-off doubles with each.
    let attempt: Int
    /// When the nudge was entered in the history. nil: it does not count yet.
    let countedAt: Instant?
    package let left: [Left]

    /// Whether the nudge counts as sent.
    package var counts: Bool { countedAt != nil }

    /// Whether the first answer has ended.
    func isOver(at now: Instant) -> Bool { validUntil.map { now >= $0 } ?? false }

    /// The earliest instant at which a device may be tried.
    var dueAt: Instant { left.map(\.notBefore).min() ?? validUntil ?? Instant(seconds: 0) }

    init(
        identity: NudgeIdentity,
        members: [NudgeIdentity]? = nil,
        validUntil: Instant?,
        version: Int64,
        attempt: Int,
        countedAt: Instant?,
        left: [Left]
    ) {
        self.identity = identity
        self.members = members ?? [identity]
        self.validUntil = validUntil
        self.version = version
        self.attempt = attempt
        self.countedAt = countedAt
        self.left = left
    }

    /// The same, but no device is tried before the policy's `nextAt`. Otherwise a back-off that ends in quiet hours
    /// would cause an evaluation each second.
    func postponed(by decision: Decision) -> Retry {
        guard let next = decision.nextAt else { return self }
        return keeping(
            left.map { Left(deviceHash: $0.deviceHash, notBefore: max($0.notBefore, next), isRepeat: $0.isRepeat) }
        )
    }

    /// The same with only these devices left.
    func keeping(_ left: [Left]) -> Retry {
        Retry(
            identity: identity,
            members: members,
            validUntil: validUntil,
            version: version,
            attempt: attempt,
            countedAt: countedAt,
            left: left
        )
    }
}

extension Sequence where Element == Retry.Left {
    /// The devices that may have got the nudge already.
    var repeats: Set<String> { Set(filter(\.isRepeat).map(\.deviceHash)) }
}
