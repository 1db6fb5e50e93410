import Configuration
import ArgumentParser
import Glibc
import Systemd

@main
struct Nudged: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nudged",
        abstract: "Decides when each user of an app gets a nudge, and sends the pushes to Apple.",
        version: Version.current,
        groupedSubcommands: [
            CommandGroup(name: "Set-up", subcommands: [Config.self, CheckConfig.self, Migrate.self, Doctor.self]),
            CommandGroup(name: "Daemon", subcommands: [Run.self, Reload.self]),
            CommandGroup(
                name: "Reporting",
                subcommands: [Status.self, Explain.self, ForecastCommand.self, ReportCommand.self]
            ),
            CommandGroup(
                name: "Control",
                subcommands: [PauseCommand.self, Resume.self, Replan.self, AfterRestore.self]
            ),
            CommandGroup(name: "Test", subcommands: [SendTest.self, Decide.self]),
        ]
    )

    /// The argument parser's errors begin as all others do.
    static var _errorPrefix: String { Output.errorPrefix }

    /// SIGPIPE is ignored: a write to a closed pipe or socket is an error that the writer handles.
    static func main() async {
        StandardStreams.reserve()
        Heap.limitArenas()
        signal(SIGPIPE, SIG_IGN)
        if let problem = unknownCommand(CommandLine.arguments.dropFirst()) {
            exit(withError: ValidationError(problem))
        }
        await main(nil)
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
