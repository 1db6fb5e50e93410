package import FoundationEssentials
package import Postgres
package import TimeZones

/// Fan-outs: a due reminder for everyone becomes one row for each user whom the view `nudged.subject_member` names,
/// page by page. A page is one transaction, which locks the fan-out and the reminder. So two daemons never do the same
/// page, and a daemon's death undoes it whole.
extension Store {
    /// Fan-outs that are due, the earliest first. Their authors' profiles say in which zone a series counts.
    /// `onRefused` is called for each whose author can't be read.
    package func dueFanOuts(
        now: Instant,
        except left: [UUID],
        limit: Int,
        onRefused: (PendingReminder, PostgresError) -> Void = { _, _ in }
    ) async throws(PostgresError) -> [DueFanOut] {
        let parameters: [Parameter] = [.timestamp(now.endOfSecond), .uuidArray(left), .int8(Int64(limit))]
        let rows = try await one(claims, .dueFanOuts, parameters)
        guard rows.count > 0 else { return [] }
        let fanOuts = try rows.map { row throws(PostgresError) in try DueFanOut(rows, row) }
        var joined: [DueFanOut] = []
        // Like claimed users: a view of the app may fail for one author.
        try await bisecting(
            fanOuts,
            probe: { () async throws(PostgresError) in
                _ = try await one(claims, .claimProfiles, DueFanOut.authors([]), .usual)
            },
            refused: { (fanOut, error) in onRefused(fanOut.reminder, error) },
            work: { (fanOuts, patience) async throws(PostgresError) in
                let profiles = try await one(claims, .claimProfiles, DueFanOut.authors(fanOuts), patience)
                joined += try DueFanOut.joined(fanOuts, profiles)
            }
        )
        return joined
    }

    /// Inserts rows for the next members of a fan-out. After the last one, the next of its series replaces it.
    /// `patience`: how long the app's view may take, if that is less than the usual time-out. `onRefused` is called for
    /// each member whose row the view refuses. The others are told.
    package func tell(
        _ fanOut: DueFanOut,
        next: ReminderContinuation?,
        limit: Int,
        patience: Duration = .seconds(3600),
        onRefused: (Refusal) -> Void = { _ in }
    ) async throws(PostgresError) -> FanOutStep {
        var refused: [UUID] = []
        while true {
            let page = Query.fanOutMembers(fanOut.page(limit, except: refused))
            do throws(PostgresError) {
                return try await fanningOut(fanOut, patience) { transaction throws(PostgresError) in
                    let row = fanOut.row
                    let members = try await transaction.run(page).decoded { (id: UUID) in id }
                    // Members who are not being erased (`nudged_api.forget`), locked so that a later one finds the new
                    // rows. Only the app's view knows the others. It is read again: users who were erased meanwhile are
                    // no longer in it.
                    let hold = Query.fanOutRecipients([.uuidArray(members)])
                    let held = members.isEmpty ? [] : try await transaction.run(hold).uuidSet()
                    let still = held.count < members.count ? try await transaction.run(page).uuidSet() : []
                    let told = members.filter { held.contains($0) || still.contains($0) }
                    if !told.isEmpty { _ = try await transaction.run(Query.fanOutTell(row + [.uuidArray(told)])) }
                    if let last = members.last, members.count >= limit {
                        _ = try await transaction.run(Query.fanOutAdvance(row + [.uuid(last)]))
                        return .told(told.count, last: last)
                    }
                    let over: [Parameter] = [.uuidArray([fanOut.reminder.authorID]), .uuidArray([fanOut.reminder.id])]
                    let continuation = ReminderContinuation.json([next].compactMap(\.self))
                    _ = try await transaction.run(Query.endReminders(over + [.json(continuation)]))
                    return .finished(told.count)
                }
            } catch {
                guard error.statement == Query.fanOutMembers.name, error.code == .refusedByServer, !error.isTimeOut,
                    refused.count < Self.mostRefusals,
                    let member = try await refusedMember(of: fanOut, limit, except: refused)
                else { throw error }
                refused.append(member)
                onRefused(Refusal(member, error, column: "nudged.subject_member", locks: false))
            }
        }
    }

    /// How many ranges of ids are read to find a member whose row the app's view refuses.
    private static let mostRanges = 1_000

    /// Finds the first member whose row the app's view refuses: the ids after the last member who was told are halved,
    /// until one is left. nil: the view refuses something else.
    private func refusedMember(of fanOut: DueFanOut, _ most: Int, except: [UUID]) async throws(PostgresError) -> UUID? {
        // (low, high] holds the member. Ids have the order of numbers.
        var low = fanOut.after.map(\.number)
        var high = UInt128.max
        // A view that computes the ids fails in each range.
        var hasPassed = false
        for _ in 0..<Self.mostRanges {
            let width = low.map { high - $0 } ?? high
            guard width > 1 else { return width == 1 && hasPassed ? UUID(number: high) : nil }
            let middle = (low ?? 0) + width / 2
            do throws(PostgresError) {
                let page = fanOut.page(most, after: low, upTo: middle, except: except)
                let rows = try await one(claims, .fanOutMembers, page, .usual)
                let last = rows.count < most ? nil : try rows.uuid(rows.count - 1, 0)
                low = last?.number ?? middle
                hasPassed = true
            } catch {
                guard error.code == .refusedByServer, !error.isTimeOut else { throw error }
                high = middle
            }
        }
        return nil
    }

    /// Gives a fan-out an instant, if its wall time is in one zone for all. It then waits for that instant.
    package func wait(_ fanOut: DueFanOut, until instant: Instant) async throws(PostgresError) -> FanOutStep {
        try await fanningOut(fanOut) { transaction throws(PostgresError) in
            _ = try await transaction.run(Query.fanOutWait(fanOut.row + [.timestamp(instant.microseconds)]))
            return .finished(0)
        }
    }

    /// Ends a fan-out whose reminder was cancelled or replaced.
    package func drop(_ fanOut: DueFanOut, now: Instant) async throws(PostgresError) {
        _ = try await one(claims, .fanOutDrop, fanOut.row + [.timestamp(now.microseconds)], .usual)
    }

    private static let definitionsAtOnce: Int64 = 2_000

    /// Deletes a page of reminders without a pending occurrence. Returns where the next one begins; nil: it was the
    /// last.
    package func pruneReminders(from place: ReminderPlace) async throws(PostgresError) -> ReminderPlace? {
        let rows = try await one(claims, .pruneReminders, place.key + [.int8(Self.definitionsAtOnce)], .usual)
        guard let author = try rows.uuidOrNull(0, 1) else { return nil }
        return ReminderPlace(key: [.uuid(author), .text(try rows.text(0, 2)), .text(try rows.text(0, 3))])
    }

    /// Runs a transaction that locks the fan-out; `.held` if that is not possible.
    private func fanningOut(
        _ fanOut: DueFanOut,
        _ patience: Duration = .seconds(3600),
        _ body: @escaping @Sendable (Transaction) async throws(PostgresError) -> FanOutStep
    ) async throws(PostgresError) -> FanOutStep {
        let hold = Query.fanOutHold(fanOut.row + [.uuid(fanOut.after)])
        let connection = try await claims.connection()
        do {
            // The plan is not pinned, since the members come from the app's own view.
            let settings = Patience.usual.settings
            return try await connection.transaction(settings: settings, timeout: bounded(patience)) { transaction in
                guard try await transaction.run(hold).count > 0 else { return .held }
                return try await body(transaction)
            }
        } catch {
            throw error as? PostgresError
                ?? PostgresError(.unexpectedResult, statement: Query.fanOutHold.name, detail: "\(error)")
        }
    }
}

/// A fan-out that is due: a reminder for everyone, before it becomes one row per member.
package struct DueFanOut: Sendable, Equatable {
    package let reminder: PendingReminder
    /// The last member who has a row; nil: none.
    package var after: UUID?
    /// The text of the author's preferences; nil: they are null, or the profile is missing.
    package var preferences: String?
    package var timezone: String?

    /// The same fan-out, after this member; nil: before its first.
    package func after(_ member: UUID?) -> DueFanOut {
        var next = self
        next.after = member
        return next
    }

    package func continued(by next: ReminderContinuation) -> DueFanOut {
        DueFanOut(reminder: reminder.continued(by: next), preferences: preferences, timezone: timezone)
    }
}

extension DueFanOut {
    /// Reads a row of `Query.dueFanOuts`.
    init(_ rows: Rows, _ row: Int) throws(PostgresError) {
        var reminder = try PendingReminder(rows, row)
        reminder.isCancelled = try !rows.bool(row, 24)
        self.init(reminder: reminder, after: try rows.uuidOrNull(row, 23))
    }

    /// The key of the author's row.
    fileprivate var row: [Parameter] { [.uuid(reminder.authorID), .uuid(reminder.id)] }

    /// For `Query.fanOutMembers`: the next members, or those of a range of ids.
    func page(_ limit: Int, after: UInt128? = nil, upTo: UInt128? = nil, except refused: [UUID] = []) -> [Parameter] {
        let start = after.map(UUID.init(number:)) ?? self.after
        return [
            .text(reminder.subjectType), .text(reminder.subjectID), .uuid(start), .int8(Int64(limit)),
            .uuid(upTo.map(UUID.init(number:))), .uuidArray(refused),
        ]
    }

    /// For `Query.claimProfiles`: the profiles of these fan-outs' authors.
    static func authors(_ fanOuts: [DueFanOut]) -> [Parameter] {
        [.uuidArray(fanOuts.map(\.reminder.authorID)), .int8(.max), .int8(UserParts.profiles(of: fanOuts.count))]
    }

    /// Adds the authors' profiles: rows of `Query.claimProfiles`.
    static func joined(_ fanOuts: [DueFanOut], _ profiles: Rows) throws(PostgresError) -> [DueFanOut] {
        let authors = try profiles.map { row throws(PostgresError) in (try profiles.uuid(row, 0), row) }
        let rowOf = Dictionary(authors, uniquingKeysWith: { first, _ in first })
        var joined = fanOuts
        for place in joined.indices {
            guard let row = rowOf[joined[place].reminder.authorID] else { continue }
            joined[place].preferences = try profiles.textOrNull(row, 1)
            joined[place].timezone = try profiles.textOrNull(row, 2)
        }
        return joined
    }
}

extension UUID {
    /// The id as a number. PostgreSQL orders ids alike.
    fileprivate var number: UInt128 { withUnsafeBytes(of: uuid) { $0.reduce(0) { $0 << 8 | UInt128($1) } } }

    fileprivate init(number: UInt128) {
        self.init(uuid: withUnsafeBytes(of: number.bigEndian) { $0.loadUnaligned(as: uuid_t.self) })
    }
}

package enum FanOutStep: Sendable, Equatable {
    /// Another daemon has it locked, or the app is setting, cancelling or snoozing the reminder.
    case held
    /// So many members got a row, this one as the last. More may follow.
    case told(Int, last: UUID)
    /// So many members got a row, and none is left.
    case finished(Int)
}

/// A position in a walk over `nudged.reminder`: author and subject. The walk goes on after it.
package struct ReminderPlace: Sendable {
    fileprivate let key: [Parameter]

    package static let start = ReminderPlace(key: [.uuid(Store.firstUser), .text(""), .text("")])
}
