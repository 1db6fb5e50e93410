import FoundationEssentials
@testable import HTTP2

@testable import APNs

/// A lane's state machine with set clocks, and what it did so far.
struct LaneBench {
    var state: LaneState
    var now: Int64 = 10_000_000
    var wall: Int64 = 1_788_000_000_000
    /// `tag` is the lane's, `push` the test's own number.
    var submitted: [(link: Int, token: Int, tag: UInt64, push: UInt64, writeBy: Int64)] = []
    var dials: [Int] = []
    var closes: [Int] = []
    var results: [Ended] = []
    var log: [SenderEvent] = []
    /// Tags of pushes whose devices are to be quarantined.
    var condemned: [UInt64] = []
    private var lastTag: UInt64 = 0
    private var tags: [ObjectIdentifier: (receiver: AnyObject, first: UInt64)] = [:]

    init(connections: Int = 1, maxInFlight: Int = 1_000) {
        var configuration = SenderConfiguration(
            teamID: "ABCDE12345",
            keyID: "KEY1234567",
            signingKey: ScenarioRig.key,
            topic: "com.example.App",
            environment: .production
        )
        configuration.connections = connections
        configuration.maxInFlight = maxInFlight
        state = LaneState(configuration, jitter: { 0.5 })
    }

    var free: Int { state.freeSlots(now: now) }
    var status: LaneStatus { state.status(now: now) }
    var outcomes: [PushOutcome] { results.map(\.outcome) }

    mutating func handle(_ event: LaneEvent) {
        let effects = state.handle(event, now: now, wall: wall)
        dials += effects.dials
        closes += effects.closes
        for delivery in effects.deliveries {
            let first = tags[ObjectIdentifier(delivery.receiver)]?.first ?? 0
            results += delivery.results.map { Ended(tag: first + UInt64($0.slot), outcome: $0.outcome) }
        }
        log += effects.log
        for suspect in effects.condemned {
            condemned.append((tags[ObjectIdentifier(suspect.receiver)]?.first ?? 0) + UInt64(suspect.token.slot))
        }
        for submission in effects.submissions {
            for tag in submission.tags {
                guard let receiver = state.batches.receiver(of: tag) else { continue }
                let push = (tags[ObjectIdentifier(receiver)]?.first ?? 0) + UInt64(LaneBatches.slot(tag))
                let writeBy = state.batches.writeBy(of: tag)
                submitted.append((submission.link, submission.token.number, tag, push, writeBy))
            }
        }
    }

    mutating func pass(_ milliseconds: Int64) {
        now += milliseconds
        wall += milliseconds
        handle(.tick)
    }

    @discardableResult
    mutating func send(_ count: Int = 1, writeBy: Int64? = nil, isTrial: Bool = false) -> [UInt64] {
        let first = lastTag + 1
        lastTag += UInt64(count)
        let (writeBy, numbers) = (writeBy ?? now + 3_600_000, Array(first..<first + UInt64(count)))
        let pushes = numbers.map { Push(tag: $0, token: "ab12", apnsID: UUID(), writeBy: writeBy, isTrial: isTrial) }
        send(PushBatch(pushes), first: first)
        return numbers
    }

    mutating func send(_ pushes: PushBatch, first: UInt64 = 0) {
        let receiver = PushReceiver(RefusalReceiver { _ in }, onResults: { _ in })
        // Kept, so that no other gets the same identity.
        tags[ObjectIdentifier(receiver)] = (receiver, first)
        tags[ObjectIdentifier(receiver.refusals)] = (receiver, first)
        handle(.send(pushes, receiver))
    }

    mutating func open(_ link: Int, streams: Int) { handle(.connection(link, .capacity(streams))) }

    mutating func goAway(_ link: Int) { handle(.connection(link, .goaway(code: 0, debug: ""))) }

    mutating func close(_ link: Int, _ code: CloseReason.Code = .lost, why: String) {
        handle(.connection(link, .closed(CloseReason(code, why))))
    }

    mutating func complete(_ all: [Completion], on link: Int) { handle(.connection(link, .completions(all))) }

    /// Takes the oldest open submission and completes it.
    mutating func complete(_ result: RequestResult, index: Int = 0) {
        let one = submitted.remove(at: index)
        complete([Completion(tag: one.tag, result: result)], on: one.link)
    }

    mutating func answer(_ status: Int, _ reason: String? = nil, index: Int = 0) {
        complete(Self.response(status, reason), index: index)
    }

    static func response(_ status: Int, _ reason: String?) -> RequestResult {
        let content = Response.Content()
        content.body = reason.map { Array("{\"reason\":\"\($0)\"}".utf8) } ?? []
        return .response(Response(status: status, content))
    }

    /// A lane with one connection that had its first push accepted.
    static func proven(connections: Int = 1, maxInFlight: Int = 1_000) -> LaneBench {
        var bench = LaneBench(connections: connections, maxInFlight: maxInFlight)
        bench.send()
        bench.open(1, streams: 1_000)
        bench.answer(200)
        bench.results = []
        bench.log = []
        return bench
    }
}
