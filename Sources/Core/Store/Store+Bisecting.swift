import Postgres

import struct FoundationEssentials.UUID

/// A list that the database refuses is halved until the user is found who causes it. This covers unexpected causes.
extension Store {
    /// How long a transaction may wait and run.
    struct Patience: Sendable, Equatable {
        /// The lock time-out in milliseconds: longer than another transaction's commit takes. Nil: none.
        var lock: Int? = 250
        /// The time-out of each statement, if it is less than usual.
        var statement: Duration?

        static let unlimited = Patience(lock: nil)
        static let usual = Patience()
        /// For what was refused before.
        static let again = Patience(lock: 50)
        /// For the search in a list.
        static let searching = Patience(lock: 50, statement: .seconds(1))

        var settings: [(String, String)] { lock.map { [("lock_timeout", String($0))] } ?? [] }
    }

    /// If nobody can be read or written, more refusals than this are a fault of the server and not of single users.
    /// More time-outs than this are always one.
    static let mostRefusals = 8
    /// How long locked rows are searched for by halves.
    static let searchTime = Duration.seconds(2)

    /// Runs `work` over a list. If the database refuses it because of its content or a locked row, runs it over halves.
    ///
    /// - Parameters:
    ///   - first: the error of an earlier attempt with the whole list; nil: there was none.
    ///   - parting: for writes: where to look which users' rows are locked, and the user of an element.
    ///   - probe: for reads of the app's data: the same read for no user. If it succeeds, one element causes the error,
    ///     whatever its SQLSTATE is: the app's views, triggers and types can raise any.
    ///   - refused: called for each element that is refused alone, or whose row is locked.
    /// - Throws: errors that no element causes, and the last error if too many elements are refused.
    func bisecting<Element>(
        _ all: [Element],
        first: PostgresError? = nil,
        parting: (database: Database, user: (Element) -> UUID)? = nil,
        probe: (() async throws(PostgresError) -> Void)? = nil,
        refused: (Element, PostgresError) async throws(PostgresError) -> Void,
        work: ([Element], Patience) async throws(PostgresError) -> Void
    ) async throws(PostgresError) {
        var bisection = Bisection(all)
        var first = first
        var refusals = 0
        var wasSlow = false
        var hasPassed = false
        var isProbed = false
        var searchEnd: ContinuousClock.Instant?
        while let piece = bisection.next() {
            do throws(PostgresError) {
                if let error = first.take() { throw error }
                try await work(piece, bisection.isSearching ? .searching : .usual)
                hasPassed = true
            } catch {
                // A read without locks waits for whole tables only, which the probe notices.
                let isHeld = error.isHeldRow && (probe == nil || parting != nil)
                if let probe, error.code == .refusedByServer, !error.isFenced, !isHeld {
                    if !isProbed { try await probe() }
                    isProbed = true
                } else if !isHeld, !error.isAboutContent {
                    throw error
                }
                if isHeld {
                    let isFirst = searchEnd == nil
                    let end = searchEnd ?? .now + Self.searchTime
                    searchEnd = end
                    if isFirst, piece.count > 1, let (database, user) = parting,
                        let free = try await unlocked(piece.map(user), database),
                        !piece.allSatisfy({ free.contains(user($0)) })
                    {
                        bisection.again(piece.filter { free.contains(user($0)) })
                        for element in piece where !free.contains(user(element)) { try await refused(element, error) }
                        continue
                    }
                    if .now >= end {
                        for element in piece + bisection.giveUp() { try await refused(element, error) }
                        return
                    }
                }
                // A single element that timed out is tried twice, since the server may have been slow.
                if piece.count == 1, error.isTimeOut, !wasSlow {
                    wasSlow = true
                    bisection.again(piece)
                    continue
                }
                wasSlow = false
                guard let one = bisection.refused(piece) else { continue }
                if !isHeld {
                    refusals += 1
                    if refusals > Self.mostRefusals, !hasPassed || error.isTimeOut { throw error }
                }
                try await refused(one, error)
            }
        }
    }

    /// The users whose rows are not locked, with SKIP LOCKED. nil: distributed tables refuse that.
    private func unlocked(_ users: [UUID], _ database: Database) async throws(PostgresError) -> Set<UUID>? {
        do throws(PostgresError) {
            return try await one(database, .freePeople, [.uuidArray(users)]).uuidSet()
        } catch {
            guard error.sqlState == Self.notSupported else { throw error }
            return nil
        }
    }

    /// feature_not_supported
    static let notSupported = "0A000"
}

/// Finds the elements that the database refuses in a list. A refused list is tried again in halves, until one element
/// is left. A value: it says what to try next.
struct Bisection<Element> {
    /// The last one is tried next.
    private var pieces: [[Element]]
    /// True once a piece was refused or put back. Later pieces are tried with shorter time-outs.
    private(set) var isSearching = false

    init(_ all: [Element]) { pieces = all.isEmpty ? [] : [all] }

    mutating func next() -> [Element]? { pieces.popLast() }

    /// Replaces a refused piece by its two halves. Returns an element that was refused alone.
    mutating func refused(_ piece: [Element]) -> Element? {
        isSearching = true
        guard piece.count > 1 else { return piece.first }
        let middle = piece.count / 2
        pieces.append(Array(piece[middle...]))
        pieces.append(Array(piece[..<middle]))
        return nil
    }

    mutating func again(_ piece: [Element]) {
        isSearching = true
        if !piece.isEmpty { pieces.append(piece) }
    }

    mutating func giveUp() -> [Element] {
        defer { pieces = [] }
        return pieces.reversed().flatMap(\.self)
    }
}
