import APNsSimulator
import Base
import LocalPostgres
import Seeded

/// How much of each fault is played, and with which seed.
package struct FaultPlan: Sendable {
    /// Plays a little of each fault, in about six minutes.
    let isQuick: Bool
    var seed: UInt64
    /// Users per round; nil for each row's own number.
    let users: Int?
    /// The most rounds per fault; nil for each row's own number.
    let mostRounds: Int?

    package init(isQuick: Bool, seed: UInt64, users: Int? = nil, rounds: Int? = nil) {
        (self.isQuick, self.seed, self.users, mostRounds) = (isQuick, seed, users, rounds)
    }

    func pick<Value>(quick: Value, full: Value) -> Value { isQuick ? quick : full }

    /// A seed for a round of this name. It doesn't depend on which other rounds there are.
    private func seed(_ name: String) -> UInt64 {
        var random = SplitMix64(seed: seed ^ name.stableHash)
        return random.next()
    }

    func round(_ name: String, users: Int, scenery: Scenery = Scenery(), play: @escaping Round.Script) -> Round {
        Round(name: name, seed: seed(name), users: self.users ?? users, scenery: scenery, play: play)
    }

    func once(_ name: String, users: Int, scenery: Scenery = Scenery(), play: @escaping Round.Script) -> [Round] {
        [round(name, users: users, scenery: scenery, play: play)]
    }

    func rounds(quick: Int, full: Int, users: Int, scenery: Scenery, play: @escaping Round.Script) -> [Round] {
        (1...pick(quick: quick, full: full)).map { round("\($0)", users: users, scenery: scenery, play: play) }
    }

    func rounds<Kind: Sendable>(
        of kinds: some Sequence<Kind>,
        quick: Int = 1,
        full: Int,
        users: Int,
        scenery: Scenery = Scenery(),
        name: (Kind) -> String = { "\($0)" },
        play: @escaping @Sendable (Stage, Kind) async throws -> Void
    ) -> [Round] {
        kinds.flatMap { kind in
            (1...pick(quick: quick, full: full)).map { time in
                round("\(name(kind)) \(time)", users: users, scenery: scenery) { try await play($0, kind) }
            }
        }
    }

    /// So many rounds, or in a quick run a few that the seed chooses.
    func some(_ rounds: [Round], quick: Int) -> [Round] {
        var random = SplitMix64(seed: seed)
        return Array(rounds.shuffled(using: &random).prefix(pick(quick: quick, full: rounds.count)))
    }
}

/// A row of the table: what goes wrong, and the rounds that play it.
package struct Fault: Sendable {
    /// Its name, for `--only` and the tests: lower case with hyphens.
    package let name: String
    /// Why this machine can't play it; nil if it can.
    var obstacle: @Sendable () -> String? = { nil }
    let rounds: @Sendable (FaultPlan) -> [Round]
}

extension Fault {
    /// Each fault with a text for `--list`: what happens, and what it shows.
    package static let rows: [(fault: Fault, text: String)] = [
        (.failPoints, "A daemon is killed at each fail point."),
        (.randomKills, "A daemon is killed at random moments, several times."),
        (.systemCallKills, "A daemon is killed as it enters a system call."),
        (.systemCallErrors, "Calls of one kind fail for two seconds. The daemon goes on."),
        (.databaseRestarts, "PostgreSQL restarts or crashes. The daemon works again within five seconds."),
        (.databaseAway, "The database is away between intent and outcome. Outcomes are recorded later."),
        (.lostBackends, "The daemon's sessions are ended in a loop."),
        (.hungServer, "PostgreSQL or one session hangs. Calls end by time-out. The watchdog is fed."),
        (.refusals, "PostgreSQL refuses: read-only, no connections, time-outs, deadlocks. No push is repeated."),
        (.fullDisk, "The disk under intents and record is full for a while."),
        (.intentWidth, "Open intents hold at most apns.maxInFlight pushes. A living daemon leaves none."),
        (.severalDaemons, "Two or four daemons share the work, without a deadlock."),
        (.comingAndGoing, "One daemon, then four, then one: each gets its share."),
        (.membershipKills, "A daemon is killed as it joins, leaves, joins again or declares another dead."),
        (.wrongDeaths, "Living daemons are declared dead. Their open pushes become unknown, and they join again."),
        (.lateDaemon, "A daemon sleeps past its lease. Then it sends no old push, and its settlements are refused."),
        (
            .rollingUpgrade,
            "Daemons of two versions work side by side, before and after a migration under load. If it asks for more, they wait."
        ),
        (.partition, "The network to the database or to Apple is cut. Nothing hangs."),
        (.termination, "A daemon that stops waits for pushes in flight. It leaves no intent or membership."),
        (.badReload, "The old configuration stays in force. The error names file, line and key."),
        (.clockSteps, "The clock steps by two hours, both ways. Each slot is sent once."),
        (.summerTime, "Clocks go forward and back. Each slot of the night is sent once, on time."),
        (.suspension, "After a day of sleep fresh slots are sent once, and stale ones are skipped."),
        (.zoneFiles, "Zone files change, break and change back. No day gets two pushes."),
        (.lostLogs, "No log line can be written. Sending goes on, and nudged status counts lost lines."),
        (.scarcity, "64 file descriptors or 1 GB of address space are enough. With 63, the start is refused."),
        (.badRows, "Many rows hold bad data. Users with good data are served."),
        (.changingPreferences, "Preferences change all the time. A change before the intent counts."),
        (.messages, "Messages are sent and cancelled while daemons are killed. None cancelled in time arrives."),
        (.restoredBackup, "An old backup is restored. After nudged after-restore no nudge is sent again."),
        (.erasedUsers, "Users are erased at every stage. No table holds a trace of them."),
        (.synchronousPromotion, "A synchronous standby is promoted. Nothing becomes unknown."),
        (
            .asynchronousPromotion,
            "An asynchronous standby is promoted. What it lacked is sent again once, and nothing else."
        ),
    ]

    package static var all: [Fault] { rows.map(\.fault) }

    package static func named(_ name: String) -> Fault? { all.first { $0.name == name } }
}

/// One run: a population, a scripted fault, a comparison.
struct Round: Sendable {
    typealias Script = @Sendable (Stage) async throws -> Void

    let name: String
    let seed: UInt64
    let users: Int
    let scenery: Scenery
    /// It starts daemons, breaks things and restores them. `run --once` serves who is still due before the comparison.
    let play: Script
}

/// What a round needs besides its population.
struct Scenery: Sendable {
    /// Settings of a PostgreSQL for this round alone; nil for the workshop's, which no round may harm.
    var ownCluster: [String: String]?
    /// How long Apple takes to answer, in milliseconds. The token decides within this range.
    var answers: ClosedRange<Int> = 5...40
    /// apns.maxInFlight and schedule.batch. Batches are small, so that many intents are open at once.
    var inFlight = 100
    var batch = 50
    var environment: [String: String] = [:]
    /// Apple's answer before the population's; nil for none. Called on the simulator's thread.
    var perDevice: (@Sendable (_ token: String, _ attempt: Int) -> ScriptedAnswer?)?
}

package struct RoundResult: Sendable {
    let name: String
    var books = Books()
    var allowance = Allowance()
    var check = BookCheck(Books())
    /// The recovery time in milliseconds; nil if it was not measured.
    var recovery: Int64?
    var notes: [String] = []
    var failures: [String] = []

    package var passes: Bool { check.isClean && failures.isEmpty }

    /// The failures and up to five rows of each breach.
    package var text: String {
        var lines = failures
        for breach in Breach.allCases {
            guard let rows = check.found[breach] else { continue }
            lines.append("\(breach.rawValue): \(rows.count)")
            lines += rows.prefix(5).map { "    \($0)" }
        }
        return lines.map { "  \(name): \($0)" }.joined(separator: "\n")
    }
}

package struct FaultRun: Sendable {
    private let workshop: Workshop
    private let plan: FaultPlan

    package init(_ workshop: Workshop, _ plan: FaultPlan) { (self.workshop, self.plan) = (workshop, plan) }

    /// Plays all rounds of a fault, and calls `onRound` after each with its result.
    package func play(_ fault: Fault, onRound: (RoundResult) -> Void = { _ in }) async -> FaultRow {
        var row = FaultRow(fault: fault.name)
        if let obstacle = fault.obstacle() {
            row.notes.append("skipped: \(obstacle)")
            return row
        }
        let begin = ContinuousClock.now
        // Several at a time, because most of a round is waiting for Apple's answers.
        // Rounds of several faults have one name, such as `1`.
        var own = plan
        own.seed ^= fault.name.stableHash
        var waiting = fault.rounds(own).prefix(plan.mostRounds ?? .max)
        await withTaskGroup(of: RoundResult.self) { group in
            for round in waiting.prefix(3) { group.addTask { await play(round) } }
            waiting = waiting.dropFirst(3)
            for await result in group {
                row.add(result)
                onRound(result)
                if let round = waiting.popFirst() { group.addTask { await play(round) } }
            }
        }
        row.seconds = Int((ContinuousClock.now - begin) / .seconds(1))
        return row
    }

    func play(_ round: Round) async -> RoundResult {
        do {
            let workshop = workshop
            let stage = try await onOwnThread { try Stage(round, workshop) }
            let played = await Task {
                try await stage.seed()
                try await round.play(stage)
                return try await stage.close()
            }.result
            try await onOwnThread { stage.strike() }
            return try played.get()
        } catch {
            return RoundResult(name: round.name, failures: ["could not be played: \(error)"])
        }
    }

    package func command(_ fault: Fault) -> String {
        var words = ["nudged-bench faults --only", fault.name, "--seed", "\(plan.seed)"]
        if plan.isQuick { words.append("--quick") }
        if let users = plan.users { words += ["--users", "\(users)"] }
        return (words + ["--nudged", workshop.binary]).joined(separator: " ")
    }
}

/// A fault could not be played. What a fault broke is a `Breach` instead.
struct FaultError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
