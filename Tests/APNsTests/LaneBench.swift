import FoundationEssentials
import HTTP2

@testable import APNs

/// A lane's state machine with set clocks, and what it did so far.
struct LaneBench {
    var state: LaneState
    var tokens = ProviderTokenSchedule()
    var now: Int64 = 10_000_000
    var wall: Int64 = 1_788_000_000_000
    var submitted: [(link: Int, token: Int, tag: UInt64, push: LaneFlight.Label)] = []
    var dials: [Int] = []
    var closes: [Int] = []
    var results: [PushResult] = []
    var log: [SenderEvent] = []
    /// Tags of pushes whose devices are to be quarantined.
    var condemned: [UInt64] = []
    private var lastTag: UInt64 = 0

    init(connections: Int = 1, maxInFlight: Int = 1_000, jitter: @escaping @Sendable () -> Double = { 0.5 }) {
        var configuration = SenderConfiguration(
            teamID: "ABCDE12345",
            keyID: "KEY1234567",
            signingKey: SenderRig.key,
            topic: "com.example.App",
            environment: .production
        )
        configuration.connections = connections
        configuration.maxInFlight = maxInFlight
        state = LaneState(limits: LaneLimits(configuration), jitter: jitter)
    }

    var free: Int { state.freeSlots(now: now) }
    var status: LaneStatus { state.status(now: now) }
    var outcomes: [PushOutcome] { results.map(\.outcome) }

    mutating func handle(_ event: LaneEvent) {
        let effects = state.handle(event, now: now, wall: wall, tokens: &tokens)
        dials += effects.dials
        closes += effects.closes
        results += effects.results.map(\.result)
        log += effects.log
        condemned += effects.condemned.map(\.token.tag)
        for submission in effects.submissions {
            for tag in submission.tags {
                guard let push = state.flights[tag]?.push else { continue }
                submitted.append((submission.link, submission.token.number, tag, push))
            }
        }
    }

    mutating func pass(_ milliseconds: Int64) {
        now += milliseconds
        wall += milliseconds
        handle(.tick)
    }

    func push(_ tag: UInt64, token: String = "ab12", writeBy: Int64? = nil, isTrial: Bool = false) -> Push {
        Push(
            tag: tag,
            token: token,
            topic: "com.example.App",
            expiration: 0,
            apnsID: UUID(),
            payload: [],
            writeBy: writeBy ?? now + 3_600_000,
            isTrial: isTrial
        )
    }

    @discardableResult
    mutating func send(_ count: Int = 1, writeBy: Int64? = nil, isTrial: Bool = false) -> [UInt64] {
        var pushes: [Push] = []
        for _ in 0..<count {
            lastTag += 1
            pushes.append(push(lastTag, writeBy: writeBy, isTrial: isTrial))
        }
        handle(.send(PushBatch(pushes), batch: 1))
        return pushes.map(\.tag)
    }

    /// Takes the oldest open submission and completes it.
    mutating func complete(_ result: RequestResult, index: Int = 0) {
        let one = submitted.remove(at: index)
        handle(.completions(one.link, [Completion(tag: one.tag, result: result)]))
    }

    mutating func answer(_ status: Int, _ reason: String? = nil, index: Int = 0) {
        complete(Self.response(status, reason), index: index)
    }

    static func response(_ status: Int, _ reason: String?, headers: HeaderFields = HeaderFields()) -> RequestResult {
        let body = reason.map { Array("{\"reason\":\"\($0)\"}".utf8) } ?? []
        return .response(Response(status: status, headers: headers, body: body))
    }

    /// A lane with one connection that had its first push accepted.
    static func proven(connections: Int = 1, maxInFlight: Int = 1_000, streams: Int = 1_000) -> LaneBench {
        var bench = LaneBench(connections: connections, maxInFlight: maxInFlight)
        bench.send()
        bench.handle(.opened(1, streams: streams))
        bench.answer(200)
        bench.results = []
        bench.log = []
        return bench
    }
}
