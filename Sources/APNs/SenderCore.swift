import HTTP2

/// Who gets the results of a batch.
final class PushReceiver: Sendable {
    let onResults: @Sendable ([PushResult]) -> Void
    let refusals: RefusalReceiver

    init(
        onQuarantine: @escaping @Sendable ([RefusedToken]) -> Void,
        onResults: @escaping @Sendable ([PushResult]) -> Void
    ) {
        self.onResults = onResults
        refusals = RefusalReceiver(onQuarantine)
    }
}

/// Who gets the refused tokens of a batch. The window of answers keeps it, and nothing else of a batch.
final class RefusalReceiver: Sendable {
    let onQuarantine: @Sendable ([RefusedToken]) -> Void

    init(_ onQuarantine: @escaping @Sendable ([RefusedToken]) -> Void) { self.onQuarantine = onQuarantine }
}

/// The sender's whole mutable state, behind one lock.
struct SenderCore: Sendable {
    /// Something to report to the sender's owner.
    enum Notice: Sendable {
        case log(SenderEvent)
        case status(LaneStatus)
    }

    struct Waiter: Sendable {
        let minimum: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    var state: LaneState
    var connections: [Int: ClientConnection] = [:]
    /// Signed texts by the token's number: the newest, and those that connections still use. They are kept: ECDSA
    /// signatures are random, so signing again would give a second token.
    private var tokens: [Int: String] = [:]
    /// The last template. Nearly all pushes of a lane are of one type.
    private var template: (token: Int, type: PushType, authority: String, template: RequestTemplate)?
    private var waiters: [UInt64: Waiter] = [:]
    private var lastWaiter: UInt64 = 0
    var drainers: [CheckedContinuation<Void, Never>] = []
    private var notices: [Notice] = []
    /// Whether a thread is delivering notices. It also delivers those that arrive meanwhile, so the order is kept.
    private var isNotifying = false
    private var lastStatus = LaneStatus.idle
    /// The instant that the timer is set for.
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
            text = try configuration.providerToken(issuedAt: submission.token.issuedAt).text
            tokens[token] = text
            // Connections use only the last few tokens, so eight are enough.
            tokens = tokens.filter { $0.key > token - 8 }
            note(.log(.tokenMinted(keyID: configuration.keyID, issuedAt: submission.token.issuedAt)))
        }
        let made = PushBatch.template(type, topic: configuration.topic, token: text, authority: authority)
        template = (token, type, authority, made)
        return made
    }

    // MARK: Notices

    mutating func note(_ notice: Notice) { notices.append(notice) }

    mutating func noteStatus(now: Int64) {
        let status = state.status(now: now)
        guard status != lastStatus else { return }
        lastStatus = status
        note(.status(status))
    }

    /// The next notices. Nil if there are none, or if another thread delivers them.
    mutating func takeNotices(isFirst: Bool) -> [Notice]? {
        if isFirst, isNotifying { return nil }
        isNotifying = !notices.isEmpty
        defer { notices = [] }
        return notices.isEmpty ? nil : notices
    }

    // MARK: Waiting

    mutating func newWaiter() -> UInt64 {
        lastWaiter += 1
        return lastWaiter
    }

    mutating func add(_ waiter: Waiter, _ id: UInt64) { waiters[id] = waiter }

    mutating func removeWaiter(_ id: UInt64) -> CheckedContinuation<Void, Never>? {
        waiters.removeValue(forKey: id)?.continuation
    }

    func isReady(minimum: Int, now: Int64) -> Bool {
        let free = state.freeSlots(now: now)
        return free > 0 && free >= min(minimum, state.mostSlots(now: now))
    }

    /// Removes and returns those that wait for what is there now: free slots, or the end of the drain.
    mutating func takeReady(now: Int64) -> [CheckedContinuation<Void, Never>] {
        var ready: [CheckedContinuation<Void, Never>] = []
        if state.isDrained {
            ready = drainers
            drainers = []
        }
        guard !waiters.isEmpty else { return ready }
        let isDraining = state.phase == .draining
        for (id, waiter) in waiters where isDraining || isReady(minimum: waiter.minimum, now: now) {
            waiters[id] = nil
            ready.append(waiter.continuation)
        }
        return ready
    }

    /// The instant for which the timer is to be set. It is set again only for an earlier instant; a later timer finds
    /// nothing to do.
    mutating func nextTimer(now: Int64) -> Int64? {
        if let wake, wake <= now { self.wake = nil }
        guard let next = state.nextWake(now: now), next < wake ?? .max else { return nil }
        wake = next
        return next
    }

    /// The timer may have come early. `nextTimer` then gives the next one.
    mutating func timerCame(_ instant: Int64) {
        if wake == instant { wake = nil }
    }
}
