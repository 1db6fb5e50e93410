import APNsSimulator
import TimeZones

import struct FoundationEssentials.UUID

/// Moves the clock through 24 hours, minute by minute, and notes which pushes Apple accepted.
struct DemoDay {
    let engine: DemoEngine
    let app: AppDatabase
    let apple: SimulatedApple
    let directory: Directory
    let interruption: Interruption
    private let changes: [Int: [(userID: UUID, preferences: String)]]
    private var pushes: [PushLog] = []
    private var total = HourTable.Line()

    static let minutes = 1440

    init(
        engine: DemoEngine,
        app: AppDatabase,
        apple: SimulatedApple,
        directory: Directory,
        interruption: Interruption
    ) {
        self.engine = engine
        self.app = app
        self.apple = apple
        self.directory = directory
        self.interruption = interruption
        let changing = directory.recipients.compactMap { recipient in
            recipient.person.change.map { (recipient.person, $0) }
        }
        changes = Dictionary(grouping: changing, by: \.1.minute).mapValues { all in
            all.map { ($0.0.userID, $0.1.preferences) }
        }
    }

    /// - Parameter onHour: called at the end of each hour with its line and its start, in seconds of the UTC day.
    mutating func run(onHour: (HourTable.Line, Int) throws -> Void) async throws -> DayResult {
        let began = ContinuousClock.now
        for minute in 0..<Self.minutes {
            try await step(minute)
            if minute % 60 == 59 {
                let hour = minute / 60
                let from = directory.instant(hour * 60).seconds % 86_400
                try onHour(try await line(hour), Int(from))
            }
        }
        return try await result(took: ContinuousClock.now - began)
    }

    private mutating func step(_ minute: Int) async throws {
        let now = directory.instant(minute)
        if let changes = changes[minute] { try await app.change(changes, at: now) }
        try await engine.serve(at: now, interruption)
        // Everything is settled, so new entries in the simulator's log are from this minute.
        guard apple.simulator.counts.accepted > pushes.count else { return }
        for push in apple.simulator.snapshot().accepted[pushes.count...] {
            pushes.append(
                PushLog(token: push.token, apnsID: push.apnsID, collapseID: push.collapseID, minute: minute)
            )
        }
    }

    private mutating func line(_ hour: Int) async throws -> HourTable.Line {
        let counts = engine.counter.take()
        let status = directory.status(at: hour * 60 + 59, tokensLeft: try await app.tokensLeft())
        let line = HourTable.Line(
            sent: pushes.count - total.sent,
            waiting: status.waiting,
            quiet: status.quiet,
            rejected: counts.rejected,
            tokensDeleted: counts.tokensDeleted
        )
        total.sent += line.sent
        total.rejected += line.rejected
        total.tokensDeleted += line.tokensDeleted
        return line
    }

    private func result(took duration: Duration) async throws -> DayResult {
        let record = try await app.record()
        let log = apple.simulator.snapshot()
        let hours = LocalHours(pushes: pushes, directory: directory)
        let devices = directory.recipients.flatMap(\.person.devices)
        let check = DayCheck(
            agreement: Agreement(
                accepted: log.accepted.map(\.apnsID),
                recorded: record.accepted,
                unknown: record.unknown
            ),
            hours: hours,
            pushes: pushes,
            devices: Dictionary(devices.map { ($0.token, $0) }, uniquingKeysWith: { first, _ in first }),
            askedOf: Set(log.answered.map(\.token)),
            tokensLeft: try await app.tokensLeft()
        )
        return DayResult(
            total: total,
            hours: hours,
            check: check,
            pushes: pushes.count,
            changes: changes.values.reduce(0) { $0 + $1.count },
            duration: duration
        )
    }
}
