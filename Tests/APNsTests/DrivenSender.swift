import Foundation

@testable import APNs

/// A sender with a clock in the test's hand, and all that it told.
protocol DrivenSender: Sendable {
    var clock: ManualClock { get }
    var sender: Sender { get }
    var told: Told { get }
}

/// What a sender's callbacks brought.
struct Told: Sendable {
    let results = Collected<PushResult>()
    let log = Collected<SenderEvent>()
    let statuses = Collected<LaneStatus>()

    func sender(
        _ configuration: SenderConfiguration,
        _ clock: ManualClock,
        jitter: @escaping @Sendable () -> Double = { 0.5 }
    ) -> Sender {
        Sender(
            configuration: configuration,
            clock: clock.clock,
            jitter: jitter,
            log: { [log] in log.append([$0]) },
            onStateChange: { [statuses] in statuses.append([$0]) }
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
        configuration.requestDeadline = 3_600_000
        configuration.connectTimeout = 3_600_000
        return configuration
    }
}

extension DrivenSender {
    var log: [SenderEvent] { told.log.all }
    var changes: [LaneStatus] { told.statuses.all }
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
            topic: "com.example.App",
            expiration: 1_795_300_000,
            apnsID: PushIdentity.apnsID(user: user, kind: "check_in", key: "\(tag)", token: token),
            collapseID: "c\(tag)",
            payload: Array("{\"aps\":{}}".utf8),
            writeBy: clock.now + 3_600_000
        )
    }

    func send(_ tags: ClosedRange<UInt64>) {
        send(tags.map { push($0) })
    }

    func send(_ pushes: [Push]) {
        sender.send(pushes) { [told] in told.results.append($0) }
    }

    /// Waits for so many results in all; returns the outcomes in the order of the tags.
    func outcomes(_ count: Int) async -> [PushOutcome] {
        await told.results.wait { $0.count >= count }.sorted { $0.tag < $1.tag }.map(\.outcome)
    }

    func event(_ isWanted: @escaping @Sendable (SenderEvent) -> Bool) async {
        _ = await told.log.wait { $0.contains(where: isWanted) }
    }

    func status(_ isWanted: @escaping @Sendable (LaneStatus) -> Bool) async {
        _ = await told.statuses.wait { $0.last.map(isWanted) ?? false }
    }

    func end() async {
        await sender.drain(deadline: clock.now)
    }
}
