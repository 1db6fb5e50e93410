import Configuration
import Service
import ArgumentParser
import Logging
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

    /// Logs an event before a daemon exists.
    func say(_ event: Event, _ message: String, to log: Logger) {
        log.log(level: event.level, "\(message)", metadata: ["event": "\(event.name)"])
    }
}
