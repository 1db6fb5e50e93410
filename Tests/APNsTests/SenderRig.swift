import COpenSSL
import Foundation
import HTTP2
import OpenSSL
import Locks
import TestSupport

@testable import APNs

/// A sender, a clock in the test's hand and a real server over real TLS.
final class SenderRig: Sendable {
    static let pem = GeneratedKey.ellipticCurve(NID_X9_62_prime256v1)

    let clock = ManualClock()
    let apple: ScriptedApple
    let server: Server
    let sender: Sender
    let configuration: SenderConfiguration
    private let folder: URL
    private let logged: Collected<SenderEvent>
    private let results = Collected<PushResult>()
    private let statuses: Collected<LaneStatus>

    var log: [SenderEvent] { logged.all }
    var changes: [LaneStatus] { statuses.all }

    init(
        trusted: Bool = true,
        streams: UInt32? = 1_000,
        configure: (inout SenderConfiguration) -> Void = { _ in },
        script: @escaping ScriptedApple.Script
    ) throws {
        let authority = try SelfSignedAuthority()
        let leaf = try authority.issue(for: ["localhost", "127.0.0.1"])
        var serving = ServerConfiguration(certificate: .text(leaf.certificate), key: .text(leaf.key))
        serving.maxConcurrentStreams = streams
        apple = ScriptedApple(script)
        server = try Server(configuration: serving, handler: apple)
        try server.start()
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("apns-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let roots = try trusted ? authority.certificate : SelfSignedAuthority().certificate
        let caFile = folder.appendingPathComponent("ca.pem").path
        try roots.write(toFile: caFile, atomically: true, encoding: .utf8)
        var configuration = SenderConfiguration(
            teamID: "TEAM456789",
            keyID: "KEY4567890",
            signingKeyPEM: Self.pem,
            topic: "com.example.App",
            environment: .sandbox,
            endpoint: .init(host: "127.0.0.1", port: server.port),
            caFile: caFile
        )
        configure(&configuration)
        self.configuration = configuration
        let logged = Collected<SenderEvent>()
        let statuses = Collected<LaneStatus>()
        self.logged = logged
        self.statuses = statuses
        sender = try Sender(
            configuration: configuration,
            clock: clock.clock,
            jitter: { 0.5 },
            log: { logged.append([$0]) },
            onStateChange: { statuses.append([$0]) }
        )
    }

    /// With a server that accepts everything.
    convenience init(trusted: Bool = true) throws {
        try self.init(trusted: trusted) { _, _, _ in ScriptedApple.accepted }
    }

    deinit {
        server.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    func push(_ tag: UInt64, token: String? = nil) -> Push {
        let digits = String(tag, radix: 16)
        let user = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
        let token = token ?? String(repeating: "0", count: 64 - digits.count) + digits
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
        sender.send(tags.map { push($0) }) { [results] in results.append($0) }
    }

    func send(_ pushes: [Push]) {
        sender.send(pushes) { [results] in results.append($0) }
    }

    /// Waits for so many results in all; returns the outcomes in the order of the tags.
    func outcomes(_ count: Int) async -> [PushOutcome] {
        await results.wait { $0.count >= count }.sorted { $0.tag < $1.tag }.map(\.outcome)
    }

    func event(_ isWanted: @escaping @Sendable (SenderEvent) -> Bool) async {
        _ = await logged.wait { $0.contains(where: isWanted) }
    }

    func status(_ isWanted: @escaping @Sendable (LaneStatus) -> Bool) async {
        _ = await statuses.wait { $0.last.map(isWanted) ?? false }
    }

    var resultCount: Int { results.all.count }

    func end() async {
        await sender.drain(deadline: clock.now)
    }
}
