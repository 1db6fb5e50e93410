import ArgumentParser
import Configuration
import Operator
import Policy

struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Pauses a kind of nudge, or all: nothing of it is sent until nudged resume.",
        discussion: """
            The pause is in the database, and every daemon sees it within a second. A push whose intent is \
            committed after the pause is not written. Check-in slots that pass meanwhile are recorded as skipped. \
            Messages and reminders wait until they expire.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var kind: KindArgument
    @Option(help: "Why you pause. nudged status shows it.") var reason: String?
    @Flag(help: "As one JSON object.") var json = false

    func run() async throws {
        try await config.answer(isJSON: json) { try await PauseReport.pause(kind.kind, why: reason, $0) }
    }
}

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ends a pause of a kind, or of all. Users who were held are evaluated again.",
        discussion: """
            Sending continues at once. Users who were evaluated during the pause are made due, \
            \(ReplanReport.usersASecond) a second, so that there is no burst. A check-in is sent if its slot is still \
            fresh. If the command is interrupted, run it again.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var kind: KindArgument
    @Flag(help: "As one JSON object.") var json = false

    func run() async throws {
        try await config.answer(isJSON: json) { configuration in
            try await Terminal.progress("resuming") {
                try await ResumeReport.resume(kind.kind, configuration, onProgress: $0)
            }
        }
    }
}

struct Replan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Evaluates all users again, so that changed rules count at once.",
        discussion: """
            Without it, changed rules or time zones count within a day. Run it after a reload. It makes users due in \
            the order of their ids, \(ReplanReport.usersASecond) a second, or over the time that --over gives. It also \
            adds users that are in the app's tables and that nudged has not seen. If it is interrupted, run it again.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Option(help: ArgumentHelp("The time to take: 90s, 5m, 2h; 0s: as fast as possible.", valueName: "duration"))
    var over: String?
    @Flag(help: "As one JSON object.") var json = false

    func validate() throws {
        guard let over, Duration(text: over) == nil else { return }
        throw ValidationError("--over must be a duration such as 90s, 5m or 2h")
    }

    func run() async throws {
        try await config.answer(isJSON: json) { configuration in
            try await Terminal.progress("replanning") {
                try await ReplanReport.replan(over: over.flatMap { Duration(text: $0) }, configuration, onProgress: $0)
            }
        }
    }
}

struct AfterRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "After a restore from a backup: drops what was due before now.",
        discussion: """
            A backup has no record of what was sent after it was made. So nudged after-restore ends the check-in \
            slots, messages and reminders that are due, and records the pushes that were in flight as unknown. All \
            users are evaluated again. On a database that was not restored, you lose these nudges.

            Without --yes it changes nothing. It shows what it would drop, and the command that does it.

            Stop the daemons before the restore, and start them after this command. With --yes it is refused while a \
            daemon is alive, because daemons may send nudges a second time. You can run it again.

            Exit status: 0 after a dry run and if it is done, 69 if the database can't be reached, 75 if a daemon is \
            alive and nothing was changed, 77 if a right is missing, 78 if the configuration or the schema is wrong.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "Do it. Without this option nothing is changed.") var yes = false
    @Flag(help: "Go on even while daemons are alive: nudges may be sent twice.") var whileDaemonsRun = false
    @Flag(help: "As one JSON object.") var json = false

    func run() async throws {
        try await config.answer(isJSON: json) {
            try await AfterRestoreReport.run($0, command: typed, isDryRun: !yes, besideDaemons: whileDaemonsRun)
        }
    }

    /// The command for a shell, without `--yes`.
    private var typed: String {
        guard let path = config.path else { return "nudged after-restore" }
        return "nudged after-restore --config '" + path.replacing("'", with: "'\\''") + "'"
    }
}

struct KindArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("check_in, message or reminder. (default: all)", valueName: "kind")) var name: String?

    func validate() throws {
        guard let name, kind == nil else { return }
        throw ValidationError("'\(name)' is not a kind of nudge: give check_in, message or reminder")
    }

    var kind: NudgeKind? { name.flatMap(NudgeKind.init(rawValue:)) }
}
