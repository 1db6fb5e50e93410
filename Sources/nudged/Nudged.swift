import Allocator
import ArgumentParser
import Configuration
import Glibc
import Systemd

enum Version { static let current = "0.1.0" }

@main
struct Nudged: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Decides when each user of an app gets a nudge, and sends the pushes to Apple.",
        version: Version.current,
        groupedSubcommands: [
            CommandGroup(
                name: "Set-up",
                subcommands: [SetUp.self, Config.self, CheckConfig.self, Migrate.self, Doctor.self]
            ),
            CommandGroup(name: "Daemon", subcommands: [Run.self, Reload.self]),
            CommandGroup(name: "Reporting", subcommands: [Status.self, Explain.self, Forecast.self, Report.self]),
            CommandGroup(name: "Control", subcommands: [Pause.self, Resume.self, Replan.self, AfterRestore.self]),
            CommandGroup(name: "Test", subcommands: [SendTest.self, Decide.self]),
        ]
    )

    /// The argument parser's errors begin as all others do.
    static var _errorPrefix: String { "\(Output.errorName) " }

    /// SIGPIPE is ignored: a write to a closed pipe or socket is an error that the writer handles.
    static func main() async {
        ThisProcess.hideMemory()
        StandardStreams.reserve()
        signal(SIGPIPE, SIG_IGN)
        do {
            if let problem = unknownCommand(CommandLine.arguments.dropFirst()) { throw ValidationError(problem) }
            var command = try await asyncParseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            // Errors of the argument parser quote what was typed. Help, the version and completions quote nothing.
            let code = exitCode(for: error)
            guard !code.isSuccess else { exit(withError: error) }
            let (text, prefix) = (fullMessage(for: error), _errorPrefix)
            if !text.isEmpty { Output.error(text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text) }
            Glibc.exit(code.rawValue)
        }
    }

    /// The argument parser suggests options, but no commands. Nil if the arguments begin with a command or an option.
    private static func unknownCommand(_ arguments: ArraySlice<String>) -> String? {
        let name = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
        let known = configuration.subcommands.map { $0._commandName } + ["help"]
        guard let name, !name.hasPrefix("-"), !known.contains(name) else { return nil }
        let near = KeySuggestion.nearest(to: name, among: known)
        return "there is no command '\(name)'" + (near.map { "; did you mean '\($0)'?" } ?? "")
    }
}
