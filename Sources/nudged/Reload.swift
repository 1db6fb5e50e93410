import Service
import ArgumentParser
import Systemd

/// `nudged reload`.
struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Asks the running daemon to read configuration and time zones anew; fails where the new ones are bad.",
        discussion: """
            As systemctl reload nudged does. The daemon is found in $RUNTIME_DIRECTORY, else in /run/nudged. Exit status: 0 where the new configuration is \
            in force, 78 where it is bad and the old one stays, 69 where no daemon runs here, 75 where it does not answer, 77 where a right is missing.
            """
    )

    func run() async throws {
        do throws(ReloadError) {
            try await ReloadRun(environment: ProcessEnvironment.current()).run()
        } catch {
            Output.error("\(error)")
            throw ExitCode(error.status.rawValue)
        }
        Output.line("the new configuration is in force")
    }
}
