import APNs
import Base
import Configuration
import Core
import Glibc
import HTTPClient
import Postgres
import Synchronization
import TimeZones

import struct FoundationEssentials.UUID

/// The daemon's state, and when it was written into its row. Instants called `boot` are milliseconds of CLOCK_BOOTTIME.
struct HeartbeatMemory: Sendable {
    fileprivate(set) var state = DaemonState()
    private var last: (boot: Int64, state: DaemonState)?
    /// Users served since the start, at several moments: the newest that is at least ten seconds old, and later ones.
    private var served: [(boot: Int64, count: Int)] = []
    fileprivate(set) var book = MetricsBook()

    var hasBeaten: Bool { last != nil }

    mutating func finished(_ report: SweepReport, now: Instant?) {
        let summary = SweepSummary(report, at: now)
        state.lastSweep = summary
        if report.isWorthALine { state.lastWork = summary }
        if report.isGood { state.lastGood = now ?? state.lastGood }
        // Only known with a clock: a sweep is not accepted before it was read.
        if report.isAccepted, state.failure?.until == nil { state.failure?.until = now }
    }

    /// A sweep failed. It counts as failing until the database accepts one.
    mutating func failed(_ error: PostgresError, now: Instant?) {
        let since = state.failure.flatMap { $0.until == nil ? $0.since : nil }
        state.failure = SweepFailure(error, since: since ?? now)
    }

    /// Takes the lanes, each with the instant since when it has its state.
    mutating func take(_ lanes: [LaneReport]) {
        state.lanes = lanes.map { report in
            let old = state.lanes.first { $0.lane == report.lane }
            guard let old, !report.isNews(after: old), let since = old.since else { return report }
            var report = report
            report.since = since
            return report
        }
    }

    /// Takes the users served since the start. Returns users a minute, measured over the last ten seconds.
    mutating func perMinute(served count: Int, boot: Int64) -> Int {
        served.append((boot, count))
        while served.count > 1, boot - served[1].boot >= DaemonState.interval { served.removeFirst() }
        guard let first = served.first, boot > first.boot else { return 0 }
        return Int(Int64(count - first.count) * 60_000 / (boot - first.boot))
    }

    /// The state, if it is to be written now: the first time, every ten seconds, and with news. It counts as written,
    /// with or without success. So a database that refuses it is not tried every second.
    mutating func due(_ state: DaemonState, boot: Int64) -> DaemonState? {
        if let last, boot - last.boot < DaemonState.interval, !state.isNews(after: last.state) { return nil }
        last = (boot, state)
        return state
    }
}

/// Hears the sweeps' events: counts them for the metrics, and calls the heartbeat's address after good sweeps. Writes
/// the daemon's state into its row, for `nudged status`. `HeartbeatMemory` decides when.
final class Heartbeat: Sendable {
    /// Identifies the daemon in the database.
    let id = UUID.random()
    let startedAt = BootTime.milliseconds()
    private let version: String
    private let clock: PolicyClock
    private let memory = Mutex(HeartbeatMemory())
    private let calls: Mutex<HeartbeatCaller?>
    /// How often the state is compared. A comparison needs no query.
    private let pulse = Ticker(every: .seconds(1))

    /// How long a stop waits for the row's deletion. Without it, the daemon counts as dead 30 s after its last beat.
    private static let farewell = Duration.seconds(3)

    /// - Parameter clock: the database's, for the instants in the row.
    init(_ version: String, clock: PolicyClock, caller: HeartbeatCaller? = nil) {
        (self.version, self.clock) = (version, clock)
        calls = Mutex(caller)
    }

    var book: MetricsBook { memory.withLock { $0.book } }

    var caller: HeartbeatCaller? { calls.withLock { $0 } }

    /// Replaces the caller. The old one's running call is ended.
    func call(by next: HeartbeatCaller?) {
        if let old = calls.withLock({ exchange(&$0, with: next) }), old !== next { Task { await old.close() } }
    }

    func heard(_ event: SweepEvent) {
        if case .progress = event { return }
        memory.withLock { $0.book.hear(event) }
        switch event {
        case .statementFailed(let error): failed(error)
        case .finished(_, let report):
            let now = clock.now
            memory.withLock { $0.finished(report, now: now) }
            if report.isGood { caller?.sweepWasGood() }
        default: break
        }
    }

    func failed(_ error: PostgresError) {
        let now = clock.now
        memory.withLock { $0.failed(error, now: now) }
    }

    /// Why sweeps fail, as text. nil: they don't.
    var failureText: String? { memory.withLock { $0.state.failure.flatMap { $0.until == nil ? $0.text : nil } } }

    func state(of engine: Engine, lostLines: Int, interval: Duration) -> DaemonState {
        let (pipeline, now, boot) = (engine.pipeline, clock.now, BootTime.milliseconds())
        let lanes = engine.lanes.all.map { lane in
            let server = lane.sender.server
            var report = LaneReport(lane.identity, lane.sender.status, now: now, boot: boot)
            report.otherServer = server.isApples ? nil : "\(server)"
            return report
        }
        let (served, decision, inFlight) = (pipeline.totals.served, pipeline.decider?.status, pipeline.openPushes)
        return memory.withLock { memory in
            memory.take(lanes)
            memory.state.usersPerMinute = memory.perMinute(served: served, boot: boot)
            (memory.state.decision, memory.state.inFlight) = (decision, inFlight)
            (memory.state.lostLines, memory.state.intervalMilliseconds) = (lostLines, interval.milliseconds)
            return memory.state
        }
    }

    /// Writes the row until `end`. `state` gives nil if the schema is not usable yet.
    func run(_ store: Store, state: @Sendable () async -> DaemonState?, tell: @Sendable (PostgresError) -> Void) async {
        for await _ in pulse.ticks {
            guard let state = await state(),
                let due = memory.withLock({ $0.due(state, boot: BootTime.milliseconds()) })
            else { continue }
            do throws(PostgresError) {
                try await store.heartbeat(
                    id: id,
                    host: HostName.own,
                    pid: getpid(),
                    version: version,
                    uptimeMilliseconds: BootTime.milliseconds() - startedAt,
                    state: due.json
                )
            } catch { tell(error) }
        }
    }

    func end() { pulse.cancel() }

    /// Deletes the row on a connection of its own, since the others are closed. A failure is ignored: the row's age
    /// shows that the daemon has ended.
    func takeBack(_ configuration: ConnectionConfiguration) async {
        guard memory.withLock({ $0.hasBeaten }) else { return }
        let store = Store(configuration: configuration, statementTimeout: Self.farewell)
        let limit = Task {
            try await Task.sleep(for: Self.farewell)
            await store.close()
        }
        try? await store.daemonGone(id)
        limit.cancel()
        await store.close()
    }
}

/// Calls the heartbeat's address after good sweeps. No sweep waits for a call, and only one call runs at a time.
package final class HeartbeatCaller: Sendable {
    let settings: Configuration.Heartbeat
    private let url: HTTPURL
    private let client: HTTPClient
    private let state: Mutex<(pace: Pace, isFailing: Bool)>
    private let tell: @Sendable (String?) -> Void

    /// For the whole call. Such services answer within a second.
    private static let deadline = Duration.seconds(10)

    /// - Parameter tell: called with the fault when calls begin to fail, and with nil when they work again. The text
    ///   never contains the address's path.
    /// - Throws: if the address or CA file can't be used, or the system can't start a thread.
    init(_ settings: Configuration.Heartbeat, tell: @escaping @Sendable (String?) -> Void) throws(ConfigurationFault) {
        self.settings = settings
        self.tell = tell
        url = try Self.checked(settings.url.text)
        state = Mutex((Pace(interval: settings.interval.milliseconds), false))
        client = try Self.service.client(caFile: settings.caFile, concurrency: 1, deadline: Self.deadline)
    }

    private static let service = OutsideService("heartbeat")

    /// The address, if it can be used. Its path is a secret, so it must be called over https or on this machine.
    static func checked(_ text: String) throws(ConfigurationFault) -> HTTPURL {
        try service.address(text) { "its path is a secret, so it is not sent to \($0) unencrypted" }
    }

    func sweepWasGood() {
        guard state.withLock({ $0.pace.begin(now: BootTime.milliseconds()) }) else { return }
        Task {
            do throws(HTTPClientError) {
                let status = try await client.send(HTTPRequest(get: url)).status
                end(fault: (200...299).contains(status) ? nil : "\(url) answers with status \(status)")
            } catch {
                // It names hosts, files and the system's error, but never the path. This daemon's own end is no fault.
                if error.code != .closed, error.code != .cancelled { end(fault: error.description) }
            }
        }
    }

    private func end(fault: String?) {
        let isFailing = fault != nil
        let isNews = state.withLock { state in
            state.pace.end(now: BootTime.milliseconds())
            return exchange(&state.isFailing, with: isFailing) != isFailing
        }
        if isNews { tell(fault) }
    }

    func close() async { await client.close() }
}

package enum HostName {
    /// `?` if the kernel does not give it.
    package static var own: String {
        var names = utsname()
        guard uname(&names) == 0 else { return "?" }
        return withUnsafeBytes(of: names.nodename) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
