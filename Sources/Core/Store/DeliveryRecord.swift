package import FoundationEssentials
package import TimeZones

/// A row of the record, `nudged.delivery`.
package struct DeliveryRecord: Sendable, Equatable {
    /// `deferred`: Apple asked to try again later, and another row follows.
    package enum Outcome: String, Sendable, CaseIterable {
        case accepted, rejected, deferred, dropped, skipped, unknown
    }

    package let userID: UUID
    /// `check_in`, `message` or `reminder`.
    package let kind: String
    /// Identifies the nudge for its user and kind: a check-in's date, or the id of a message or of a reminder's
    /// occurrence.
    package let key: String
    /// The check-in's local date.
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
    /// The template of a check-in; nil: the configured text, or no check-in.
    package var template: Int32?

    /// In microseconds since 1970.
    var attemptedAtMicroseconds: Int64 { attemptedAt.microseconds &+ Int64(fraction) }
}

extension String {
    /// JSON text without characters beyond ASCII, for SQL's `nudged.readable`. A backslash of the content is written as
    /// an escape, too. So each `\u` is one.
    var asciiJSON: String {
        var isEscape = false
        return unicodeScalars.reduce(into: "") { text, scalar in
            let wasEscape = isEscape
            isEscape = scalar == "\\" && !wasEscape
            if wasEscape {
                text += scalar == "\\" ? "\\u005c" : "\\\(scalar)"
            } else if !scalar.isASCII {
                for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else if !isEscape {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}
