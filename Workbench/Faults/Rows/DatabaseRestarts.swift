import Glibc
import LocalPostgres
import Seeded
import Synchronization

extension Fault {
    /// PostgreSQL restarts at once or its postmaster is killed, in mid-sweep. Pushes go on within five seconds, and
    /// nothing is unknown.
    static let databaseRestarts = Fault("database-restarts", row: "PostgreSQL restarts or crashes") { plan in
        let times = plan.pick(quick: 1, full: 5)
        var scenery = Scenery()
        scenery.ownCluster = [:]
        scenery.answerMilliseconds = 20...120
        scenery.environment = ["APNS_MAX_IN_FLIGHT": "40"]
        return ["immediate", "crash"].flatMap { kind in
            (1...times).map { time in
                plan.round("\(kind) \(time)", users: 300, scenery: scenery) { stage, random in
                    var random = random
                    let process = try stage.service()
                    for _ in 1...plan.pick(quick: 2, full: 3) {
                        let more = stage.acceptedCount + 20 + Int(random.next() % 40)
                        guard try await stage.awaitAccepted(more, by: process) else { break }
                        if kind == "crash" {
                            try await stage.cluster.crash()
                        } else {
                            try await onOwnThread { stage.cluster.halt(.immediate) }
                        }
                        try await onOwnThread { try stage.cluster.start() }
                        try await stage.measureRecovery(since: stage.moment, within: .seconds(5))
                    }
                    try await stage.awaitIdle()
                    try await stage.stop(process)
                }
            }
        }
    }

    /// The database goes away between intent and outcome. Outcomes are kept, and recorded when it is back.
    static let databaseAway = Fault(
        "database-away-at-outcome",
        row: "the database goes away between intent and outcome"
    ) { plan in
        // Shorter and longer than the lease. The intents remain the living daemon's in both cases.
        let absences = plan.pick(quick: [500, 10_000], full: [100, 500, 2000, 5000, 7000, 10_000])
        // Beside another daemon, which must not declare the first one dead.
        let beside = plan.pick(quick: [13_000], full: [7000, 10_000, 13_000, 16_000, 20_000])
        return (absences.map { ($0, 1) } + beside.map { ($0, 2) }).map { absence, count in
            var scenery = Scenery()
            scenery.ownCluster = [:]
            scenery.environment = ["APNS_RESPONSE_TIMEOUT": "4s", "SCHEDULE_LEASE": "9s", "APNS_MAX_IN_FLIGHT": "60"]
            // Answers are held until the database is gone, so that no outcome is recorded before.
            let gate = HoldingGate()
            scenery.perDevice = { _, _ in gate.holdsNext() ? .held(then: .accept) : nil }
            return plan.round("away \(absence) ms, daemons \(count)", users: 100, scenery: scenery) { stage, _ in
                let daemons = try (1...count).map { _ in try stage.service() }
                guard await stage.simulator.wait(until: { $0.held >= 20 }) else { throw FaultError("no push was held") }
                try await onOwnThread { stage.cluster.halt(.immediate) }
                let held = stage.acceptedCount + stage.simulator.counts.held
                gate.open()
                stage.simulator.release()
                try await Task.sleep(for: .milliseconds(min(absence / 2, 500)))
                // Releases a push that was just being held when the gate opened.
                stage.simulator.release()
                try await Task.sleep(for: .milliseconds(absence - min(absence / 2, 500)))
                try await onOwnThread { try stage.cluster.start() }
                let back = stage.now
                try await stage.wait(for: "the kept outcomes to be recorded") {
                    try await stage.number("select count(*) from nudged.delivery where outcome = 'accepted'") >= held
                }
                stage.recovered(after: stage.now - back)
                try await stage.awaitIdle()
                for daemon in daemons { try await stage.stop(daemon) }
            }
        }
    }
}

/// Lets three pushes through, so that Apple allows more streams. Holds the later ones until `open`.
private final class HoldingGate: Sendable {
    private let state = Mutex((count: 0, isOpen: false))

    func holdsNext() -> Bool {
        state.withLock { state in
            state.count += 1
            return state.count > 3 && !state.isOpen
        }
    }

    func open() { state.withLock { $0.isOpen = true } }
}
