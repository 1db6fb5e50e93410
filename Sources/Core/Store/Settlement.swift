package import struct FoundationEssentials.UUID

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
    /// The sweep, for the record.
    package let sweepID: UUID
    package var changes: [Change] = []
    /// Intents that these changes belong to.
    package var closed: [ClosedPart] = []
    /// Intents whose commit got no answer. Nothing of them was written to Apple. An empty row takes the place of each
    /// for a minute.
    package var withdrawn: [UUID] = []

    /// The part about these users. It closes no intent as a whole, and withdraws none.
    func only(_ users: Set<UUID>) -> Settlement {
        Settlement(
            member: member,
            sweepID: sweepID,
            changes: changes.filter { users.contains($0.userID) },
            closed: closed.compactMap { part in
                let left = part.users.filter(users.contains)
                return left.isEmpty ? nil : ClosedPart(intent: part.intent, users: left, isWhole: false)
            }
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
