import APNs
import APNsSimulator
import Base
import FoundationEssentials
import Glibc
import OpenSSL

/// The sender against a simulated Apple that misbehaves by a seeded script, over real TLS, in one process.
///
/// A seed decides what is done to connections and when (`ChaosPlan`), the pushes (`ChaosPush`), and each attempt's
/// answer (`ChaosAnswer`). Which streams an act meets, and so the outcomes, depends on threads and the network.
package final class ChaosRun: Sendable {
    private let seed: UInt64
    private let seconds: Int
    private let rate: Int
    private let apple: ChaosApple
    private let configuration: SenderConfiguration
    /// The certificates to trust: a file without a name, so that nothing is left to remove.
    private let caFile: Int32
    private let tally = Mutex((acts: [String: Int](), connections: 0))

    package init(seed: UInt64, seconds: Int, rate: Int) throws {
        (self.seed, self.seconds, self.rate) = (seed, seconds, rate)
        apple = try ChaosApple(seed: seed)
        let file = tmpfile()
        defer { if let file { fclose(file) } }
        guard let file, fputs(apple.certificate.authority, file) >= 0, fflush(file) == 0 else {
            throw TLSError(.credentials, "no file for the certificates: \(String(cString: strerror(errno)))")
        }
        caFile = dup(fileno(file))
        var configuration = SenderConfiguration(
            teamID: ChaosApple.teamID,
            keyID: ChaosApple.keyID,
            signingKey: try P256SigningKey(pem: apple.certificate.providerKey.privateKey),
            topic: ChaosApple.topic,
            environment: .sandbox,
            endpoint: .init(host: "127.0.0.1", port: apple.port),
            caFile: "/proc/self/fd/\(caFile)"
        )
        configuration.connections = 4
        configuration.maxInFlight = 400
        // Short, so that a missing answer soon becomes unknown. Most scripted delays are shorter, a few are longer.
        configuration.client.requestDeadline = 1_500
        configuration.client.connectTimeout = 1_500
        self.configuration = configuration
    }

    deinit { close(caFile) }

    /// Sends the pushes, and compares the outcomes with what the simulated Apple accepted.
    package func run() async -> ChaosReport {
        let sender = Sender(
            configuration: configuration,
            // The shortest pauses, because a sender that waits tests nothing.
            jitter: { 0 },
            log: { [weak self] event in
                if case .connectionOpened = event { self?.tally.withLock { $0.connections += 1 } }
            }
        )
        let start = ContinuousClock.now
        let faults = Task { await self.misbehave(sender, from: start) }
        let marks = await feed(sender, from: start)
        faults.cancel()
        await faults.value
        await drain(sender)
        apple.stop()
        apple.withBooks { $0.close() }
        let end = await settledFootprint(atMost: marks.start.descriptors)
        // In a long run, a leak of a few hundred bytes per push exceeds this. The allocator's own variation is smaller.
        let grew = end.residentKilobytes - marks.middle.residentKilobytes > 32 * 1_024
        if grew || end.descriptors > marks.start.descriptors { apple.withBooks { $0.note(.growth, 0) } }
        let tally = tally.withLock { $0 }
        return ChaosReport(
            seed: seed,
            seconds: seconds,
            rate: rate,
            books: apple.withBooks { $0 },
            acts: tally.acts,
            connections: tally.connections,
            footprints: [("start", marks.start), ("middle", marks.middle), ("end", end)]
        )
    }

    /// Sends by the clock, whether or not streams are free, because pushes that find no stream must get an outcome too.
    private func feed(_ sender: Sender, from start: ContinuousClock.Instant) async
        -> (start: Footprint, middle: Footprint)
    {
        let all = seconds * rate
        var first: Footprint?
        var middle: Footprint?
        var sent = 0
        while sent < all {
            let elapsed = (ContinuousClock.now - start) / .seconds(1)
            let due = min(all, Int(elapsed * Double(rate)))
            if due > sent { send(due - sent, to: sender) }
            sent = max(sent, due)
            if first == nil, sent >= all / 10 { first = Footprint.now() }
            if middle == nil, sent >= all / 2 { middle = Footprint.now() }
            // Sometimes it waits as the daemon does, so that a wait that never ends is noticed.
            if sent % 5 == 0 {
                _ = await sender.waitForFreeSlots(atLeast: 50, until: SenderClock.system.now() + 20)
            } else {
                try? await Task.sleep(for: .milliseconds(10))
            }
        }
        let now = Footprint.now()
        return (first ?? now, middle ?? now)
    }

    private func send(_ count: Int, to sender: Sender) {
        let now = SenderClock.system.now()
        let numbers = (0..<count).map { _ in apple.withBooks { $0.send() } }
        var pushes = PushBatch(topic: ChaosApple.topic)
        for number in numbers { ChaosPush.append(number, to: &pushes, seed: seed, now: now) }
        sender.send(pushes) { [apple] results in
            apple.withBooks { books in
                for result in results { books.end(numbers[result.slot], result.outcome) }
            }
        }
    }

    private func misbehave(_ sender: Sender, from start: ContinuousClock.Instant) async {
        var due = start
        for line in ChaosPlan(seed: seed) {
            due += .milliseconds(line.gap)
            guard (try? await Task.sleep(until: due, clock: .continuous)) != nil else { return }
            tally.withLock { $0.acts[line.act.name, default: 0] += 1 }
            if line.act == .reconfigure {
                sender.reconfigure(configuration)
            } else {
                await apple.perform(line)
            }
        }
    }

    private func drain(_ sender: Sender) async {
        let deadline = SenderClock.system.now() + 5_000
        // A task group would wait for a drain that hangs.
        let (ends, end) = AsyncStream<Bool>.makeStream()
        Task {
            await sender.drain(deadline: deadline)
            end.yield(true)
        }
        Task {
            try? await Task.sleep(for: .seconds(20))
            end.yield(false)
        }
        for await isDrained in ends.prefix(1) where !isDrained { apple.withBooks { $0.note(.hung, 0) } }
    }

    /// Waits a moment, because threads of closed connections close their descriptors late.
    private func settledFootprint(atMost descriptors: Int) async -> Footprint {
        for _ in 0..<100 {
            let now = Footprint.now()
            if now.descriptors <= descriptors { return now }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return Footprint.now()
    }
}

package struct ChaosReport: Sendable {
    let seed: UInt64
    let seconds: Int
    let rate: Int
    package let books: Ledger
    let acts: [String: Int]
    let connections: Int
    /// After a tenth of the pushes, after half of them, and after everything was closed.
    let footprints: [(name: String, footprint: Footprint)]

    /// Whether no promise was broken and a quarter was accepted: a sender that sends nothing fails.
    package var isClean: Bool { books.violations.isEmpty && books.endings[.accepted, default: 0] * 4 >= books.sent }

    package var line: String {
        let endings = Ending.allCases.filter { $0 != .open }.map { ("\($0)", "\(books.endings[$0, default: 0])") }
        let violations = Violation.allCases.compactMap { violation in
            books.violations[violation].map { count in
                let examples = (books.examples[violation] ?? []).map(String.init).joined(separator: ",")
                return (violation.rawValue, Self.object([("count", "\(count)"), ("pushes", "[\(examples)]")]))
            }
        }
        return Self.object([
            ("seed", "\(seed)"), ("seconds", "\(seconds)"), ("rate", "\(rate)"), ("pushes", "\(books.sent)"),
            ("outcomes", Self.object(endings)), ("logged", "\(books.logged)"), ("connections", "\(connections)"),
            ("acts", Self.object(acts.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") })),
            ("rss_kb", Self.object(footprints.map { ($0.name, "\($0.footprint.residentKilobytes)") })),
            ("descriptors", Self.object(footprints.map { ($0.name, "\($0.footprint.descriptors)") })),
            ("violations", Self.object(violations)),
        ])
    }

    /// No name and no text of a run needs escaping.
    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }
}

/// Memory and descriptors of this process at one instant.
struct Footprint: Sendable, Equatable {
    let residentKilobytes: Int
    let descriptors: Int

    static func now() -> Footprint {
        let words = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        let pages = words.count > 1 ? Int(words[1]) ?? 0 : 0
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 1
        // Without the descriptor of the folder itself.
        return Footprint(residentKilobytes: pages * sysconf(Int32(_SC_PAGESIZE)) / 1_024, descriptors: open - 1)
    }
}
