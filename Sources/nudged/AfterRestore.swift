import Configuration
import Operator
import Service
import ArgumentParser
import Systemd

struct AfterRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "after-restore",
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
        let loaded = try config.load(needs: .database)
        let report: AfterRestoreReport
        do {
            let command = try AfterRestoreRun(loaded.configuration)
            if yes {
                report = try await command.run(besideDaemons: whileDaemonsRun)
            } else {
                report = try await command.preview()
            }
        } catch let error as DaemonsAlive {
            Output.error("\(error)")
            throw ExitCode(ExitStatus.temporary.rawValue)
        } catch {
            Output.error("\(error)")
            throw ExitCode(OneRun.status(of: error).rawValue)
        }
        let text = json ? report.json : report.text(command: typed, besideDaemons: whileDaemonsRun)
        guard Output.line(text, isJSON: json) else {
            throw Output.failure("the report can't be written")
        }
    }

    /// The command for a shell, without `--yes`.
    private var typed: String {
        guard let path = config.path else { return "nudged after-restore" }
        return "nudged after-restore --config '" + path.replacing("'", with: "'\\''") + "'"
    }
}
