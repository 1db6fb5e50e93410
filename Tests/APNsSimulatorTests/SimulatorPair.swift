import HTTP2
import OpenSSL
import Base
import Testing

@testable import APNsSimulator

/// A simulated Apple and a client over real TLS and HTTP/2.
final class SimulatorPair: Sendable {
    static let certificate = Result { try SimulatorCertificate() }
    static let keyID = "KEY1234567"
    static let teamID = "TEAM123456"
    static let deviceToken = String(repeating: "0a", count: 32)
    static let payload = Array(#"{"aps":{"alert":{"title":"a","body":"b"}}}"#.utf8)
    /// Made once: ES256 signatures differ each time, and each would be a new token.
    static let standardBearer = Result { try bearer() }
    static let noon: Int64 = 1_800_000_000

    let simulator: APNsSimulator
    /// The clock of the script.
    let clock: Clock
    private let client: ClientConnection
    private let waiting: Waiting

    final class Clock: Sendable {
        private let seconds = Mutex(SimulatorPair.noon)
        var now: Int64 { seconds.withLock { $0 } }
        func advance(by more: Int64) { seconds.withLock { $0 += more } }
    }

    final class Waiting: Sendable {
        struct State {
            var continuations: [UInt64: CheckedContinuation<RequestResult, Never>] = [:]
            var next: UInt64 = 0
            var capacities: [Int] = []
            var goaways: [(last: Int32, debug: String)] = []
            var closed: CloseReason?
        }
        let state = Mutex(State())

        func note(_ event: ClientEvent) {
            switch event {
            case .completions(let completions):
                for completion in completions {
                    state.withLock { $0.continuations.removeValue(forKey: completion.tag) }?.resume(
                        returning: completion.result
                    )
                }
            case .opened(let capacity), .capacity(let capacity): state.withLock { $0.capacities.append(capacity) }
            case .goaway(let last, _, let debug): state.withLock { $0.goaways.append((last, debug)) }
            case .closed(let reason): state.withLock { $0.closed = reason }
            }
        }
    }

    init(
        settings change: (inout SimulatorSettings) -> Void = { _ in },
        perDevice: (@Sendable (String, Int) -> ScriptedAnswer?)? = nil,
        perConnection: (@Sendable (Int) -> ConnectionScript?)? = nil,
        deadline: Int = 20_000
    ) throws {
        let certificate = try Self.certificate.get()
        var settings = SimulatorSettings(keys: [certificate.registered(keyID: Self.keyID, teamID: Self.teamID)])
        change(&settings)
        let clock = Clock()
        self.clock = clock
        simulator = try APNsSimulator(
            script: SimulatorScript(
                settings: settings,
                now: { clock.now },
                perDevice: perDevice,
                perConnection: perConnection
            ),
            certificate: certificate.server
        )
        try simulator.start()
        var configuration = ClientConfiguration(host: "localhost", port: simulator.port, label: "test")
        configuration.trust = .only(.text(certificate.authority))
        configuration.requestDeadline = Int64(deadline)
        let waiting = Waiting()
        self.waiting = waiting
        client = ClientConnection(configuration: configuration, resolver: { _ in ["127.0.0.1"] }) { waiting.note($0) }
        client.start()
    }

    deinit {
        client.close()
        simulator.stop()
    }

    var capacities: [Int] { waiting.state.withLock { $0.capacities } }
    var goaways: [(last: Int32, debug: String)] { waiting.state.withLock { $0.goaways } }

    /// A provider token as the sender makes it.
    static func bearer(
        keyID: String = SimulatorPair.keyID,
        teamID: String = SimulatorPair.teamID,
        issuedAt: String = "\(SimulatorPair.noon)",
        algorithm: String = "ES256",
        pem: String? = nil
    ) throws -> String {
        let key = try P256SigningKey(pem: try pem ?? certificate.get().providerKey.privateKey)
        let signed =
            base64(#"{"alg":"\#(algorithm)","kid":"\#(keyID)"}"#) + "."
            + base64(#"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#)
        return "bearer \(signed).\(base64(try key.signature(for: Array(signed.utf8))))"
    }

    static func base64(_ text: String) -> String { base64(Array(text.utf8)) }

    static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32((3 - group.count) * 8)
            for place in 0...group.count { result.append(alphabet[Int(bits >> UInt32(18 - 6 * place) & 63)]) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The fields of a good push, changed; nil takes one away.
    static func fields(_ changes: [String: String?] = [:]) throws -> [(String, String)] {
        var fields: [String: String] = [
            "authorization": try standardBearer.get(), "apns-topic": "com.example.app", "apns-push-type": "alert",
            "apns-priority": "10",
            "apns-expiration": "0", "apns-id": "0e1d2c3b-4a59-6877-8695-a4b3c2d1e0f1", "apns-collapse-id": "nudge",
        ]
        for (name, value) in changes { fields[name] = value }
        return fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    func send(
        _ changes: [String: String?] = [:],
        token: String = SimulatorPair.deviceToken,
        path: String? = nil,
        method: String = "POST",
        body: [UInt8] = SimulatorPair.payload,
        repeating: String? = nil
    ) async throws -> RequestResult {
        var headers = HeaderFields()
        for (name, value) in try Self.fields(changes) {
            headers.append(name, value)
            if name == repeating { headers.append(name, value) }
        }
        let template = RequestTemplate(method: method, authority: "localhost", fields: headers)
        // Where the answer is there before the wait begins, ThreadSanitizer sees nothing between `resume` and what comes after (a known gap
        // in Swift's runtime, swiftlang/swift#57803); it sees the lock, under which the continuation was taken before.
        defer { waiting.state.withLock { _ in } }
        return await withCheckedContinuation { continuation in
            let tag = waiting.state.withLock { state in
                state.next += 1
                state.continuations[state.next] = continuation
                return state.next
            }
            var request = RequestBatch()
            request.begin()
            request.appendPath(path ?? "/3/device/\(token)")
            request.appendBody { $0 += body }
            if !client.submit(request, nil, template, firstTag: tag) {
                waiting.state.withLock { $0.continuations.removeValue(forKey: tag) }?.resume(
                    returning: .unsent(.closed)
                )
            }
        }
    }
}

extension RequestResult {
    /// `400 BadTopic`, `200 `, or the case's name.
    var text: String {
        switch self {
        case .response(let response): "\(response.status) \(String(decoding: response.body, as: UTF8.self))"
        case .unsent(let reason): "unsent \(reason)"
        case .unknown(let reason): "unknown \(reason)"
        }
    }

    var response: Response? {
        if case .response(let response) = self { response } else { nil }
    }
}
