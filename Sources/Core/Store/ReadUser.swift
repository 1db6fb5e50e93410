package import struct FoundationEssentials.UUID
import Policy
package import TimeZones

/// A user who was read without being claimed.
package struct ReadUser: Sendable {
    /// A push of an open intent: it is being sent, or its daemon has died.
    package struct OpenIntent: Sendable, Equatable {
        package let intent: UUID
        /// Whether its member exists. If not, the intent is an orphan.
        package let isAlive: Bool
        /// The policy's now at the attempt.
        package let attemptedAt: Instant
        /// `check_in`, `message` or `reminder`.
        package let kind: String
        /// Identifies the nudge for its user and kind.
        package let key: String
        /// The check-in's local date.
        package let slot: LocalDate?
        /// 16 hex digits of the token's hash.
        package let deviceHash: String
        let retry: String?
        /// Whether the history holds the nudge already.
        let isCounted: Bool
        /// The number of the nudge among the user's. Messages of one digest share it.
        let nudge: Int16
        /// Whether the message or reminder ends with this attempt.
        let ends: Bool
        /// The template; nil: none.
        let template: Int32?
    }

    /// The user as a claim would read them. Waiting touches are applied, and open pushes count as sent.
    package var user: ClaimedUser
    package let range: Int32
    /// The daemon that owns the range; nil: it is free.
    package let owner: UUID?
    /// Whether the user has no row in `nudged.person` yet.
    package let isNew: Bool
    /// Whether no change waits, so that no drain inserts the row.
    package let isUnseen: Bool
    /// Whether `nudged.recipient` has a row of the user.
    package let hasProfile: Bool
    /// The user's open pushes.
    package let intents: [OpenIntent]

    package init(
        user: ClaimedUser,
        range: Int32,
        owner: UUID?,
        isNew: Bool = false,
        isUnseen: Bool = false,
        hasProfile: Bool = true,
        intents: [OpenIntent] = []
    ) {
        self.range = range
        self.owner = owner
        self.isNew = isNew
        self.isUnseen = isUnseen
        self.hasProfile = hasProfile
        self.intents = intents
        self.user = Self.recovered(user, intents)
    }

    /// Adds open pushes to the history, as `Query.recover` does: an intent counts from its commit.
    private static func recovered(_ user: ClaimedUser, _ intents: [OpenIntent]) -> ClaimedUser {
        guard let last = intents.last else { return user }
        var changed = user.changes
        let ended = Set(intents.filter(\.ends).compactMap { UUID(uuidString: $0.key) })
        changed.messages.removeAll { ended.contains($0.id) }
        // Only a user's first push of an intent holds `retry`.
        changed.retry = intents.last { $0.intent == last.intent && $0.retry != nil }?.retry
        // A nudge counts once, however many devices it has.
        var seen: Set<[String]> = []
        for one in intents where !one.isCounted && seen.insert(["\(one.intent)", "\(one.nudge)"]).inserted {
            if one.slot != nil { changed.template = one.template }
            changed.history =
                one.slot.map { changed.history.adding(CheckIn(at: one.attemptedAt, slot: $0)) }
                ?? changed.history.adding(sent: one.attemptedAt)
        }
        return user.with(changed)
    }
}

/// A user's devices that no claim reads.
package struct DevicesLeftOut: Sendable, Equatable {
    /// Rows of `nudged.device` without a token.
    package var withoutToken: Int
    /// The platforms that the view leaves out, such as `android`; nil: none, or not known.
    package var platforms: String?

    package init(withoutToken: Int = 0, platforms: String? = nil) {
        self.withoutToken = withoutToken
        self.platforms = platforms
    }
}
