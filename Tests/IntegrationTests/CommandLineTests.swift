import LocalPostgres
import TestSupport
import Testing

/// What `nudged` says to a command line, without a database.
@Suite(.ownThreads) struct CommandLineTests {
    private static func nudged(
        _ arguments: [String],
        _ environment: [String: String] = [:]
    ) async throws -> (exit: ChildProcess.Exit, output: String, errors: String) {
        let process = try ChildProcess(
            [Scene.binary] + arguments,
            environment: environment,
            output: .captured,
            error: .captured
        )
        let exit = await process.ended()
        _ = process.wait(.seconds(5))
        return (exit, process.output, process.errorOutput)
    }

    @Test(arguments: [
        (["statsu"], "there is no command 'statsu'; did you mean 'status'?"),
        (["statsu", "--json"], "there is no command 'statsu'; did you mean 'status'?"),
        (["check_config"], "there is no command 'check_config'; did you mean 'check-config'?"),
        (["help", "docter"], "there is no command 'docter'; did you mean 'doctor'?"),
        (["xylophone"], "there is no command 'xylophone'"),
        (["status", "--jsno"], "Unknown option '--jsno'. Did you mean '--json'?"),
        (["config", "--show", "--reference"], "give --show or --reference, not both"),
    ])
    func commandLine_whenItIsMistyped_saysWhatWasMeant(arguments: [String], expected: String) async throws {
        let run = try await Self.nudged(arguments)
        #expect(run.exit == .code(64) && run.output == "", "\(run)")
        #expect(run.errors.hasPrefix("nudged: \(expected)\nUsage: nudged "), "\(run.errors)")
    }

    @Test func help_listsTheCommandsInGroups() async throws {
        let run = try await Self.nudged(["--help"])
        #expect(run.exit == .code(0))
        let groups = run.output.split(separator: "\n").filter { $0.hasSuffix("SUBCOMMANDS:") }
        #expect(
            groups == [
                "SET-UP SUBCOMMANDS:", "DAEMON SUBCOMMANDS:", "REPORTING SUBCOMMANDS:", "CONTROL SUBCOMMANDS:",
                "TEST SUBCOMMANDS:",
            ]
        )
    }

    @Test func config_withoutAnOption_showsTheValues() async throws {
        let environment = [
            "APNS_TEAM_ID": "ABCDE12345", "APNS_KEY_ID": "KEY1234567", "APNS_BUNDLE_ID": "com.example.app",
            "APNS_ENVIRONMENT": "sandbox", "APNS_PRIVATE_KEY": GeneratedKey.ellipticCurve(415),
            "DATABASE_URL": "postgresql://me:planted@localhost/app",
        ]
        let run = try await Self.nudged(["config"], environment)
        #expect(run.exit == .code(0) && !run.output.contains("planted"), "\(run)")
        #expect(run.output.contains("me@localhost:5432/app sslmode=prefer"), "\(run.output)")
        #expect(try await Self.nudged(["config", "--show"], environment).output == run.output)
        let json = try await Self.nudged(["config", "--json"], environment)
        #expect(
            json.output.contains(
                #"{"key":"database.url","value":"me@localhost:5432/app sslmode=prefer","secret":true,"source":"environment DATABASE_URL","inherited_from":null}"#
            ),
            "\(json.output)"
        )
    }
}
