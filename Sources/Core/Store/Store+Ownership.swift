package import Postgres

package import struct FoundationEssentials.UUID

/// Who owns which range, as a member read it at its last renewal.
package struct Membership: Sendable, Equatable {
    package let member: UUID
    /// All ranges with their owners; nil: the range is free. Empty before the first renewal.
    package let owners: [Int32: UUID?]
    /// Members whose lease has not ended.
    package let living: Set<UUID>

    /// This daemon's ranges. Sorted: `DueFloor` and the news of `Ownership` compare them.
    package var ranges: [Int32] { ranges(of: member).sorted() }

    package var free: Int { owners.values.count { $0 == nil } }

    /// Whether this daemon should leave and join again, so that another gets its share: it owns the most ranges and
    /// more than a fair share, another owns less than one, and none is free. It does so after two such results in a
    /// row.
    package var shouldRejoin: Bool {
        guard free == 0, living.contains(member), living.count > 1 else { return false }
        let shares = living.map { (count: ranges(of: $0).count, member: $0) }
        let total = owners.count
        let most = shares.max { ($0.count, $1.member) < ($1.count, $0.member) }
        guard let most, most.member == member, let least = shares.map(\.count).min() else { return false }
        return most.count > (total + living.count - 1) / living.count && least < total / living.count
    }

    private func ranges(of member: UUID) -> [Int32] { owners.filter { $0.value == member }.map(\.key) }
}

/// Membership of the daemons that share the work, and their ranges. These statements have a connection of their own.
extension Store {
    /// Inserts a membership. Repeated, it does no harm.
    package func join(_ member: UUID, daemon: UUID, leaseMilliseconds: Int64) async throws(PostgresError) {
        _ = try await one(ownership, .join, [.uuid(member), .uuid(daemon), .int8(leaseMilliseconds)])
    }

    /// Renews the lease, and takes free ranges up to the fair share. nil: the membership has ended.
    package func renew(_ member: UUID, leaseMilliseconds: Int64) async throws(PostgresError) -> Membership? {
        do throws(PostgresError) {
            // The member row is locked first. So a declaration of its death either came before, or sees this renewal.
            let renewal = Query.renew([.uuid(member), .int8(leaseMilliseconds)])
            let statements = [renewal, Query.takeRanges([.uuid(member)]), Query.membership()]
            let rows = try await transaction(ownership, holding: member, statements)
            // A person has deleted the lease.
            guard rows[0].count > 0 else { return nil }
            var owners: [Int32: UUID?] = [:]
            for (range, owner) in zip(try rows[2].int4Array(0, 0), try rows[2].uuidArray(0, 1)) {
                if let range { owners[range] = .some(owner) }
            }
            let living = Set(try rows[2].uuidArray(0, 2).compactMap(\.self))
            return Membership(member: member, owners: owners, living: living)
        } catch {
            guard error.isFenced else { throw error }
            return nil
        }
    }

    /// Members whose lease has ended, but this one.
    package func endedMembers(except member: UUID) async throws(PostgresError) -> Set<UUID> {
        try await one(ownership, .endedMembers, [.uuid(member)]).uuidSet()
    }

    /// Deletes members whose lease is still ended, and returns how many.
    package func declareDead(_ members: Set<UUID>) async throws(PostgresError) -> Int {
        var declared = 0
        for one in members {
            do throws(PostgresError) {
                if try await end(one, isDeath: true) { declared += 1 }
            } catch {
                // The member is settling something, or somebody erases a user of its intents. A renewal tries again.
                guard error.isHeldRow else { throw error }
            }
        }
        return declared
    }

    /// Ends a membership, which frees its ranges at once. False: an intent is still open.
    package func leave(_ member: UUID) async throws(PostgresError) -> Bool { try await end(member, isDeath: false) }

    private func end(_ member: UUID, isDeath: Bool) async throws(PostgresError) -> Bool {
        let statements = [Query.lockMember([.uuid(member)]), Query.endMember([.uuid(member), .bool(isDeath)])]
        return try await transaction(ownership, statements, .usual)[1].bool(0, 0)
    }

    // MARK: Intents that nobody knows of

    package func intents(of member: UUID) async throws(PostgresError) -> [UUID] {
        try await Array(one(ownership, .ownIntents, [.uuid(member)]).uuidSet())
    }

    /// Turns intents of a member into orphans, which any daemon records as unknown.
    package func orphan(_ intents: [UUID], of member: UUID) async throws(PostgresError) {
        _ = try await one(ownership, .orphanIntents, [.uuid(member), .uuidArray(intents)])
    }

    // MARK: What a daemon says of itself

    /// Writes what a daemon says about itself every few seconds: `state` is a JSON object without U+0000. The database
    /// computes the instant of the start, since a host's clock may be wrong.
    package func heartbeat(
        id: UUID,
        host: String,
        pid: Int32,
        version: String,
        uptimeMilliseconds: Int64,
        state: String
    ) async throws(PostgresError) {
        let parameters: [Parameter] = [
            .uuid(id), .text(host), .int4(pid), .text(version), .int8(uptimeMilliseconds), .text(state.asciiJSON),
        ]
        _ = try await one(ownership, .heartbeat, parameters)
    }

    /// Deletes the row of a daemon that stops normally.
    package func daemonGone(_ id: UUID) async throws(PostgresError) {
        _ = try await one(ownership, .daemonGone, [.uuid(id)])
    }
}
