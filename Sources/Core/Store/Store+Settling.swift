package import Postgres

import struct FoundationEssentials.UUID

/// Settlement: users' rows, the record, messages and reminders that ended, intents and tokens, in one transaction.
extension Store {
    /// Settles users. Repeated, it changes nothing more: records are appended once, and what ended is deleted.
    ///
    /// If the database refuses it because of one user's content or a locked row, the others are settled
    /// (`Result.refused`). So are the others if a user has changed who must be unchanged (`Result.changed`).
    package func settle(_ settlement: Settlement) async throws(PostgresError) -> Settlement.Result {
        do throws(PostgresError) {
            return try await settle(settlement, settlement.isRepeated ? .again : .usual)
        } catch {
            // The app's deferred triggers run at the commit.
            let isDeletion = [Query.forgetDevices.name, Connection.commitName].contains(error.statement)
            if isDeletion, settlement.deletesTokens, error.code == .refusedByServer {
                return try await settleBeforeTokens(settlement)
            }
            // A withdrawal waits for a commit under way, which is about no single user.
            guard error.isHeldRow || error.isAboutContent, error.statement != Query.withdrawIntents.name else {
                throw error
            }
            return try await settleParts(settlement, after: error)
        }
    }

    /// For an app's table that refuses to delete a token. Records the outcomes first, then deletes the tokens one by
    /// one, as far as possible. Apple will answer 410 for the others again.
    private func settleBeforeTokens(_ settlement: Settlement) async throws(PostgresError) -> Settlement.Result {
        var outcomes = settlement
        for place in outcomes.changes.indices { outcomes.changes[place].staleTokens = [] }
        var result = try await settle(outcomes)
        let open = Set(result.refused.map(\.userID))
        var refusals = 0
        for change in settlement.changes where !open.contains(change.userID) {
            for token in change.staleTokens where refusals < Self.mostRefusals {
                do throws(PostgresError) {
                    let deletion = forgetDevices([token], of: settlement)
                    let rows = try await transaction(records, holding: settlement.member, [deletion], .searching)
                    result.tokensDeleted += Int(try rows[0].int8(0, 0))
                } catch {
                    guard error.code == .refusedByServer, !error.isFenced else { throw error }
                    refusals += 1
                }
            }
        }
        return result
    }

    /// Settles user by user, as far as needed.
    private func settleParts(
        _ settlement: Settlement,
        after error: PostgresError
    ) async throws(PostgresError) -> Settlement.Result {
        var result = Settlement.Result()
        var rest = settlement.only([])
        rest.withdrawn = settlement.withdrawn
        if !rest.withdrawn.isEmpty { _ = try await settle(rest, .usual) }
        try await bisecting(
            settlement.changes.map(\.userID).sorted(),
            first: error,
            parting: (database: records, user: { $0 }),
            refused: { (user, error) in result.refused.append(Refusal(user, error)) },
            work: { (users, patience) async throws(PostgresError) in
                let part = settlement.only(Set(users))
                result.add(try await part.deletesTokens ? settleBeforeTokens(part) : settle(part, patience))
            }
        )
        let open = Set(result.refused.map(\.userID))
        rest.withdrawn = []
        rest.closed = settlement.closed.filter { $0.isWhole && open.isDisjoint(with: $0.users) }
        if !rest.closed.isEmpty { _ = try await settle(rest, .usual) }
        return result
    }

    private func settle(_ settlement: Settlement, _ wait: Patience) async throws(PostgresError) -> Settlement.Result {
        let time = wait == .usual ? Patience(lock: 2_000) : wait
        let statements = statements(of: settlement)
        let bound = Set(settlement.changes.compactMap { $0.isOnlyIfUnchanged ? $0.userID : nil })
        do {
            let rows = try await write(statements, bound, time)
            let answers = Dictionary(zip(statements.map(\.name), rows), uniquingKeysWith: { first, _ in first })
            return Settlement.Result(
                settled: try answers[Query.settle.name]?.uuidSet() ?? [],
                tokensDeleted: Int(try answers[Query.forgetDevices.name]?.int8(0, 0) ?? 0)
            )
        } catch let error as UsersChanged {
            var others = settlement
            others.changes.removeAll { error.users.contains($0.userID) }
            var result = try await settle(others, wait)
            result.changed.formUnion(error.users)
            return result
        } catch { throw error as? PostgresError ?? PostgresError(.unexpectedResult, statement: Query.settle.name) }
    }

    /// These users have changed since the decision, so nothing was written.
    private struct UsersChanged: Error { let users: Set<UUID> }

    /// Commits the statements if each of these users was settled and none has changed by then. Else: `UsersChanged`.
    private func write(_ statements: [Statement], _ bound: Set<UUID>, _ patience: Patience) async throws -> [Rows] {
        if bound.isEmpty { return try await transaction(records, statements, patience, hashes: true) }
        let look = Query.touchedSince([.uuidArray(Array(bound))])
        let connection = try await records.connection()
        let (all, timeout) = (Self.plans(hashes: true) + patience.settings, bounded(patience.statement))
        return try await connection.transaction(settings: all, timeout: timeout) { transaction in
            let answers = try await transaction.run(statements + [look])
            var changed = try answers[statements.count].uuidSet()
            for (statement, answer) in zip(statements, answers) where statement.name == Query.settle.name {
                changed.formUnion(bound.subtracting(try answer.uuidSet()))
            }
            guard changed.isEmpty else { throw UsersChanged(users: changed) }
            return answers
        }
    }

    // MARK: The statements

    private func statements(of settlement: Settlement) -> [Statement] {
        var statements = settlement.member.map { [Query.holdMember([.uuid($0)])] } ?? []
        if !settlement.withdrawn.isEmpty, let member = settlement.member {
            let withdrawn = Parameter.uuidArray(settlement.withdrawn.sorted())
            statements.append(Query.withdrawIntents([withdrawn, .uuid(member), .uuid(settlement.sweepID)]))
        }
        // In the order of user_id, like all writers that wait for locks, to avoid deadlocks with commands. Nearly always
        // they are: sorting would copy them.
        var changes = settlement.changes
        let isInOrder = changes.indices.dropFirst().allSatisfy { changes[$0 - 1].userID < changes[$0].userID }
        if !isInOrder { changes.sort { $0.userID < $1.userID } }
        if !changes.isEmpty { statements.append(Query.settle(parameters(changes, settlement.sweepID))) }
        let notes = EnvironmentNote.distinct(changes.flatMap { $0.environments })
        if !notes.isEmpty {
            let states = Parameter.textArray(notes.map(\.state.rawValue))
            statements.append(Query.noteEnvironments(EnvironmentNote.columns(notes) + [states]))
        }
        let ended = changes.flatMap { change in change.ended.map { (change.userID, $0) } }
        if !ended.isEmpty {
            // An id is unique across both tables.
            let ended: [Parameter] = [.uuidArray(ended.map(\.0)), .uuidArray(ended.map(\.1))]
            let continued = ReminderContinuation.json(changes.flatMap(\.continued))
            statements += [Query.endMessages(ended), Query.endReminders(ended + [.json(continued)])]
        }
        let closed = settlement.closed
        let intents = Parameter.uuidArray(closed.map(\.intent))
        if !closed.isEmpty {
            let counts = Parameter.int4Array(closed.map { Int32(clamping: $0.users.count) })
            let whole = Parameter.uuidArray(closed.filter(\.isWhole).map(\.intent))
            statements.append(Query.closeIntents([intents, counts, .bool(settlement.isRepeated), whole]))
        }
        if !closed.isEmpty || !settlement.withdrawn.isEmpty {
            statements.append(Query.dropIntents([intents, .uuidArray(settlement.withdrawn)]))
        }
        let tokens = changes.flatMap { $0.staleTokens }
        if !tokens.isEmpty { statements.append(forgetDevices(tokens, of: settlement)) }
        return statements
    }

    private func parameters(_ changes: [Change], _ sweepID: UUID) -> [Parameter] {
        let records = changes.flatMap { $0.records }
        // An empty list costs nothing, and counts as all nulls.
        let decisions = records.contains { $0.decision != nil } ? records.map { $0.decision?.asciiJSON } : []
        return [
            .uuidArray(changes.map { $0.userID }), .int4Array(changes.map { $0.turn }),
            .int8Array(changes.map { $0.version }), .timestampArray(changes.map { $0.dueAt.microseconds }),
            .timestampArray(changes.map { $0.evaluatedAt.microseconds }),
            .timestampArray(changes.map { $0.since?.microseconds }), .textArray(changes.map { $0.reason?.rawValue }),
            .textArray(changes.map { $0.retry }), .byteaArray(changes.map { $0.state.bytes }),
            .int2Array(changes.map { $0.ignored }), .uuidArray(records.map { $0.userID }),
            .textArray(records.map { $0.kind }), .textArray(records.map { $0.key }),
            .dateArray(records.map { $0.slot?.days }), .textArray(records.map { $0.deviceHash }),
            .uuidArray(records.map { $0.apnsID }), .textArray(records.map { $0.outcome.rawValue }),
            .textArray(records.map { $0.reason }), .int2Array(records.map { $0.status.map(Int16.init(clamping:)) }),
            .int2Array(records.map { $0.localMinute }), .timestampArray(records.map { $0.attemptedAtMicroseconds }),
            .textArray(decisions), .int4Array(records.map { $0.template }), .uuid(sweepID),
            .uuidArray(changes.compactMap { $0.isOnlyIfUnchanged ? $0.userID : nil }),
        ]
    }

    /// Writes the environments in which devices work into a table of devices that nudged created. It is for people and
    /// the app: nudged itself uses `nudged.person.quarantine`, also if this fails.
    package func moveDevices(_ notes: [EnvironmentNote]) async throws(PostgresError) {
        let notes = EnvironmentNote.distinct(notes).filter { $0.state == .moved }
        guard !notes.isEmpty else { return }
        let devices: [Parameter] = [.uuidArray(notes.map(\.userID)), .textArray(notes.map(\.token))]
        let places: [Parameter] = [.textArray(notes.map(\.newEnvironment)), .textArray(notes.map(\.topic))]
        _ = try await one(records, .moveDevices, devices + places, .usual)
    }

    private func forgetDevices(_ tokens: [StaleToken], of settlement: Settlement) -> Statement {
        // The earliest instant of its rows in the record leaves older partitions out.
        let since = settlement.changes.lazy.flatMap(\.records).map(\.attemptedAtMicroseconds).min() ?? 0
        let tokens = tokens.sorted { ($0.userID, $0.token) < ($1.userID, $1.token) }
        let unregistered = tokens.map { $0.unregisteredAt.multipliedReportingOverflow(by: 1000) }
        return Query.forgetDevices([
            .uuidArray(tokens.map(\.userID)), .textArray(tokens.map(\.token)),
            .textArray(tokens.map(\.environment)), .textArray(tokens.map(\.topic)),
            .timestampArray(unregistered.map { $0.overflow ? nil : $0.partialValue }),
            .uuidArray(tokens.map(\.apnsID)), .timestamp(since),
        ])
    }
}

extension Settlement { fileprivate var deletesTokens: Bool { changes.contains { !$0.staleTokens.isEmpty } } }
