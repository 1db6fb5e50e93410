package import Postgres

package import struct FoundationEssentials.UUID

/// Membership in the group of daemons that share the work, and the ranges that come with it. On a connection of its own.
extension Store {
    /// Becomes a member. Repeated, it does no harm.
    package func join(_ member: UUID, daemon: UUID, leaseMilliseconds: Int64) async throws(PostgresError) {
        _ = try await one(ownership, .join, [.uuid(member), .uuid(daemon), .int8(leaseMilliseconds)])
    }

    /// Renews the lease, and takes free ranges up to the fair share.
    ///
    /// - Returns: who owns what now; nil: the membership has ended.
    package func renew(_ member: UUID, leaseMilliseconds: Int64) async throws(PostgresError) -> Membership? {
        do throws(PostgresError) {
            // Held first: a death that is being declared comes before this renewal or sees it.
            let rows = try await transaction(
                ownership,
                holding: member,
                [
                    Query.renew([.uuid(member), .int8(leaseMilliseconds)]), Query.takeRanges([.uuid(member)]),
                    Query.membership(),
                ]
            )
            // A person has deleted the lease.
            guard rows[0].count > 0 else { return nil }
            return try membership(member, rows[2])
        } catch {
            guard error.isFenced else { throw error }
            return nil
        }
    }

    private func membership(_ member: UUID, _ rows: Rows) throws(PostgresError) -> Membership {
        let ranges = try rows.int4Array(0, 0)
        let owners = try rows.uuidArray(0, 1)
        var owned: [Int32: UUID?] = [:]
        for (range, owner) in zip(ranges, owners) {
            if let range { owned[range] = .some(owner) }
        }
        return Membership(member: member, owners: owned, living: Set(try rows.uuidArray(0, 2).compactMap(\.self)))
    }

    /// Declares members dead whose lease has ended. Returns how many: 0 while daemons may only be finding back to a database that was away.
    package func bury(except member: UUID) async throws(PostgresError) -> Int {
        // A lost one is replaced where it is asked for.
        _ = try await ownership.connection()
        if let replacedAt = await ownership.replacedAt, ContinuousClock.now - replacedAt < findingBack { return 0 }
        return try await buryNow(except: member)
    }

    func buryNow(except member: UUID) async throws(PostgresError) -> Int {
        let dead = try userSet(try await one(ownership, .deadMembers, [.uuid(member)]))
        var buried = 0
        for one in dead {
            do throws(PostgresError) {
                if try await end(one, isDeath: true) { buried += 1 }
            } catch {
                // It is settling something at this moment, or somebody erases a user of one of its intents: the next renewal tries again.
                guard error.isHeldRow else { throw error }
            }
        }
        return buried
    }

    /// Leaves in good order: its ranges are free at once. False: an intent is still open.
    package func leave(_ member: UUID) async throws(PostgresError) -> Bool {
        try await end(member, isDeath: false)
    }

    private func end(_ member: UUID, isDeath: Bool) async throws(PostgresError) -> Bool {
        let rows = try await transaction(
            ownership,
            [Query.lockMember([.uuid(member)]), Query.endMember([.uuid(member), .bool(isDeath)])],
            settings: Self.impatient
        )
        guard rows.count == 2 else { throw PostgresError(.unexpectedResult, statement: Query.endMember.name) }
        return try rows[1].bool(0, 0)
    }

    // MARK: Intents that nobody knows of

    /// Open intents of a member.
    package func intents(of member: UUID) async throws(PostgresError) -> [UUID] {
        try Array(userSet(try await one(ownership, .ownIntents, [.uuid(member)])))
    }

    /// Turns intents of a member into orphans: nobody settles them any more.
    package func orphan(_ intents: [UUID], of member: UUID) async throws(PostgresError) {
        _ = try await one(ownership, .orphanIntents, [.uuid(member), .uuidArray(intents)])
    }

    // MARK: What a daemon says of itself

    /// Says that a daemon runs, and how it stands.
    package func heartbeat(_ beat: DaemonBeat) async throws(PostgresError) {
        _ = try await one(
            ownership,
            .heartbeat,
            [
                .uuid(beat.id), .text(beat.host), .int4(beat.pid), .text(beat.version), .int8(beat.uptimeMilliseconds),
                .json(beat.state),
            ]
        )
    }

    /// Deletes the row of a daemon that ends in good order.
    package func daemonGone(_ id: UUID) async throws(PostgresError) {
        _ = try await one(ownership, .daemonGone, [.uuid(id)])
    }
}
