import APNs
import ArgumentParser
import Base
import Configuration
import Core
import Glibc
import Certificates
import LocalPostgres
import OpenSSL
import Policy
import Seeded
import TimeZones

import struct FoundationEssentials.UUID

/// `nudged-bench send`: pushes per second to a server in place of Apple's.
struct Send: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Measures pushes per second to a server, in the daemon's way. 4,096 users have their own token and text."
    )

    @Option(help: "The server, as https://host:port.") var endpoint: String
    @Option(help: "A file of certificates (PEM) to trust.") var ca: String
    @Option(help: "How many pushes to send.") var count = 200_000
    @Option(help: "The most pushes in flight per connection.") var streams = 500
    @Option(help: "How many connections.") var connections = 1
    @Option(help: "The fewest pushes per call; 0: an eighth of those in flight.") var chunk = 0
    @Option(help: "The signing key's .p8 file. Default: a new key, for servers that don't check it.") var key: String?

    func run() async throws {
        guard let target = Self.target(endpoint) else { throw ValidationError("--endpoint must be https://host:port") }
        var configuration = SenderConfiguration(
            teamID: "ABCDE12345",
            keyID: "KEY1234567",
            signingKey: try P256SigningKey(pem: signingKey()),
            topic: "com.example.App",
            environment: .sandbox,
            endpoint: target,
            caFile: ca
        )
        configuration.connections = connections
        configuration.maxInFlight = streams * connections
        let sender = Sender(
            configuration: configuration,
            log: { event in
                if case .connectionLost(_, let why, _) = event {
                    _ = writeAll(Array("connection lost: \(why)\n".utf8), to: STDERR_FILENO)
                }
            }
        )
        let width = streams * connections
        let plans = BenchUsers.plans()
        guard !plans.isEmpty else { throw ValidationError("no user gets a push") }
        let start = monotonicSeconds()
        let before = ProcessUsage.now()
        let chunk = chunk > 0 ? min(chunk, width) : width / 8
        let accepted = await Flood(sender, plans, count: count, width: width, chunk: chunk).run()
        let seconds = monotonicSeconds() - start
        let after = ProcessUsage.now()
        await sender.drain(deadline: .max)
        let used = after.seconds - before.seconds
        let rate = (Double(count) / seconds).text(0)
        let cpu = (used * 1e6 / Double(count)).text(2)
        let percent = (used / seconds * 100).text(1)
        print(
            #"{"accepted":\#(accepted),"pushes_per_second":\#(rate),"cpu_us_per_push":\#(cpu),"cpu_percent":\#(percent),"#
                + #""connections":\#(connections),"max_rss_kb":\#(after.maxResidentKilobytes)}"#
        )
        if accepted != count { throw ExitCode.failure }
    }

    private func signingKey() throws -> String {
        guard let key else { return try P256KeyPair.generate().privateKey }
        guard let text = TextFile.read(key) else { throw ValidationError("--key can't be opened") }
        return text
    }

    static func target(_ endpoint: String) -> SenderConfiguration.Endpoint? {
        guard endpoint.hasPrefix("https://") else { return nil }
        let parts = endpoint.dropFirst(8).split(separator: ":")
        guard parts.count == 2, let port = UInt16(parts[1]) else { return nil }
        return SenderConfiguration.Endpoint(host: String(parts[0]), port: port)
    }
}

/// Keeps the sender busy in the daemon's way: users become a batch, outcomes are gathered user by user.
private final class Flood: Sendable {
    private struct State {
        var started = 0
        var finished = 0
        /// Answered, but not yet replaced by a new push.
        var free = 0
        var accepted = 0
        var onEnd: CheckedContinuation<Int, Never>?
    }

    private let sender: Sender
    private let plans: [SendPlan]
    private let count: Int
    private let width: Int
    private let chunk: Int
    private let state = Mutex(State())

    init(_ sender: Sender, _ plans: [SendPlan], count: Int, width: Int, chunk: Int) {
        (self.sender, self.plans) = (sender, plans)
        (self.count, self.width, self.chunk) = (count, width, max(chunk, 1))
    }

    func run() async -> Int {
        await withCheckedContinuation { continuation in
            state.withLock { $0.onEnd = continuation }
            pump(width)
        }
    }

    /// Sends when a chunk is free. One push per result would cost a batch each time.
    private func pump(_ freed: Int) {
        let numbers = state.withLock { state -> Range<Int> in
            state.free += freed
            let count = min(state.free, count - state.started)
            guard count > 0, state.free >= chunk else { return 0..<0 }
            state.free = 0
            state.started += count
            return state.started - count..<state.started
        }
        guard !numbers.isEmpty else { return }
        let users = numbers.map { plans[$0 % plans.count] }
        let pushes = PushBatch(
            users,
            topic: BenchUsers.lane.topic,
            lastWrite: .max,
            boot: BootTime.milliseconds(),
            now: BenchUsers.now.seconds * 1_000
        )
        let outcomes = Mutex(BatchOutcomes(pushCounts: users.map(\.pushCount)))
        sender.send(pushes) { results in self.take(outcomes.withLock { $0.take(results) }.map(\.outcomes)) }
    }

    private func take(_ outcomes: [[PushOutcome]]) {
        let end: (CheckedContinuation<Int, Never>, Int)? = state.withLock { state in
            state.finished += outcomes.count
            for outcome in outcomes where outcome == [.accepted] { state.accepted += 1 }
            guard state.finished == count, let onEnd = state.onEnd else { return nil }
            state.onEnd = nil
            return (onEnd, state.accepted)
        }
        if let (continuation, accepted) = end { continuation.resume(returning: accepted) } else { pump(outcomes.count) }
    }
}

/// Users with one device and one message each, whose payload has 300 bytes.
private enum BenchUsers {
    static let lane = LaneIdentity(environment: "sandbox", topic: "com.example.App")
    static let now = Instant(seconds: 1_795_262_400)

    /// More than HPACK's table can hold.
    static func plans(_ count: Int = 4_096) -> [SendPlan] {
        let planner = Planner(
            policy: Policy(rules: .defaults, zones: ZoneDatabase()),
            lanes: LaneDirectory(standard: lane),
            messages: Configuration.Messages(digestAfter: 3, digestTitle: "New", digestBody: "{count} came.")
        )
        return (0..<count).compactMap { number in
            guard case .send(let plan, _) = planner.plan(user(UInt64(number)), now: now) else { return nil }
            return plan.pushCount == 1 ? plan : nil
        }
    }

    private static func user(_ number: UInt64) -> ClaimedUser {
        var random = SplitMix64(seed: number)
        var message = PendingMessage(
            id: random.uuid(),
            createdAt: now - 60,
            title: "Good morning",
            body: "How did yesterday's walk go? Two minutes are enough to note what went well and what to try next."
        )
        message.conversationID = random.uuid().uuidString
        message.domain = "movement"
        message.threadID = "check-ins"
        var user = ClaimedUser.Values(stranger: random.uuid())
        user.timezone = "Europe/Berlin"
        user.firstSessionComplete = true
        user.devices = [Device(token: random.hex(64), registeredAt: now - 86_400)]
        user.messages = [message]
        return ClaimedUser(user)
    }
}
