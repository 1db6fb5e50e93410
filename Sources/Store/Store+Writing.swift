public import struct FoundationEssentials.UUID
public import Postgres
import TimeZones

extension Store {
    /// Commits a chunk's intent, durably, for those of its users of whom nothing changed. Returns them.
    ///
    /// A touch that was committed before this transaction ended counts, though the statement's snapshot was older: so after the commit,
    /// and before the first byte, the touches are asked once more. Users found there stand in the intent, and are to be withdrawn.
    public func commit(
        _ intent: Intent,
        leaseMilliseconds: Int64
    ) async throws(PostgresError) -> (kept: Set<UUID>, changed: Set<UUID>) {
        // In the order of user_id, like every other writer that waits: two daemons can't deadlock.
        let updates = intent.entries.map(\.update).sorted { $0.userID < $1.userID }
        let devices = intent.entries.flatMap { entry in entry.devices.map { (entry.update.userID, $0) } }
        let rows = try await one(
            intents,
            .intent,
            [
                .uuid(intent.leaseID), .int8(leaseMilliseconds), .int4(intent.number), .uuid(intent.sweepID),
                .timestamp(intent.attemptedAt.microseconds),
                .uuidArray(updates.map(\.userID)), .int8Array(updates.map(\.version)),
                .timestampArray(updates.map { $0.since?.microseconds }), .int8Array(updates.map(\.fingerprint)),
            ] + histories(updates) + [
                .textArray(updates.map(\.retry)),
                .uuidArray(devices.map(\.0)), .textArray(devices.map(\.1.kind)), .textArray(devices.map(\.1.key)),
                .dateArray(devices.map { $0.1.slot?.days }), .textArray(devices.map(\.1.deviceHash)),
                .uuidArray(devices.map(\.1.apnsID)),
            ]
        )
        let kept = try userSet(rows)
        guard !kept.isEmpty else { return ([], []) }
        let held = updates.filter { kept.contains($0.userID) }
        return (kept, try await changed(held))
    }

    /// Users whose data changed since they were decided on. Touches first: one that is drained between the two questions has raised the version
    /// by the second.
    func changed(_ updates: [PersonUpdate]) async throws(PostgresError) -> Set<UUID> {
        let users = Parameter.uuidArray(updates.map(\.userID))
        let rows = try await transaction(
            intents,
            [Query.touchedSince, .versions].map { Statement($0.rawValue, sql: $0.sql, parameters: [users]) }
        )
        guard rows.count == 2 else { throw PostgresError(.unexpectedResult, statement: Query.versions.rawValue) }
        var changed = try userSet(rows[0])
        var versions: [UUID: Int64] = [:]
        for row in 0..<rows[1].count { versions[try rows[1].uuid(row, 0)] = try rows[1].int8(row, 1) }
        for update in updates where versions[update.userID] != update.version { changed.insert(update.userID) }
        return changed
    }

    /// Settles users: intent, record, histories and tokens in one transaction.
    public func settle(_ settlement: Settlement) async throws(PostgresError) -> Settlement.Result {
        var statements: [Statement] = []
        if case .none(let chunk) = settlement.fence, chunk > 0 {
            let users = settlement.updates.map(\.userID)
            statements.append(
                Statement(
                    Query.hold.rawValue,
                    sql: Query.hold.sql,
                    parameters: [.uuid(settlement.leaseID), .uuidArray(users)]
                )
            )
        }
        let place = statements.count
        statements.append(
            Statement(Query.settle.rawValue, sql: Query.settle.sql, parameters: parameters(of: settlement))
        )
        if !settlement.staleTokens.isEmpty { statements.append(forgetting(settlement.staleTokens)) }
        let rows = try await transaction(records, statements)
        guard rows.count == statements.count else {
            throw PostgresError(.unexpectedResult, statement: Query.settle.rawValue)
        }
        let closed = try rows[place].int8(0, 0) > 0
        var counted = true
        if case .openIntent = settlement.fence { counted = closed }
        return Settlement.Result(
            counted: counted,
            usersSettled: Int(try rows[place].int8(0, 1)),
            tokensDeleted: rows.count > place + 1 ? Int(try rows[place + 1].int8(0, 0)) : 0
        )
    }

    private func parameters(of settlement: Settlement) -> [Parameter] {
        // In the order of user_id: see `commit`.
        let updates = settlement.updates.sorted { $0.userID < $1.userID }
        let records = settlement.records
        let (chunk, mustBeOpen): (Int32, Bool) =
            switch settlement.fence {
            case .none(let chunk): (chunk, false)
            case .openIntent(let chunk): (chunk, true)
            }
        return [
            .uuid(settlement.leaseID), .int4(chunk), .uuid(settlement.sweepID),
            .uuidArray(updates.map(\.userID)), .int8Array(updates.map(\.version)),
            .timestampArray(updates.map(\.dueAt.microseconds)), .timestampArray(updates.map(\.askedAt.microseconds)),
            .timestampArray(updates.map { $0.since?.microseconds }), .int8Array(updates.map(\.fingerprint)),
        ] + histories(updates) + [
            .textArray(updates.map(\.retry)),
            .uuidArray(records.map(\.userID)), .textArray(records.map(\.kind)), .textArray(records.map(\.key)),
            .dateArray(records.map { $0.slot?.days }), .textArray(records.map(\.deviceHash)),
            .uuidArray(records.map(\.apnsID)), .textArray(records.map(\.outcome.rawValue)),
            .textArray(records.map(\.reason)), .int2Array(records.map { $0.status.map(Int16.init(clamping:)) }),
            .timestampArray(records.map(\.attemptedAt.microseconds)), .bool(mustBeOpen),
        ]
    }

    /// `unnest` flattens arrays of arrays, so each user's history travels as the text of an array: check-in instants, slots, closed, sent.
    private func histories(_ updates: [PersonUpdate]) -> [Parameter] {
        [
            .textArray(updates.map { literal($0.history.checkIns.map(\.at.rfc3339)) }),
            .textArray(updates.map { literal($0.history.checkIns.map(\.slot.iso)) }),
            .textArray(updates.map { literal($0.history.closed.map(\.iso)) }),
            .textArray(updates.map { literal($0.history.sent.map(\.rfc3339)) }),
        ]
    }

    /// Instants and dates need no quoting.
    private func literal(_ items: [String]) -> String {
        items.isEmpty ? "{}" : "{" + items.joined(separator: ",") + "}"
    }

    private func forgetting(_ tokens: [Settlement.StaleToken]) -> Statement {
        let tokens = tokens.sorted { ($0.userID, $0.token) < ($1.userID, $1.token) }
        return Statement(
            Query.forgetDevices.rawValue,
            sql: Query.forgetDevices.sql,
            parameters: [
                .uuidArray(tokens.map(\.userID)), .textArray(tokens.map(\.token)),
                .textArray(tokens.map(\.environment)), .textArray(tokens.map(\.topic)),
                .timestampArray(
                    tokens.map { $0.unregisteredAt.multipliedReportingOverflow(by: 1000) }.map {
                        $0.overflow ? nil : $0.partialValue
                    }
                ),
            ]
        )
    }
}
