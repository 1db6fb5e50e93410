import ArgumentParser
import Configuration
import Logging
import Operator
import Service
import Systemd

/// `--config FILE`, for every command that reads the configuration.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp("The configuration file. (default: /etc/nudged/nudged.yaml)", valueName: "file")
    )
    var path: String?

    /// Loads the configuration. If it is invalid, reports every problem and ends with the error's exit status.
    ///
    /// - Parameter log: the journal, for a service: each problem is an entry of its own. Nil: standard error.
    func load(needs: ConfigurationNeeds = .all, log: Logger? = nil) throws -> LoadedConfiguration {
        do throws(ConfigurationError) {
            return try ConfigurationLoader.load(
                path: path,
                environment: ProcessEnvironment.current(),
                needs: needs,
                checks: .system
            )
        } catch {
            if let log {
                for problem in error.problems where problem.severity != .warning {
                    say(.configurationRefused, "the configuration can't be used: \(problem)", to: log)
                }
            } else {
                Output.error("the configuration can't be used\n\(error)")
            }
            throw ExitCode(error.exitStatus.rawValue)
        }
    }

    /// Answers from what the configuration names, as text or as JSON.
    ///
    /// - Parameter name: what the user is told can't be written.
    func answer(
        isJSON: Bool,
        _ name: String = "the report",
        needs: ConfigurationNeeds = .database,
        _ work: (Configuration) async throws -> some CommandOutput
    ) async throws {
        let configuration = try load(needs: needs).configuration
        let answer = try await Output.reporting { try await work(configuration) }
        try Output.answer(answer, isJSON: isJSON, name)
    }

    func say(_ event: Event, _ message: String, to log: Logger) {
        log.log(level: event.level, "\(message)", metadata: ["event": "\(event.name)"])
    }
}
