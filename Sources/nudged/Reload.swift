import Service
import ArgumentParser
import Systemd

struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes the running daemon read its configuration and time zones again.",
        discussion: """
            systemctl reload nudged does the same. The daemon is found in $RUNTIME_DIRECTORY, else in /run/nudged.

            Exit status: 0 if the new configuration is in force, 78 if it is wrong and the old one stays, 69 if no \
            daemon runs here, 75 if the daemon does not answer, 77 if a right is missing.
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
