package import struct FoundationEssentials.UUID
import Policy
package import TimeZones

/// A user who was read without being claimed.
package struct ReadUser: Sendable {
    /// An open intent: its pushes are being sent, or its daemon has died.
    package struct OpenIntent: Sendable, Equatable {
        /// Whether its member exists. If not, the intent is an orphan.
        package let isAlive: Bool
        /// The policy's now at the attempt.
        package let attemptedAt: Instant
        /// What is recorded if the outcomes stay unknown.
        package let change: Change

        package var pushes: [DeliveryRecord] { change.records.filter { $0.apnsID != nil } }
    }

    /// The user as a claim would read them. Waiting touches are applied, and open pushes count as sent.
    package var user: ClaimedUser
    package let range: Int32
    /// The daemon that owns the range; nil: it is free.
    package let owner: UUID?
    /// Whether the user has no row in `nudged.person` yet.
    package var isNew = false
    /// Whether no change waits, so that no drain inserts the row.
    package var isUnseen = false
    /// Whether `nudged.recipient` has a row of the user.
    package var hasProfile = true
    package var intents: [OpenIntent] = []
}

/// A user's devices that no claim reads.
package struct DevicesLeftOut: Sendable, Equatable {
    /// Rows of `nudged.device` without a token.
    package var withoutToken: Int
    /// The platforms that the view leaves out, such as `android`; nil: none, or not known.
    package var platforms: String?
}

extension DevicesLeftOut {
    package init() { self.init(withoutToken: 0) }
}
