import APNsSimulator
import Core
import JSON

import struct FoundationEssentials.UUID

/// Moves the clock through 24 hours, minute by minute, and notes which pushes Apple accepted.
struct DemoDay {
    private let scene: DemoScene
    private let engine: DemoEngine
    private let app: AppDatabase
    private let directory: Directory
    private let interruption: Interruption
    private let changes: [Int: [(userID: UUID, preferences: String)]]
    private let events: [Int: [(order: DemoOrder, step: Int)]]
    private var pushes: [PushLog] = []
    private var total = HourLine()

    init(_ scene: DemoScene, _ engine: DemoEngine, _ app: AppDatabase, _ interruption: Interruption) {
        self.scene = scene
        self.engine = engine
        self.app = app
        self.interruption = interruption
        directory = Directory(scene.population, zones: scene.zones, start: scene.start)
        let changing = scene.population.people.compactMap { person in person.change.map { (person.userID, $0) } }
        changes = Dictionary(grouping: changing, by: \.1.minute).mapValues { $0.map { ($0.0, $0.1.preferences) } }
        let events = scene.population.people.compactMap(\.order).flatMap { order in
            order.minutes.indices.map { (order: order, step: $0) }
        }
        self.events = Dictionary(grouping: events) { $0.order.minutes[$0.step] }
    }

    /// - Parameter onHour: called at the end of each hour with its line and its start, in seconds of the UTC day.
    mutating func run(onHour: (HourLine, Int) throws -> Void) async throws -> DayResult {
        let began = ContinuousClock.now
        let orders = scene.population.people.compactMap(\.order)
        try await app.register(orders, haveStarted: false, at: scene.start)
        for minute in 0..<1440 {
            try await step(minute)
            guard minute % 60 == 59 else { continue }
            try onHour(try await line(minute), Int(directory.instant(minute - 59).seconds % 86_400))
        }
        return try await result(took: ContinuousClock.now - began)
    }

    private mutating func step(_ minute: Int) async throws {
        let now = directory.instant(minute)
        if let changes = changes[minute] { try await app.change(changes, at: now) }
        if let events = events[minute] { try await app.send(events, at: now) }
        try await engine.serve(at: now, interruption)
        // Everything is settled, so new entries in the simulator's log are from this minute.
        guard scene.apple.simulator.counts.accepted > pushes.count else { return }
        let accepted = scene.apple.simulator.snapshot().accepted[pushes.count...].map { PushLog($0, minute: minute) }
        pushes += accepted
        let started = accepted.filter { $0.event == "start" }
            .compactMap { directory.recipient(of: $0.push.token)?.person.order }
        if !started.isEmpty { try await app.register(started, haveStarted: true, at: now) }
    }

    private mutating func line(_ lastMinute: Int) async throws -> HourLine {
        let report = engine.engine.pipeline.totals
        let status = directory.status(at: lastMinute, tokensLeft: try await app.tokensLeft())
        let before = total
        total = HourLine(sent: pushes.count, rejected: report.rejected, tokensDeleted: report.tokensDeleted)
        return HourLine(
            sent: total.sent - before.sent,
            waiting: status.waiting,
            quiet: status.quiet,
            rejected: total.rejected - before.rejected,
            tokensDeleted: total.tokensDeleted - before.tokensDeleted
        )
    }

    private func result(took duration: Duration) async throws -> DayResult {
        let record = try await app.record()
        let log = scene.apple.simulator.snapshot()
        let accepted = log.accepted.map(\.apnsID)
        // Tokens that got any request, whatever the answer.
        let asked = Set(log.answered.map(\.token))
        let left = try await app.tokensLeft()
        var nudges: Set<String> = []
        return DayResult(
            total: total,
            hours: LocalHours(pushes: pushes, directory: directory),
            agreement: Agreement(accepted: accepted, recorded: record.accepted, unknown: record.unknown),
            orders: OrderCheck(pushes: pushes, directory: directory),
            repeated: pushes.count {
                $0.event == nil && !nudges.insert("\($0.push.token) \($0.push.collapseID ?? "")").inserted
            },
            wrongTokens: scene.population.devicesByToken.values.count {
                left.contains($0.token) == ($0.isStale && asked.contains($0.token))
            },
            changes: changes.values.reduce(0) { $0 + $1.count },
            duration: duration
        )
    }
}

/// A push that the simulator accepted, with the minutes since the day's start.
struct PushLog: Sendable {
    let push: AcceptedPush
    let minute: Int
    /// Of a Live Activity; nil for a check-in.
    private(set) var event: String?
    /// The index in `DemoOrder.events`, from the activity's state.
    private(set) var step = -1
    private(set) var isHeard = true

    init(_ push: AcceptedPush, minute: Int) {
        self.push = push
        self.minute = minute
        guard push.pushType == "liveactivity" else { return }
        let aps = try? JSONValue(parsing: push.payload)["aps"]
        event = aps?["event"]?.text
        step = Int(aps?["content-state"]?["step"]?.integer ?? -1)
        isHeard = aps?["alert"] != nil || aps?["sound"] != nil
    }
}
