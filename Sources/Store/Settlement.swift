package import FoundationEssentials

/// Users whose decision or outcome is settled in one transaction, with the rows of the record and the tokens that go.
package struct Settlement: Sendable {
    /// A token that a 410 proved stale.
    package struct StaleToken: Sendable {
        /// Whose device it was.
        package let userID: UUID
        /// The token; never logged.
        package let token: String
        /// `sandbox` or `production`: where the answer came from.
        package let environment: String
        /// The topic that was asked for.
        package let topic: String
        /// Only a registration older than this is deleted. Milliseconds since 1970: Apple's own precision.
        package let unregisteredAt: Int64
        /// The push that was answered so: the token goes only with that row of the record.
        package let apnsID: UUID

        package init(
            userID: UUID,
            token: String,
            environment: String,
            topic: String,
            unregisteredAt: Int64,
            apnsID: UUID
        ) {
            self.userID = userID
            self.token = token
            self.environment = environment
            self.topic = topic
            self.unregisteredAt = unregisteredAt
            self.apnsID = apnsID
        }
    }

    /// An intent whose pushes are all or in part answered.
    package struct ClosedPart: Sendable, Equatable {
        /// The intent.
        package var intent: UUID
        /// Its users who are settled with this.
        package var users: [UUID]
        /// Nothing else of it is in flight: it is deleted, unless the database has it open for others. Else these users are marked as settled.
        package var isWhole: Bool

        package init(intent: UUID, users: [UUID], isWhole: Bool) {
            self.intent = intent
            self.users = users
            self.isWhole = isWhole
        }
    }

    /// The membership under which the users are ours.
    package let member: UUID
    /// The sweep, for the record.
    package let sweepID: UUID
    /// The users' rows.
    package var updates: [PersonUpdate]
    /// Rows of the record, of the users of `updates`.
    package var records: [DeliveryRecord]
    /// Messages and reminders that ended: their texts go.
    package var ended: [MessageReference]
    /// What comes after reminders that ended.
    package var continued: [ReminderContinuation]
    /// Tokens that go.
    package var staleTokens: [StaleToken]
    /// Intents whose outcomes these are.
    package var closed: [ClosedPart]
    /// Intents of which nobody knows whether they were committed; nothing of them was written. Their place is taken for a minute.
    package var withdrawn: [UUID]

    package init(
        member: UUID,
        sweepID: UUID,
        updates: [PersonUpdate] = [],
        records: [DeliveryRecord] = [],
        ended: [MessageReference] = [],
        continued: [ReminderContinuation] = [],
        staleTokens: [StaleToken] = [],
        closed: [ClosedPart] = [],
        withdrawn: [UUID] = []
    ) {
        self.member = member
        self.sweepID = sweepID
        self.updates = updates
        self.records = records
        self.ended = ended
        self.continued = continued
        self.staleTokens = staleTokens
        self.closed = closed
        self.withdrawn = withdrawn
    }

    /// All users that it is about.
    package var users: Set<UUID> {
        var users = Set(updates.map(\.userID))
        users.formUnion(records.map(\.userID))
        users.formUnion(ended.map(\.userID))
        users.formUnion(staleTokens.map(\.userID))
        for part in closed { users.formUnion(part.users) }
        return users
    }

    /// The part of it that is about these users. Intents are closed for them and not as a whole, and none is withdrawn.
    package func only(_ users: Set<UUID>) -> Settlement {
        Settlement(
            member: member,
            sweepID: sweepID,
            updates: updates.filter { users.contains($0.userID) },
            records: records.filter { users.contains($0.userID) },
            ended: ended.filter { users.contains($0.userID) },
            continued: continued.filter { users.contains($0.userID) },
            staleTokens: staleTokens.filter { users.contains($0.userID) },
            closed: closed.compactMap { part in
                let left = part.users.filter { users.contains($0) }
                return left.isEmpty ? nil : ClosedPart(intent: part.intent, users: left, isWhole: false)
            }
        )
    }

    /// What the database made of it.
    package struct Result: Sendable, Equatable {
        /// Users whose rows were found.
        package var usersSettled = 0
        /// Tokens that no registration had renewed.
        package var tokensDeleted = 0
        /// Users of whom nothing was settled, since the database refuses it: their parts of intents stay open.
        package var refused: [Refusal] = []

        package init(usersSettled: Int = 0, tokensDeleted: Int = 0, refused: [Refusal] = []) {
            self.usersSettled = usersSettled
            self.tokensDeleted = tokensDeleted
            self.refused = refused
        }
    }
}
