import Base
import Foundation
import HTTP2
import TestSupport

@testable import APNs

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
    let results = Observed<[Ended]>([])
    let log = Observed<[SenderEvent]>([])
}

extension SenderConfiguration {
    /// Deadlines run on the real clock: as long as a test may have to wait for its turn, but for those that are about them.
    static func test(port: UInt16, caFile: String) -> SenderConfiguration {
        var configuration = SenderConfiguration(
            teamID: "TEAM456789",
            keyID: "KEY4567890",
            signingKey: ScenarioRig.key,
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
