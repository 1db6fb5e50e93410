package import Postgres
import Policy

import struct FoundationEssentials.UUID

/// Settlement: users' rows, the record, messages and reminders that ended, intents and tokens, in one transaction.
extension Store {
    /// Settles users. Repeated, it changes nothing more: records are appended once, and what ended is deleted.
    ///
    /// If the database refuses it because of one user's content or a locked row, the others are settled
    /// (`Result.refused`). So are the others if a user has changed who must be unchanged (`Result.changed`).
    ///
    /// - Parameter isRepeated: whether it was refused before. Then it waits for locks only briefly.
    /// - Throws: `isFenced` if the membership has ended. Then nothing was written.
    package func settle(
        _ settlement: Settlement,
        isRepeated: Bool = false
    ) async throws(PostgresError) -> Settlement.Result {
        do throws(PostgresError) {
            return try await settle(settlement, isRepeated ? .again : .usual)
        } catch {
            // The app's deferred triggers run at the commit.
            let isDeletion = [Query.forgetDevices.name, Connection.commitName].contains(error.statement)
            if isDeletion, !settlement.staleTokens.isEmpty, error.code == .refusedByServer {
                return try await settleBeforeTokens(settlement, isRepeated: isRepeated)
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
    private func settleBeforeTokens(
        _ settlement: Settlement,
        isRepeated: Bool
    ) async throws(PostgresError) -> Settlement.Result {
        var outcomes = settlement
        outcomes.staleTokens = []
        var result = try await settle(outcomes, isRepeated: isRepeated)
        let open = Set(result.refused.map(\.userID))
        var refusals = 0
        for token in settlement.staleTokens where !open.contains(token.userID) && refusals < Self.mostRefusals {
            let one = Settlement(member: settlement.member, sweepID: settlement.sweepID, staleTokens: [token])
            do throws(PostgresError) {
                result.tokensDeleted += try await settle(one, .searching).tokensDeleted
            } catch {
                guard error.code == .refusedByServer, !error.isFenced else { throw error }
                refusals += 1
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
        if !settlement.withdrawn.isEmpty {
            let withdrawal = Settlement(
                member: settlement.member,
                sweepID: settlement.sweepID,
                withdrawn: settlement.withdrawn
            )
            _ = try await settle(withdrawal, .usual)
        }
        try await bisecting(
            settlement.users.sorted(),
            first: error,
            parting: parting(records) { $0 },
            refused: { (user, error) in result.refused.append(Refusal(user, error)) },
            work: { (users, patience) async throws(PostgresError) in
                let part = settlement.only(Set(users))
                let done =
                    try await part.staleTokens.isEmpty
                    ? settle(part, patience) : settleBeforeTokens(part, isRepeated: true)
                result.usersSettled += done.usersSettled
                result.tokensDeleted += done.tokensDeleted
                result.refused += done.refused
                result.changed.formUnion(done.changed)
            }
        )
        let open = Set(result.refused.map(\.userID))
        let whole = settlement.closed.filter { $0.isWhole && open.isDisjoint(with: $0.users) }
        if !whole.isEmpty {
            let closing = Settlement(member: settlement.member, sweepID: settlement.sweepID, closed: whole)
            _ = try await settle(closing, .usual)
        }
        return result
    }

    private func settle(_ settlement: Settlement, _ patience: Patience) async throws(PostgresError) -> Settlement.Result
    {
        let statements = statements(of: settlement)
        // Lists are joined with lists here, which takes linear time only by hashing.
        let settings = [
            ("enable_hashjoin", "on"), ("lock_timeout", String(max(patience.lock, patience == .usual ? 2_000 : 0))),
        ]
        let bound = settlement.updates.filter(\.isOnlyIfUnchanged)
        let rows: [Rows]
        var result = Settlement.Result()
        if bound.isEmpty {
            rows = try await transaction(
                records,
                holding: settlement.member,
                statements,
                settings: settings,
                timeout: patience.statement
            )
        } else {
            let hold = Query.holdMember([.uuid(settlement.member)])
            let written = try await write([hold] + statements, ifUnchanged: bound, settings, patience.statement)
            switch written {
            case .success(let answers): rows = Array(answers.dropFirst())
            case .failure(let error):
                result = try await settle(settlement.without(error.users), patience)
                result.changed.formUnion(error.users)
                return result
            }
        }
        for (statement, answer) in zip(statements, rows) {
            switch statement.name {
            case Query.settleUsers.name: result.usersSettled = Int(try answer.int8(0, 0))
            case Query.forgetDevices.name: result.tokensDeleted = Int(try answer.int8(0, 0))
            default: break
            }
        }
        return result
    }

    /// These users have changed since the decision, so nothing was written.
    private struct UsersChanged: Error {
        let users: Set<UUID>
    }

    /// Commits the statements if none of these users has changed by then.
    private func write(
        _ statements: [Statement],
        ifUnchanged updates: [PersonUpdate],
        _ settings: [(String, String)],
        _ timeout: Duration?
    ) async throws(PostgresError) -> Result<[Rows], UsersChanged> {
        let looks = Array(Self.looks(at: .uuidArray(updates.map(\.userID))).prefix(2))
        let connection = try await records.connection()
        do {
            let rows = try await connection.transaction(
                settings: Self.pinnedPlans + settings,
                timeout: min(timeout ?? statementTimeout, statementTimeout)
            ) { transaction in
                let answers = try await transaction.run(statements + looks)
                let end = statements.count
                let decided = updates.map { (user: $0.userID, version: $0.version) }
                let users = try changed(decided, answers[end], answers[end + 1])
                guard users.isEmpty else { throw UsersChanged(users: users) }
                return Array(answers.prefix(end))
            }
            return .success(rows)
        } catch let error as UsersChanged {
            return .failure(error)
        } catch {
            throw error as? PostgresError ?? PostgresError(.unexpectedResult, statement: Query.settleUsers.name)
        }
    }

    // MARK: The statements

    private func statements(of settlement: Settlement) -> [Statement] {
        var statements: [Statement] = []
        if !settlement.withdrawn.isEmpty {
            statements.append(
                Query.withdrawIntents([
                    .uuidArray(settlement.withdrawn.sorted()), .uuid(settlement.member), .uuid(settlement.sweepID),
                ])
            )
        }
        if !settlement.updates.isEmpty { statements.append(settleUsers(settlement.updates)) }
        if !settlement.environments.isEmpty { statements.append(noteEnvironments(settlement.environments)) }
        if !settlement.records.isEmpty { statements.append(recordDeliveries(settlement)) }
        if !settlement.ended.isEmpty {
            // An id is unique across both tables.
            let ended: [Parameter] = [
                .uuidArray(settlement.ended.map(\.userID)), .uuidArray(settlement.ended.map(\.id)),
            ]
            statements.append(Query.endMessages(ended))
            let continued = ReminderContinuation.json(settlement.continued).map(Parameter.json) ?? .null(.jsonb)
            statements.append(Query.endReminders(ended + [continued]))
        }
        if !settlement.closed.isEmpty || !settlement.withdrawn.isEmpty { statements.append(closeIntents(settlement)) }
        if !settlement.staleTokens.isEmpty { statements.append(forgetDevices(settlement)) }
        return statements
    }

    private func settleUsers(_ updates: [PersonUpdate]) -> Statement {
        // In the order of user_id, like all writers that wait for locks, to avoid deadlocks with an operator's
        // commands.
        let updates = updates.sorted { $0.userID < $1.userID }
        return Query.settleUsers(
            [
                .uuidArray(updates.map(\.userID)), .int8Array(updates.map(\.version)),
                .timestampArray(updates.map(\.dueAt.microseconds)),
                .timestampArray(updates.map(\.evaluatedAt.microseconds)),
                .timestampArray(updates.map { $0.since?.microseconds }), .int8Array(updates.map(\.fingerprint)),
                .textArray(updates.map(\.retry)), .int4Array(updates.map(\.template)),
            ] + Histories(updates.map(\.history)).parameters + [
                .boolArray(updates.map { $0.stamp != .unchecked }),
                .timestampArray(
                    updates.map { if case .at(let instant) = $0.stamp { instant?.microseconds } else { nil } }
                ),
                .textArray(updates.map(\.reason?.rawValue)),
            ]
        )
    }

    private func noteEnvironments(_ notes: [EnvironmentNote]) -> Statement {
        let notes = EnvironmentNote.distinct(notes)
        return Query.noteEnvironments([
            .uuidArray(notes.map(\.userID)), .textArray(notes.map(\.deviceHash)),
            .textArray(notes.map(\.environment)), .textArray(notes.map(\.topic)),
            .int8Array(notes.map(\.registration)), .textArray(notes.map(\.at.rfc3339)),
            .textArray(notes.map(\.reason)), .textArray(notes.map(\.state.rawValue)),
        ])
    }

    /// Writes the environments in which devices work into a table of devices that nudged created. It is for people and
    /// the app: nudged itself uses `nudged.person.quarantine`, also if this fails.
    package func moveDevices(_ notes: [EnvironmentNote]) async throws(PostgresError) {
        let notes = EnvironmentNote.distinct(notes).filter { $0.state == .moved }
        guard !notes.isEmpty else { return }
        _ = try await one(
            records,
            .moveDevices,
            [
                .uuidArray(notes.map(\.userID)), .textArray(notes.map(\.token)),
                .textArray(notes.map(\.newEnvironment)), .textArray(notes.map(\.topic)),
            ],
            settings: Self.impatient
        )
    }

    private func recordDeliveries(_ settlement: Settlement) -> Statement {
        let records = settlement.records
        // An empty list costs nothing, and counts as all nulls.
        let decisions = records.contains { $0.decision != nil } ? records.map { $0.decision?.asciiJSON } : []
        return Query.recordDeliveries([
            .uuid(settlement.sweepID), .uuidArray(Set(records.map(\.userID)).sorted()),
            .uuidArray(records.map(\.userID)), .textArray(records.map(\.kind)), .textArray(records.map(\.key)),
            .dateArray(records.map { $0.slot?.days }), .textArray(records.map(\.deviceHash)),
            .uuidArray(records.map(\.apnsID)), .textArray(records.map(\.outcome.rawValue)),
            .textArray(records.map(\.reason)), .int2Array(records.map { $0.status.map(Int16.init(clamping:)) }),
            .timestampArray(records.map(\.attemptedAtMicroseconds)), .textArray(decisions),
            .int4Array(records.map(\.template)),
        ])
    }

    private func closeIntents(_ settlement: Settlement) -> Statement {
        let parts = settlement.closed.flatMap { part in part.users.map { (part.intent, $0) } }
        return Query.closeIntents([
            .uuidArray(parts.map(\.0)), .uuidArray(parts.map(\.1)),
            .uuidArray(settlement.closed.filter(\.isWhole).map(\.intent)), .uuidArray(settlement.withdrawn),
        ])
    }

    private func forgetDevices(_ settlement: Settlement) -> Statement {
        let tokens = settlement.staleTokens.sorted { ($0.userID, $0.token) < ($1.userID, $1.token) }
        return Query.forgetDevices([
            .uuidArray(tokens.map(\.userID)), .textArray(tokens.map(\.token)),
            .textArray(tokens.map(\.environment)), .textArray(tokens.map(\.topic)),
            .timestampArray(
                tokens.map { $0.unregisteredAt.multipliedReportingOverflow(by: 1000) }.map {
                    $0.overflow ? nil : $0.partialValue
                }
            ),
            .uuidArray(tokens.map(\.apnsID)),
            .timestamp(settlement.records.map(\.attemptedAtMicroseconds).min() ?? 0),
        ])
    }
}

/// Many users' histories as a few long lists, of which each user has a piece. The server cuts binary arrays much faster
/// than it parses texts.
private struct Histories {
    private var checkIns = Places()
    private var closed = Places()
    private var sent = Places()
    private var checkInAt: [Int64?] = []
    private var checkInSlot: [Int32?] = []
    private var closedSlot: [Int32?] = []
    private var sentAt: [Int64?] = []

    init(_ histories: [History]) {
        for history in histories {
            checkIns.append(history.checkIns.count)
            closed.append(history.closed.count)
            sent.append(history.sent.count)
            for checkIn in history.checkIns {
                checkInAt.append(checkIn.at.microseconds)
                checkInSlot.append(checkIn.slot.days)
            }
            for slot in history.closed { closedSlot.append(slot.days) }
            for instant in history.sent { sentAt.append(instant.microseconds) }
        }
    }

    /// For `Query.settleUsers`, from $9 on.
    var parameters: [Parameter] {
        [
            .int4Array(checkIns.first), .int4Array(checkIns.last), .int4Array(closed.first), .int4Array(closed.last),
            .int4Array(sent.first), .int4Array(sent.last),
            .timestampArray(checkInAt), .dateArray(checkInSlot), .dateArray(closedSlot), .timestampArray(sentAt),
        ]
    }

    /// Where each user's piece begins and ends, from 1. An empty piece ends before it begins.
    private struct Places {
        var first: [Int32?] = []
        var last: [Int32?] = []
        private var end: Int32 = 0

        mutating func append(_ count: Int) {
            first.append(end + 1)
            end += Int32(clamping: count)
            last.append(end)
        }
    }
}
