import Base
package import FoundationEssentials
package import TimeZones

/// Changes that are written in one transaction, and the intents that they close.
package struct Settlement: Sendable {
    /// An intent, and those of its users who are settled now.
    package struct ClosedPart: Sendable, Equatable {
        package var intent: UUID
        package var users: [UUID]
        /// True: nothing else of it is in flight, and it is deleted, unless the database has other users of it open.
        package var isWhole: Bool
    }

    /// The membership that owns the users' ranges; nil: for orphans, which any daemon settles.
    package let member: UUID?
    package let sweepID: UUID
    package var changes: [Change] = []
    package var closed: [ClosedPart] = []
    /// Intents whose commit got no answer. Nothing was written to Apple. For a minute an empty row takes the place.
    package var withdrawn: [UUID] = []
    /// Whether it was refused, may have taken effect before, or withdraws an intent. Then it waits for locks only
    /// briefly.
    package var isRepeated = false

    /// The part about these users, again. It closes no intent as a whole, and withdraws none.
    func only(_ users: Set<UUID>) -> Settlement {
        Settlement(
            member: member,
            sweepID: sweepID,
            changes: changes.filter { users.contains($0.userID) },
            closed: closed.compactMap { part in
                let left = part.users.filter(users.contains)
                return left.isEmpty ? nil : ClosedPart(intent: part.intent, users: left, isWhole: false)
            },
            isRepeated: true
        )
    }

    package struct Result: Sendable, Equatable {
        /// Users whose change was written. The others had no row, or were settled before.
        package var settled: Set<UUID> = []
        package var tokensDeleted = 0
        /// Users who were to be unchanged and are not (`Change.isOnlyIfUnchanged`). Nothing of them was written.
        package var changed: Set<UUID> = []
        /// Users who could not be settled, because the database refuses it. Their parts of intents stay open.
        package var refused: [Refusal] = []

        mutating func add(_ part: Result) {
            settled.formUnion(part.settled)
            tokensDeleted += part.tokensDeleted
            changed.formUnion(part.changed)
            refused += part.refused
        }
    }
}

/// A row of the record, `nudged.delivery`.
package struct DeliveryRecord: Sendable, Equatable {
    /// `deferred`: Apple asked to try again later, and another row follows.
    package enum Outcome: String, Sendable, CaseIterable {
        case accepted, rejected, deferred, dropped, skipped, unknown
    }

    package let userID: UUID
    /// `check_in`, `message` or `reminder`.
    package let kind: String
    /// Identifies the nudge for its user and kind: a check-in's date, or the id of a message or an occurrence.
    package let key: String
    package let slot: LocalDate?
    /// 16 hex digits of the token's hash; empty: nothing was sent to a device.
    package let deviceHash: String
    /// nil: nothing was attempted.
    package var apnsID: UUID?
    package let outcome: Outcome
    /// Apple's reason, or nudged's.
    package var reason: String?
    /// Apple's HTTP status; nil: no answer.
    package var status: Int?
    /// The policy's now at the attempt; for a skipped slot, at the decision.
    package let attemptedAt: Instant
    /// Microseconds to add to `attemptedAt`. With them, two attempts in one second are two rows (`Intent.fraction`).
    package var fraction: Int32 = 0
    /// The decision service's answer, as a JSON object (`DecisionOutcome`); nil: it was not asked.
    package var decision: String?
    /// The template of a check-in; nil: no check-in.
    package var template: Int32?
    /// When the push was sent, by the user's clock: the minute of the week from Monday 00:00 on; nil: none, or no zone.
    package var localMinute: Int16?

    var attemptedAtMicroseconds: Int64 { attemptedAt.microseconds &+ Int64(fraction) }
}

extension String {
    /// JSON text in ASCII, for SQL's `nudged.readable`. A backslash is written as an escape, too, so each `\u` is one.
    var asciiJSON: String {
        var isEscape = false
        return unicodeScalars.reduce(into: "") { text, scalar in
            let wasEscape = isEscape
            isEscape = scalar == "\\" && !wasEscape
            if wasEscape {
                text += scalar == "\\" ? "\\u005c" : "\\\(scalar)"
            } else if !scalar.isASCII {
                text += scalar.jsonEscape
            } else if !isEscape {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}
