import Base
import Foundation
import HTTP2
import TestSupport

@testable import APNs

/// A sender with a clock in the test's hand, and all that it told.
protocol DrivenSender: Sendable {
    var clock: ManualClock { get }
    var sender: Sender { get }
    var told: Told { get }
}

/// What callbacks brought.
typealias Collected<Element: Sendable> = Observed<[Element]>

extension Observed {
    convenience init<Element>() where Value == [Element] { self.init([]) }

    var all: Value { now }

    func append<Element>(_ more: [Element]) where Value == [Element] { change { $0 += more } }
}

/// A push and its number in the test.
struct Push: Sendable {
    let tag: UInt64
    let token: String
    let apnsID: UUID
    var collapseID: PushIdentity.CollapseID?
    var payload: [UInt8] = []
    let writeBy: Int64
    var isTrial = false

    /// The header `apns-collapse-id`.
    var collapse: String {
        var digits: [UInt8] = []
        collapseID?.append(to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }
}

extension PushBatch {
    init(_ pushes: [Push], topic: String = "com.example.App") {
        self.init(topic: topic)
        for push in pushes {
            append(
                token: push.token,
                expiration: 1_795_300_000,
                apnsID: push.apnsID,
                collapseID: push.collapseID,
                writeBy: push.writeBy,
                isTrial: push.isTrial
            ) { $0 += push.payload }
        }
    }
}

/// The outcome of a push, by its number.
struct Ended: Sendable, Equatable {
    let tag: UInt64
    let outcome: PushOutcome
}

/// What a sender's callbacks brought.
struct Told: Sendable {
    let results = Collected<Ended>()
    let log = Collected<SenderEvent>()

    func sender(
        _ configuration: SenderConfiguration,
        _ clock: ManualClock,
        jitter: @escaping @Sendable () -> Double = { 0.5 },
        resolver: NameLookup.Resolver? = nil
    ) -> Sender {
        Sender(
            configuration: configuration,
            clock: clock.clock,
            jitter: jitter,
            resolver: resolver,
            log: { [log] in log.append([$0]) }
        )
    }
}

extension SenderConfiguration {
    /// Deadlines run on the real clock: as long as a test may have to wait for its turn, but for those that are about them.
    static func test(port: UInt16, caFile: String) -> SenderConfiguration {
        var configuration = SenderConfiguration(
            teamID: "TEAM456789",
            keyID: "KEY4567890",
            signingKey: SenderRig.key,
            topic: "com.example.App",
            environment: .sandbox,
            endpoint: .init(host: "127.0.0.1", port: port),
            caFile: caFile
        )
        configuration.client.requestDeadline = 3_600_000
        configuration.client.connectTimeout = 3_600_000
        return configuration
    }
}

extension DrivenSender {
    var log: [SenderEvent] { told.log.all }
    var resultCount: Int { told.results.all.count }

    /// The device token that stands for a push's number.
    static func token(_ tag: UInt64) -> String {
        let digits = String(tag, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    func push(_ tag: UInt64, token: String? = nil) -> Push {
        let user = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
        let token = token ?? Self.token(tag)
        return Push(
            tag: tag,
            token: token,
            apnsID: PushIdentity.apnsID(user: user, kind: "check_in", key: "\(tag)", token: token),
            collapseID: .init(0, tag),
            payload: Array("{\"aps\":{}}".utf8),
            writeBy: clock.now + 3_600_000
        )
    }

    func send(_ tags: ClosedRange<UInt64>) { send(tags.map { push($0) }) }

    func send(_ pushes: [Push]) {
        sender.send(PushBatch(pushes)) { [told] results in
            told.results.append(results.map { Ended(tag: pushes[$0.slot].tag, outcome: $0.outcome) })
        }
    }

    /// Waits for so many results in all; returns the outcomes in the order of the tags.
    func outcomes(_ count: Int) async -> [PushOutcome] {
        await told.results.wait { $0.count >= count }.sorted { $0.tag < $1.tag }.map(\.outcome)
    }

    func event(_ isWanted: @escaping @Sendable (SenderEvent) -> Bool) async {
        _ = await told.log.wait { $0.contains(where: isWanted) }
    }

    func end() async { await sender.drain(deadline: clock.now) }
}

/// Clocks that stand until a test moves them, with the timer that goes by them.
final class ManualClock: Sendable {
    private struct State {
        var now: Int64
        /// The wall clock as it ought to be, and how far it was stepped from there.
        var rightWall: Int64
        var step: Int64 = 0
        var wakes: [(at: Int64, action: @Sendable () -> Void)] = []
    }

    private let state: Mutex<State>

    /// Starts at the machine's clocks, because the connection compares `writeBy` with the real one.
    init() {
        let system = SenderClock.system
        state = Mutex(State(now: system.now(), rightWall: system.wall()))
    }

    var now: Int64 { state.withLock { $0.now } }
    var wall: Int64 { state.withLock { $0.rightWall + $0.step } }
    /// Everybody else's wall clock.
    var rightWall: Int64 { state.withLock { $0.rightWall } }

    var clock: SenderClock {
        SenderClock(
            now: { self.now },
            wall: { self.wall },
            wake: { at, action in self.state.withLock { $0.wakes.append((at, action)) } }
        )
    }

    /// Moves both clocks on and runs what is due then, in order.
    func pass(_ milliseconds: Int64) {
        state.withLock { state in
            state.now += milliseconds
            state.rightWall += milliseconds
        }
        while let action = takeDue() { action() }
    }

    /// Sets the wall clock wrong by so many milliseconds, and nothing else.
    func stepWall(to error: Int64) { state.withLock { $0.step = error } }

    private func takeDue() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let due = state.wakes.indices.filter { state.wakes[$0].at <= state.now }
            guard let first = due.min(by: { state.wakes[$0].at < state.wakes[$1].at }) else { return nil }
            return state.wakes.remove(at: first).action
        }
    }
}
