import Base
import LocalPostgres
import Service
import ArgumentParser
import Faults
import Glibc
import Systemd

/// `nudged-bench faults`: real daemons under faults. The simulated Apple's log is compared with the database.
struct FaultsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faults",
        abstract:
            "Plays faults, and compares what Apple accepted with the database. Exit 1: a promise was broken.",
        discussion: """
            The columns of the results:

              lost               due, and neither accepted nor ended in the record
              doubled            beyond promise 2 of docs/GUARANTEES.md
              over a limit       beyond a cap
              quiet              accepted in quiet hours
              deleted            tokens without a 410 that allows it
              other              other broken promises
              unknown / allowed  recorded as unknown, and how many may be
              recovery           the longest time from the fault's end to the next push
            """
    )

    @Option(help: "The nudged to test: a debug build, because only those have fail points.") var nudged: String?
    @Option(help: "The nudged of an earlier version, also a debug build. It makes the schema, and is upgraded.")
    var older: String?
    @Option(parsing: .upToNextOption, help: "Plays only these faults.") var only: [String] = []
    @Flag(help: "Plays each fault a little, in about six minutes.") var quick = false
    @Option(help: "The seed of users and scripts. Default: a random one, which the output names.") var seed: UInt64?
    @Option(help: "Users per round, instead of each fault's own number.") var users: Int?
    @Option(help: "The second reading of the policy.") var reference = "Tests/Reference/policy_reference.py"
    @Option(help: "A file for the table of results, in Markdown.") var markdown: String?
    @Flag(help: "Lists the faults and plays none.") var list = false

    func validate() throws {
        for name in only where Fault.named(name) == nil {
            let names = Fault.all.map(\.name).joined(separator: ", ")
            throw ValidationError("no fault is called \(name); there are \(names)")
        }
        if nudged == nil, !list { throw ValidationError("--nudged is missing: the path of the nudged to test") }
        if let users, users < 1 { throw ValidationError("--users must be at least 1") }
    }

    func run() async throws {
        let texts = Fault.rows.map { "\($0.fault.name): \($0.text)" }
        guard let nudged, !list else { return print(texts.joined(separator: "\n")) }
        let workshop = try Workshop(nudged: nudged, older: older, reference: reference)
        // Ctrl-C or a closed terminal must leave no process and no folder behind.
        let end: @Sendable () -> Void = {
            workshop.close()
            _exit(ExitStatus.interrupted.rawValue)
        }
        let signals = SignalSource(Dictionary(uniqueKeysWithValues: Self.ends.map { ($0, end) }))
        defer {
            withExtendedLifetime(signals) {}
            workshop.close()
        }
        let plan = FaultPlan(isQuick: quick, seed: seed ?? .random(in: 1...999_999_999), users: users)
        let run = FaultRun(workshop, plan)
        let faults = Fault.all.filter { only.isEmpty || only.contains($0.name) }
        say(FaultRow.line(FaultRow.heads))
        var rows: [FaultRow] = []
        var repeats: [String] = []
        for fault in faults {
            let row = await run.play(fault) { if !$0.passes, !workshop.isEnding { say($0.text) } }
            // An interrupted round has no result. The signal's handler ends the process after the clean-up.
            if workshop.isEnding { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
            rows.append(row)
            say(FaultRow.line(row.cells))
            guard !row.passes else { continue }
            repeats.append("again: \(run.command(fault))")
            say("  " + repeats[repeats.count - 1])
        }
        let left = rows.count { $0.runs == 0 }
        say("\(rows.count - left) faults played, \(left) not played, \(repeats.count) failed")
        // For scripts/steps.
        if let file = getenv("NUDGED_COUNTS") {
            let counts = "\(rows.count - left) \(repeats.count) \(left)"
            try TextFile.write(String(cString: file), ([counts] + repeats).joined(separator: "\n") + "\n")
        }
        if let markdown { try TextFile.write(markdown, FaultRow.markdown(rows)) }
        if !rows.allSatisfy(\.passes) { throw ExitCode.failure }
    }

    /// The signals that end the program. SIGHUP stays ignored if it was at the start (nohup).
    private static var ends: [Int32] {
        var hangUp = sigaction()
        sigaction(SIGHUP, nil, &hangUp)
        // Swift can't compare functions, and SIG_IGN is a number in the place of one.
        let isIgnored =
            unsafeBitCast(hangUp.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        return [SIGINT, SIGTERM] + (isIgnored ? [] : [SIGHUP])
    }

    private func say(_ line: String) { _ = writeAll(Array("\(line)\n".utf8), to: STDOUT_FILENO) }
}
