package import struct FoundationEssentials.UUID
import Policy
package import TimeZones

/// A user who was read without being claimed.
package struct ReadUser: Sendable {
    /// A device of a nudge that is being sent, or was when its daemon died.
    package struct OpenIntent: Sendable, Equatable {
        /// The intent that it is part of.
        package let intent: UUID
        /// Whether its member may still write it; else it is an orphan.
        package let isAlive: Bool
        /// The policy's now of the nudge.
        package let attemptedAt: Instant
        /// `check_in`, `message`, `reminder`.
        package let kind: String
        /// Names the nudge among those of its user and kind.
        package let key: String
        /// A check-in's local date.
        package let slot: LocalDate?
        /// 16 hex digits of the token's digest.
        package let deviceHash: String
        let retry: String?
        /// Whether the history holds the nudge already.
        let isCounted: Bool
        /// Which of the user's nudges it is: messages of a digest are one.
        let nudge: Int16
        /// Whether the message ends with it.
        let ends: Bool
        /// The template of its words.
        let template: Int32?
    }

    /// As a claim would bring them: waiting changes are taken into account, and what is being sent counts as sent.
    package var user: ClaimedUser
    /// The range that they belong to.
    package let range: Int32
    /// The daemon that owns the range; nil: it is free.
    package let owner: UUID?
    /// Whether the next sweep makes their row.
    package let isNew: Bool
    /// What is being sent.
    package let intents: [OpenIntent]

    init(user: ClaimedUser, range: Int32, owner: UUID?, isNew: Bool, intents: [OpenIntent]) {
        self.range = range
        self.owner = owner
        self.isNew = isNew
        self.intents = intents
        self.user = Self.recovered(user, intents)
    }

    /// As recover.sql enters it: an intent counts from its commit.
    private static func recovered(_ user: ClaimedUser, _ intents: [OpenIntent]) -> ClaimedUser {
        guard let last = intents.last else { return user }
        var changed = user.changes
        let ended = Set(intents.filter(\.ends).compactMap { UUID(uuidString: $0.key) })
        changed.messages.removeAll { ended.contains($0.id) }
        changed.retry = last.retry
        // A nudge counts once, whatever its devices.
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
