import Glibc
import LocalPostgres
import TestSupport
import Testing

/// What `nudged` says to a command line, without a database.
@Suite(.ownThreads) struct CommandLineTests {
    private static func nudged(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> Scene.Run {
        try await ChildProcess.toEnd([Scene.binary] + arguments, environment)
    }

    /// All that must be set.
    private static func complete(_ url: String) -> [String: String] {
        [
            "APNS_TEAM_ID": "ABCDE12345", "APNS_KEY_ID": "KEY1234567", "APNS_BUNDLE_ID": "com.example.app",
            "APNS_ENVIRONMENT": "sandbox", "APNS_PRIVATE_KEY": GeneratedKey.ellipticCurve(415), "DATABASE_URL": url,
        ]
    }

    /// `Tests/Reference/command-lines.txt` has what is typed, and what is said of it.
    @Test func commandLine_whenItIsMistyped_saysWhatWasMeant() async throws {
        let lines = try Checkout.reference("command-lines")
        #expect(lines.count == 14)
        let long = String(repeating: "x", count: 4_000)
        for line in lines {
            let parts = line.split(separator: " → ").map(String.init)
            let typed = parts[0].replacing("<user>", with: Scene.user(1)).replacing("<long>", with: long)
            let run = try await Self.nudged(typed.split(separator: " ").map(String.init))
            #expect(run.exit == .code(64) && run.output == "", "\(run)")
            #expect(run.errors.hasPrefix("nudged: \(parts[1])\nUsage: nudged "), "\(run.errors)")
        }
    }

    @Test func help_listsTheCommandsInGroups() async throws {
        let run = try await Self.nudged(["--help"])
        #expect(run.exit == .code(0))
        let groups = run.output.split(separator: "\n").filter { $0.hasSuffix("SUBCOMMANDS:") }
        #expect(groups == ["SET-UP", "DAEMON", "REPORTING", "CONTROL", "TEST"].map { "\($0) SUBCOMMANDS:" })
    }

    @Test func config_withoutAnOption_showsTheValues() async throws {
        let environment = Self.complete("postgresql://me:planted@localhost/app")
        let run = try await Self.nudged(["config"], environment)
        #expect(run.exit == .code(0) && !run.output.contains("planted"), "\(run)")
        #expect(run.output.contains("me@localhost:5432/app sslmode=prefer"), "\(run.output)")
        #expect(try await Self.nudged(["config", "--show"], environment).output == run.output)
        let json = try await Self.nudged(["config", "--json"], environment)
        let value = #"{"key":"database.url","value":"me@localhost:5432/app sslmode=prefer","secret":true,"#
        let source = #""source":"environment DATABASE_URL","inherited_from":null}"#
        #expect(json.output.contains(value + source), "\(json.output)")
    }

    /// Other processes of the same user may read the memory of a process whose files in /proc are the user's.
    @Test func memory_ofACommand_belongsToRoot() async throws {
        guard let other = try await Scene.otherUser() else { return }
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let process = try ChildProcess(keeping: other + [Scene.binary, "decide"], from: .descriptor(ends[0]))
        // Its answer shows that it has started, and it waits for more lines.
        _ = Array("{}\n".utf8).withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
        #expect(process.waitForOutput(.seconds(60)) { $0.contains("\n") })
        var memory = stat()
        #expect(stat("/proc/\(process.id)/mem", &memory) == 0 && memory.st_uid == 0)
        process.signal(SIGKILL)
        _ = await process.ended()
    }

    @Test func config_ofTheAddresses_isADropIn() async throws {
        let environment = Self.complete("postgresql://me:planted@192.0.2.5/app?sslmode=verify-full")
        let run = try await Self.nudged(["config", "--addresses"], environment)
        #expect(run.exit == .code(0) && !run.output.contains("planted"), "\(run)")
        let lines = run.output.split(separator: "\n")
        for line in ["[Service]", "IPAddressDeny=any", "IPAddressAllow=localhost", "IPAddressAllow=192.0.2.5"] {
            #expect(lines.contains(Substring(line)), "\(run.output)")
        }
        #expect(lines.contains { $0.hasPrefix("IPAddressAllow=17.0.0.0/8 ") })
    }
}
