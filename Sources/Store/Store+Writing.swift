public import struct FoundationEssentials.UUID
public import Postgres
import TimeZones

extension Store {
    /// Commits a chunk's intent, durably, for those of its users of whom nothing changed. Returns them.
    ///
    /// A touch that was committed before this transaction ended counts, though the statement's snapshot was older: so after the commit,
    /// and before the first byte, the touches are asked once more, and what is paused. Users found there stand in the intent, and are to be withdrawn;
    /// so are the messages and reminders that could not be held: they were cancelled, or are being cancelled, which may last. What else their users get
    /// needs not wait for that.
    public func commit(
        _ intent: Intent,
        leaseMilliseconds: Int64
    ) async throws(PostgresError) -> (kept: Set<UUID>, changed: Set<UUID>, cancelled: Set<MessageReference>) {
        let users = Parameter.uuidArray(intent.entries.map(\.userID))
        let versions = Parameter.int8Array(intent.entries.map(\.version))
        let commit = Statement(
            Query.intent.rawValue,
            sql: Query.intent.sql,
            parameters: [
                .uuid(intent.leaseID), .int8(leaseMilliseconds), .int4(intent.number), .uuid(intent.sweepID),
                .timestamp(intent.attemptedAt.microseconds), users, versions,
            ] + IntentColumns(intent).parameters
        )
        let (holding, answers) = try await committing(intent, commit, looks: Self.looks(at: users))
        guard answers.count == 4 else { throw PostgresError(.unexpectedResult, statement: Query.intent.rawValue) }
        let kept = try userSet(answers[0])
        let held = intent.entries.filter { kept.contains($0.userID) }
        let decided = held.map { (user: $0.userID, version: $0.version) }
        let changed = try changed(decided, leaseID: intent.leaseID, answers[1], answers[2])
        let paused = try Self.held(held, by: Self.kinds(answers[3]))
        return (kept, changed.union(paused.intersection(kept)), try cancelled(intent, holding))
    }

    /// The intent's transaction, its messages and reminders held first where there are any.
    private func committing(
        _ intent: Intent,
        _ commit: Statement,
        looks: [Statement]
    ) async throws(PostgresError) -> (holding: Rows?, answers: [Rows]) {
        // A list is joined with a list here: linear only by hashing.
        let settings = [("enable_hashjoin", "on")]
        guard !intent.messages.isEmpty else {
            return (nil, try await transaction(intents, [commit], afterwards: looks, settings: settings))
        }
        let parameters: [Parameter] = [
            .uuidArray(intent.messages.map(\.userID)), .uuidArray(intent.messages.map(\.id)),
        ]
        // Distributed rows are held by an update.
        let answers = try await asking(.holdMessages) { query throws(PostgresError) in
            try await transaction(
                intents,
                [Statement(query.rawValue, sql: query.sql, parameters: parameters), commit],
                afterwards: looks,
                settings: settings + Self.impatient
            )
        }
        return (answers.first, Array(answers.dropFirst()))
    }

    /// The messages and reminders that could not be held.
    private func cancelled(_ intent: Intent, _ holding: Rows?) throws(PostgresError) -> Set<MessageReference> {
        guard let holding else { return [] }
        var held: Set<MessageReference> = []
        for row in 0..<holding.count {
            held.insert(MessageReference(userID: try holding.uuid(row, 0), id: try holding.uuid(row, 1)))
        }
        return Set(intent.messages.filter { !held.contains($0) })
    }

    /// Touches first: one that is drained between the two questions has raised the version by the second.
    static func looks(at users: Parameter) -> [Statement] {
        [Query.touchedSince, .versions].map { Statement($0.rawValue, sql: $0.sql, parameters: [users]) } + [pausedKinds]
    }

    /// Users whose data changed since they were decided on, by the answers of `looks`.
    func changed(
        _ decided: [(user: UUID, version: Int64)],
        leaseID: UUID,
        _ touches: Rows,
        _ versions: Rows
    ) throws(PostgresError) -> Set<UUID> {
        let touched = try userSet(touches)
        var known: [UUID: Int64] = [:]
        known.reserveCapacity(versions.count)
        // Another's lease is a change as well: the database's clock went past our lease's end while the intent was being committed.
        for row in 0..<versions.count where try versions.uuidOrNull(row, 2) == leaseID {
            known[try versions.uuid(row, 0)] = try versions.int8(row, 1)
        }
        return Set(
            decided.filter { touched.contains($0.user) || known[$0.user]?.changes != $0.version.changes }.map(\.user)
        )
    }

    /// Settles users: intent, record, histories and tokens in one transaction.
    public func settle(_ settlement: Settlement) async throws(PostgresError) -> Settlement.Result {
        var statements: [Statement] = []
        if case .withdrawn(let chunk) = settlement.fence {
            statements.append(
                Statement(
                    Query.withdrawIntent.rawValue,
                    sql: Query.withdrawIntent.sql,
                    parameters: [
                        .uuid(settlement.leaseID), .int4(chunk), .int8(Self.withdrawalMilliseconds),
                        .uuid(settlement.sweepID),
                        .timestamp((settlement.updates.first?.askedAt ?? Instant(seconds: 0)).microseconds),
                    ]
                )
            )
        }
        let place = statements.count
        statements.append(
            Statement(Query.settle.rawValue, sql: Query.settle.sql, parameters: parameters(of: settlement))
        )
        if !settlement.staleTokens.isEmpty { statements.append(forgetting(settlement)) }
        let rows = try await transaction(
            records,
            statements,
            settings: [("enable_hashjoin", "on"), ("lock_timeout", "2000")]
        )
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
        // In the order of user_id, like every other writer that waits: two daemons can't deadlock.
        let order = settlement.updates.indices.sorted {
            settlement.updates[$0].userID < settlement.updates[$1].userID
        }
        let updates = order.map { settlement.updates[$0] }
        let records = settlement.records
        // An empty list costs nothing, and stands for as many nulls.
        let decisions = records.contains { $0.decision != nil } ? records.map(\.decision) : []
        let (chunk, mustBeOpen): (Int32, Bool) =
            switch settlement.fence {
            case .none: (0, false)
            case .withdrawn(let chunk): (chunk, false)
            case .openIntent(let chunk): (chunk, true)
            }
        return [
            .uuid(settlement.leaseID), .int4(chunk), .uuid(settlement.sweepID),
            .uuidArray(updates.map(\.userID)), .int8Array(updates.map(\.version)),
            .timestampArray(updates.map(\.dueAt.microseconds)), .timestampArray(updates.map(\.askedAt.microseconds)),
            .timestampArray(updates.map { $0.since?.microseconds }), .int8Array(updates.map(\.fingerprint)),
            .textArray(updates.map(\.retry)),
        ] + HistoryLists(updates.map(\.history)).parameters + [
            .uuidArray(records.map(\.userID)), .textArray(records.map(\.kind)), .textArray(records.map(\.key)),
            .dateArray(records.map { $0.slot?.days }), .textArray(records.map(\.deviceHash)),
            .uuidArray(records.map(\.apnsID)), .textArray(records.map(\.outcome.rawValue)),
            .textArray(records.map(\.reason)), .int2Array(records.map { $0.status.map(Int16.init(clamping:)) }),
            .timestampArray(records.map { $0.attemptedAt.microseconds &+ settlement.tieBreak }), .bool(mustBeOpen),
            .uuidArray(settlement.ended.map(\.userID)), .uuidArray(settlement.ended.map(\.id)),
            .textArray(decisions),
            ReminderContinuation.json(settlement.continued).map(Parameter.json) ?? .null(.jsonb),
            .int4Array(updates.map(\.template)), .int4Array(records.map(\.template)),
        ]
    }

    /// How long a withdrawn intent's place is kept: longer than a commit can still be on its way.
    private static let withdrawalMilliseconds: Int64 = 60_000

    private func forgetting(_ settlement: Settlement) -> Statement {
        let tokens = settlement.staleTokens.sorted { ($0.userID, $0.token) < ($1.userID, $1.token) }
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
                .uuidArray(tokens.map(\.apnsID)),
                .timestamp(settlement.records.map(\.attemptedAt.microseconds).min() ?? 0),
            ]
        )
    }
}
