import APNsSimulator
import COpenSSL
import Foundation
import HTTP2
import HTTP2Server
import Certificates
import OpenSSL
import TestSupport
import Testing

@testable import APNs

/// A sender, a clock in the test's hand and a simulated Apple over real TLS and HTTP/2; what arrived, push by push.
final class ScenarioRig: Sendable {
    static let pem = GeneratedKey.ellipticCurve(NID_X9_62_prime256v1)
    static let key: P256SigningKey = {
        guard let key = try? P256SigningKey(pem: pem) else { preconditionFailure("the generated key is none") }
        return key
    }()
    static let certificate = Result { try SimulatorCertificate() }

    let clock = ManualClock()
    let told = Told()
    let simulator: APNsSimulator
    let sender: Sender
    let configuration: SenderConfiguration
    private let roots: CAFile

    /// - Parameters:
    ///   - certificate: the server's; nil: a good one.
    ///   - perDevice: what is done with a push, by its number and how often it came; nil: it is accepted.
    init(
        certificate: IssuedCertificate? = nil,
        authority: String? = nil,
        jitter: @escaping @Sendable () -> Double = { 0.5 },
        settings: (inout SimulatorSettings) -> Void = { _ in },
        server: (inout ServerConfiguration) -> Void = { _ in },
        configure: (inout SenderConfiguration) -> Void = { _ in },
        resolver: NameLookup.Resolver? = nil,
        perDevice: @escaping @Sendable (_ tag: UInt64, _ attempt: Int) -> ScriptedAnswer?
    ) throws {
        let made = try Self.certificate.get()
        var known = SimulatorSettings(keys: [(keyID: "KEY4567890", teamID: "TEAM456789", pem: Self.pem)])
        settings(&known)
        let script = SimulatorScript(
            settings: known,
            now: { [clock] in clock.rightWall / 1_000 },
            perDevice: { token, attempt in perDevice(Self.tag(token), attempt) }
        )
        simulator = try APNsSimulator(script: script, certificate: certificate ?? made.server, configure: server)
        try simulator.start()
        roots = try CAFile(authority ?? made.authority)
        var configuration = SenderConfiguration.test(port: simulator.port, caFile: roots.path)
        configure(&configuration)
        self.configuration = configuration
        sender = Sender(
            configuration: configuration,
            clock: clock.clock,
            jitter: jitter,
            resolver: resolver,
            log: { [told] event in told.log.change { $0.append(event) } }
        )
    }

    /// With an Apple that accepts everything.
    convenience init() throws { try self.init { _, _ in nil } }

    deinit { simulator.stop() }

    private static func tag(_ token: String) -> UInt64 { UInt64(token.suffix(16), radix: 16) ?? 0 }

    // MARK: What arrived

    /// The connections on which each push arrived whole, in order. A push that came under another `apns-id` than its own counts under 0.
    var arrivals: [UInt64: [Int]] { byTag(simulator.snapshot().received.map { ($0.token, $0.apnsID, $0.connection) }) }

    /// The connections on which each push was accepted.
    var accepted: [UInt64: [Int]] { byTag(simulator.snapshot().accepted.map { ($0.token, $0.apnsID, $0.connection) }) }

    /// The numbers of the provider tokens that each push showed, in order.
    var providerTokens: [UInt64: [Int]] {
        byTag(simulator.snapshot().received.map { ($0.token, $0.apnsID, $0.providerToken) })
    }

    private func byTag(_ pushes: [(token: String, id: UUID?, value: Int)]) -> [UInt64: [Int]] {
        pushes.reduce(into: [:]) { result, push in
            let tag = Self.tag(push.token)
            result[self.push(tag).apnsID == push.id ? tag : 0, default: []].append(push.value)
        }
    }

    /// `[1: [1], 2: [1, 2], 3: [1, 2]]` of `(1...1, [1]), (2...3, [1, 2])`.
    static func each(_ parts: (ClosedRange<UInt64>, [Int])...) -> [UInt64: [Int]] {
        parts.reduce(into: [:]) { result, part in
            for tag in part.0 { result[tag] = part.1 }
        }
    }

    // MARK: What happens

    var log: [SenderEvent] { told.log.now }
    var resultCount: Int { told.results.now.count }

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
            told.results.change { $0 += results.map { Ended(tag: pushes[$0.slot].tag, outcome: $0.outcome) } }
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

    /// Push 1, accepted: the connection has shown itself good, and has its thousand streams.
    func prime() async {
        send(1...1)
        #expect(await outcomes(1) == [.accepted])
    }

    /// Waits until so many good requests wait for their answer.
    func hold(_ count: Int) async {
        #expect(await simulator.wait { $0.held >= count })
        #expect(simulator.counts.held == count)
    }

    /// For the few facts that nobody signals.
    func eventually(_ isTrue: () -> Bool) async { #expect(await TestSupport.eventually(isTrue)) }

    /// Waits for the lines, ends the sender, and sees that there were no others.
    func expectLog(_ lines: [String], sourceLocation: SourceLocation = #_sourceLocation) async {
        await told.log.wait { $0.count >= lines.count }
        await end()
        #expect(log.map(\.line) == lines, sourceLocation: sourceLocation)
    }
}

extension SenderEvent {
    /// A short text with everything that a test can know beforehand.
    var line: String {
        switch self {
        case .laneStopped(let reason, _): "stopped \(reason)"
        case .laneResumed: "resumed"
        case .connectionOpened(let connection, let streams, _): "opened \(connection) with \(streams)"
        case .connectionLost(let connection, _, let pause): "lost \(connection), pause \(pause)"
        case .connectionSilent(let connection, let count): "silent \(connection) after \(count)"
        case .goAway(let connection, let reason): "goaway \(connection) \(reason)"
        case .connectionResting(let connection, _): "resting \(connection)"
        case .tokenMinted: "minted"
        case .storm(let count, let status, let reason): "storm of \(count), \(status) \(reason)"
        case .ourBug(let status, let reason): "our bug \(status) \(reason)"
        }
    }
}

extension PushOutcome {
    static func rejected(_ status: Int, _ reason: String, deletes: TokenDeletion? = nil) -> PushOutcome {
        .rejected(status: status, reason: reason, deletes: deletes)
    }
}
