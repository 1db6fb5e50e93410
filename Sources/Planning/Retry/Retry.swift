import APNs
import Policy
package import TimeZones

/// What is left of a nudge whose devices were not all answered: an element of the column `nudged.person.retry`.
///
/// A nudge counts once, whatever its devices: where one of them was answered (`countedAt`), the others go on under the
/// nudge's first answer until `validUntil`, and are then asked without the nudge's own entry in the history. Where none
/// was, the policy is asked anew each time.
package struct Retry: Sendable, Equatable {
    /// A device that is left, and from when on it may be tried.
    package struct Left: Sendable, Equatable {
        package let deviceHash: String
        package let notBefore: Instant
        /// Whether the device may have got it: it is repeated once, with the same ids.
        let isRepeat: Bool

        init(deviceHash: String, notBefore: Instant, isRepeat: Bool = false) {
            self.deviceHash = deviceHash
            self.notBefore = notBefore
            self.isRepeat = isRepeat
        }
    }

    /// The first back-off after a 5xx; it doubles with each attempt.
    static let backOffSeconds: Int64 = 900
    /// A push that was not written may be claimed again at once; a second keeps a sweep from meeting it twice.
    static let unsentSeconds: Int64 = 1
    /// A refused token waits for the verdict on its window of answers, and a little longer.
    static let verdictSeconds = VerdictWindow.spanSeconds + 5

    package let identity: NudgeIdentity
    /// What the record names: the messages of a digest; else itself.
    let members: [NudgeIdentity]
    /// When the first answer stops to hold; nil: never.
    package let validUntil: Instant?
    /// The version that the first answer was made on: a change asks anew.
    let version: Int64
    /// Attempts so far: the back-off doubles with each.
    let attempt: Int
    /// When the history's entry of the nudge was made; nil: it does not count yet.
    let countedAt: Instant?
    package let left: [Left]

    /// Whether the nudge counts as sent already.
    package var counts: Bool { countedAt != nil }

    /// Whether the first answer holds no more.
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

    /// The same, its devices not before the policy is to be asked again: a back-off that ends in the night wakes
    /// nobody, and asks nobody each second.
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
