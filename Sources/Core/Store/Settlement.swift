package import FoundationEssentials

/// Users whose decision or outcome is settled in one transaction, with their rows of the record and the tokens to
/// delete.
package struct Settlement: Sendable {
    /// A token that a 410 proved stale.
    package struct StaleToken: Sendable {
        package let userID: UUID
        /// Never logged.
        package let token: String
        /// The environment that answered: `sandbox` or `production`.
        package let environment: String
        package let topic: String
        /// Only a registration before this is deleted. Milliseconds since 1970, Apple's own precision.
        package let unregisteredAt: Int64
        /// The push that was answered with 410. The token is deleted only if the record holds that answer.
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

    /// An intent, and those of its users who are settled now.
    package struct ClosedPart: Sendable, Equatable {
        package var intent: UUID
        package var users: [UUID]
        /// True: nothing else of it is in flight, and it is deleted, unless the database has other users of it open.
        /// False: its users are marked as settled.
        package var isWhole: Bool

        package init(intent: UUID, users: [UUID], isWhole: Bool) {
            self.intent = intent
            self.users = users
            self.isWhole = isWhole
        }
    }

    /// The membership that owns the users' ranges.
    package let member: UUID
    /// The sweep, for the record.
    package let sweepID: UUID
    package var updates: [PersonUpdate]
    /// Rows of the record, of the users of `updates`.
    package var records: [DeliveryRecord]
    /// Messages and reminders that ended. Their rows are deleted.
    package var ended: [MessageReference]
    /// The next occurrences of reminders that ended.
    package var continued: [ReminderContinuation]
    package var staleTokens: [StaleToken]
    /// What Apple's answers say about devices' environments, of the users of `updates`.
    package var environments: [EnvironmentNote]
    /// Intents that these outcomes belong to.
    package var closed: [ClosedPart]
    /// Intents whose commit got no answer. Nothing of them was written to Apple. An empty row takes the place of each
    /// for a minute.
    package var withdrawn: [UUID]

    package init(
        member: UUID,
        sweepID: UUID,
        updates: [PersonUpdate] = [],
        records: [DeliveryRecord] = [],
        ended: [MessageReference] = [],
        continued: [ReminderContinuation] = [],
        staleTokens: [StaleToken] = [],
        environments: [EnvironmentNote] = [],
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
        self.environments = environments
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

    /// The part about these users. It closes intents for them, but no intent as a whole, and withdraws none.
    package func only(_ users: Set<UUID>) -> Settlement {
        Settlement(
            member: member,
            sweepID: sweepID,
            updates: updates.filter { users.contains($0.userID) },
            records: records.filter { users.contains($0.userID) },
            ended: ended.filter { users.contains($0.userID) },
            continued: continued.filter { users.contains($0.userID) },
            staleTokens: staleTokens.filter { users.contains($0.userID) },
            environments: environments.filter { users.contains($0.userID) },
            closed: closed.compactMap { part in
                let left = part.users.filter { users.contains($0) }
                return left.isEmpty ? nil : ClosedPart(intent: part.intent, users: left, isWhole: false)
            }
        )
    }

    /// Without these users, who have no part of an intent.
    func without(_ users: Set<UUID>) -> Settlement {
        var rest = self
        rest.updates.removeAll { users.contains($0.userID) }
        rest.records.removeAll { users.contains($0.userID) }
        rest.ended.removeAll { users.contains($0.userID) }
        rest.continued.removeAll { users.contains($0.userID) }
        return rest
    }

    package struct Result: Sendable, Equatable {
        /// Users whose rows were found.
        package var usersSettled = 0
        package var tokensDeleted = 0
        /// Users who were to be unchanged and are not (`PersonUpdate.isOnlyIfUnchanged`). Nothing of them was written.
        package var changed: Set<UUID> = []
        /// Users who could not be settled, because the database refuses it. Their parts of intents stay open.
        package var refused: [Refusal] = []

        package init(usersSettled: Int = 0, tokensDeleted: Int = 0, refused: [Refusal] = []) {
            self.usersSettled = usersSettled
            self.tokensDeleted = tokensDeleted
            self.refused = refused
        }
    }
}
