import APNsSimulator
import HTTP2Server
import Base

/// The simulated Apple with its faults. It records what it accepted in the `Ledger`.
final class ChaosApple: Sendable {
    static let (teamID, keyID, topic) = ("ABCDE12345", "KEY1234567", "com.example.App")

    private struct Moods {
        var announcements: [Int: StreamAnnouncements] = [:]
        /// Connections that answer nothing, and whether they accept pushes.
        var mute: [Int: Bool] = [:]
        var storm: Int?
    }

    let certificate: SimulatorCertificate
    private let simulator: APNsSimulator
    private let seed: UInt64
    private let books: Mutex<Ledger>
    private let moods = Mutex(Moods())

    init(seed: UInt64) throws {
        self.seed = seed
        certificate = try SimulatorCertificate()
        books = Mutex(Ledger())
        // The full script needs this object, so it is set later. What is recorded must be decided now.
        var settings = SimulatorSettings()
        settings.recordsAll = false
        simulator = try APNsSimulator(script: SimulatorScript(settings: settings), certificate: certificate.server)
        try simulator.setScript(script())
        try simulator.start()
    }

    var port: UInt16 { simulator.port }

    func stop() { simulator.stop() }

    func withBooks<Result>(_ body: (inout Ledger) -> Result) -> Result { books.withLock { body(&$0) } }

    private func script() -> SimulatorScript {
        var settings = SimulatorSettings(keys: [certificate.registered(keyID: Self.keyID, teamID: Self.teamID)])
        settings.topics = [Self.topic]
        settings.recordsAll = false
        var script = SimulatorScript(settings: settings)
        script.perPush = { [weak self] push, stream in self?.answer(push, stream) ?? .silence }
        script.onAccepted = { [weak self] push in
            self?.withBooks { $0.log(ChaosPush.number(of: push.apnsID)) }
        }
        script.onAnswered = { [weak self] answer, push in
            guard let push else { return }
            self?.withBooks { $0.answers(ChaosPush.number(of: push.apnsID), status: answer.status) }
        }
        return script
    }

    private func answer(_ push: AcceptedPush, _ stream: Int32) -> ScriptedAnswer {
        let number = ChaosPush.number(of: push.apnsID)
        let attempt = withBooks { $0.asked(number) }
        return moods.withLock { moods in
            let answer = ChaosAnswer.of(number, attempt: attempt, seed: seed)
            var announced = moods.announcements[push.connection] ?? StreamAnnouncements()
            defer { moods.announcements[push.connection] = announced }
            if case .goAway(let extent, _, _, _) = answer,
                announced.goAway(at: stream, processesThis: extent == .afterThis)
            {
                return answer
            }
            guard announced.process(stream) else { return .silence }
            if let takes = moods.mute[push.connection] { return takes ? .accepted(then: .silence) : .silence }
            if let status = moods.storm { return .answer(status: status, reason: "InternalServerError") }
            if case .goAway = answer { return .accept }
            return answer
        }
    }

    /// Performs one line of the plan. A task ends what lasts for a while. The caller performs `reconfigure`.
    func perform(_ line: ChaosPlan.Line) async {
        if case .refuse(let span) = line.act { return await refuse(for: span) }
        if case .storm(let status, let span) = line.act {
            moods.withLock { $0.storm = status }
            return after(span) { $0.moods.withLock { $0.storm = nil } }
        }
        let open = simulator.openConnections
        guard !open.isEmpty else { return }
        let connection = open[line.connection % open.count]
        let (actions, end) = Self.actions(of: line.act)
        if case .mute(let takes, _) = line.act { moods.withLock { $0.mute[connection] = takes } }
        for action in actions { simulator.perform(action, onConnection: connection) }
        guard let (span, action) = end else { return }
        after(span) { apple in
            apple.moods.withLock { $0.mute[connection] = nil }
            if let action { apple.simulator.perform(action, onConnection: connection) }
        }
    }

    /// What an act does to its connection, and what ends it after so many milliseconds.
    private static func actions(of act: ChaosAct) -> ([ConnectionAction], end: (Int, ConnectionAction?)?) {
        switch act {
        case .streams(let count, let span): ([.streams(count)], (span, .streams(1_000)))
        case .window(let span): ([.window(0)], (span, .window(1 << 20)))
        case .deaf(let span): ([.stopReading], (span, .resumeReading))
        case .mute(_, let span): ([], (span, nil))
        case .shutdown: ([.shutdown(reason: "Chaos")], nil)
        case .close: ([.close], nil)
        case .reset: ([.resetTCP], nil)
        // A client would wait forever for the rest of the frame.
        case .garbage(let kind): ([.garbage(kind.bytes)], kind == .half ? (300, .resetTCP) : nil)
        case .storm, .refuse, .reconfigure: ([], nil)
        }
    }

    private func after(_ milliseconds: Int, _ body: @escaping @Sendable (ChaosApple) -> Void) {
        Task { [weak self] in
            try? await Task.sleep(for: .milliseconds(milliseconds))
            if let self { body(self) }
        }
    }

    /// Ends all connections. After the milliseconds it listens again, on the same port.
    private func refuse(for span: Int) async {
        simulator.refuseConnections()
        simulator.perform(.close)
        try? await Task.sleep(for: .milliseconds(span))
        // Another process's outgoing connection may have taken the port for a while.
        for _ in 0..<1_000 where (try? simulator.acceptConnections()) == nil {
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// What one connection of the simulated Apple has promised about its streams.
///
/// Requests are read in batches. At a GOAWAY, streams above its last one may already be accepted, or be read before it
/// is written. So it names only streams above the highest accepted one, and later ones are ignored.
struct StreamAnnouncements {
    private var highest: Int32 = 0
    private var last: Int32?

    /// Whether a stream may be processed. If so, it counts as processed.
    mutating func process(_ stream: Int32) -> Bool {
        if let last, stream > last { return false }
        highest = max(highest, stream)
        return true
    }

    /// Whether GOAWAY can be sent at this stream: the last that is processed, or the first that is not.
    mutating func goAway(at stream: Int32, processesThis: Bool) -> Bool {
        guard last == nil, stream > highest else { return false }
        if processesThis { highest = stream }
        // Client streams have odd numbers, so the one before is two less.
        last = processesThis ? stream : max(0, stream - 2)
        return true
    }
}
