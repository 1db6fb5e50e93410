import HTTP2
import Base
import Dispatch

final class PushReceiver: Sendable {
    let onResults: @Sendable ([PushResult]) -> Void
    let refusals: RefusalReceiver

    init(_ refusals: RefusalReceiver, onResults: @escaping @Sendable ([PushResult]) -> Void) {
        (self.refusals, self.onResults) = (refusals, onResults)
    }
}

/// Who gets the refused tokens of a batch. The window of answers keeps it, and nothing else of a batch.
final class RefusalReceiver: Sendable {
    let onQuarantine: @Sendable ([RefusedToken]) -> Void

    init(_ onQuarantine: @escaping @Sendable ([RefusedToken]) -> Void) { self.onQuarantine = onQuarantine }
}

/// The sender's whole mutable state, behind one lock.
struct SenderCore: Sendable {
    var state: LaneState
    var connections: [Int: ClientConnection] = [:]
    /// Signed texts by the token's number: the newest, and those that connections still use. They are kept: ECDSA
    /// signatures are random, so signing again would give a second token.
    private var tokens: [Int: String] = [:]
    /// The last template. Nearly all pushes of a lane are of one type.
    private var template: (token: Int, type: PushType, authority: String, template: RequestTemplate)?
    /// Those who wait for free slots.
    var waiters: [UInt64: (minimum: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
    private var lastWaiter: UInt64 = 0
    var drainers: [CheckedContinuation<Void, Never>] = []
    var events: [SenderEvent] = []
    /// Whether a thread is delivering events. It also delivers those that arrive meanwhile, so the order is kept.
    private var isTelling = false
    private var wake: Int64?

    init(_ state: LaneState) { self.state = state }

    /// What the requests of a submission have in common. Signs its token if it is new.
    mutating func template(for submission: LaneEffects.Submission) throws(APNsError) -> RequestTemplate {
        let (token, type) = (submission.token.number, submission.type)
        let authority = state.configuration.authority
        if let template, template.token == token, template.type == type, template.authority == authority {
            return template.template
        }
        let configuration = state.configuration
        let text: String
        if let signed = tokens[token] {
            text = signed
        } else {
            text = try configuration.providerToken(issuedAt: submission.token.issuedAt)
            tokens[token] = text
            // Connections use only the last few tokens, so eight are enough.
            tokens = tokens.filter { $0.key > token - 8 }
            events.append(.tokenMinted(keyID: configuration.keyID, issuedAt: submission.token.issuedAt))
        }
        let made = PushBatch.template(type, topic: configuration.topic, token: text, authority: authority)
        template = (token, type, authority, made)
        return made
    }

    /// The next events. Nil if there are none, or if another thread delivers them.
    mutating func takeEvents(isFirst: Bool) -> [SenderEvent]? {
        if isFirst, isTelling { return nil }
        isTelling = !events.isEmpty
        defer { events = [] }
        return events.isEmpty ? nil : events
    }

    mutating func newWaiter() -> UInt64 {
        lastWaiter += 1
        return lastWaiter
    }

    func isReady(minimum: Int, now: Int64) -> Bool {
        let free = state.freeSlots(now: now)
        return free > 0 && free >= min(minimum, state.mostSlots(now: now))
    }

    /// Removes and returns those that wait for what is there now: free slots, or the end of the drain.
    mutating func takeReady(now: Int64) -> [CheckedContinuation<Void, Never>] {
        var ready = state.isDrained ? exchange(&drainers, with: []) : []
        guard !waiters.isEmpty else { return ready }
        let isDraining = state.phase == .draining
        for (id, waiter) in waiters where isDraining || isReady(minimum: waiter.minimum, now: now) {
            waiters[id] = nil
            ready.append(waiter.continuation)
        }
        return ready
    }

    /// When to set the timer; nil unless that is earlier than the timer already set.
    mutating func nextTimer(now: Int64) -> Int64? {
        if let wake, wake <= now { self.wake = nil }
        guard let next = state.nextWake(now: now), next < wake ?? .max else { return nil }
        wake = next
        return next
    }

    /// The timer may have come early. `nextTimer` then gives the next one.
    mutating func timerCame(_ instant: Int64) { if wake == instant { wake = nil } }
}

/// The sender's clocks and its timer, as a value, so that tests can control them.
package struct SenderClock: Sendable {
    /// Milliseconds of CLOCK_BOOTTIME. It never steps and continues while the machine is suspended.
    package var now: @Sendable () -> Int64
    /// Milliseconds since 1970. May step.
    package var wall: @Sendable () -> Int64
    /// Runs the action once, at or soon after the instant of `now`, never synchronously.
    package var wake: @Sendable (_ at: Int64, _ action: @escaping @Sendable () -> Void) -> Void

    /// CLOCK_BOOTTIME, the wall clock, and a timer of Dispatch. The timer's CLOCK_MONOTONIC stops while the machine is
    /// suspended: after that it is late by the rest of its span at most, and `now` decides what is due.
    package static let system: SenderClock = {
        let timers = DispatchQueue(label: "nudged.apns.timers")
        return SenderClock(
            now: { BootTime.milliseconds() },
            wall: { WallTime.milliseconds() },
            wake: { instant, action in
                // A day at most, because Dispatch counts nanoseconds. A caller that wakes too early sets the timer
                // again.
                let span = min(max(0, instant &- BootTime.milliseconds()), 86_400_000)
                timers.asyncAfter(deadline: .now() + .milliseconds(Int(span)), execute: action)
            }
        )
    }()
}
