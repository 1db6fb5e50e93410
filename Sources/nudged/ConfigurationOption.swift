import ArgumentParser
import Daemon
import Systemd

/// `--config FILE`, for every command that reads the configuration.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp("The configuration file. (default: /etc/nudged/nudged.yaml)", valueName: "file")
    )
    var path: String?

    /// Loads it; where it is bad, says every fault and ends with its status.
    func load(needs: ConfigurationNeeds = .all) throws -> LoadedConfiguration {
        do throws(ConfigurationError) {
            return try ConfigurationLoader.load(
                path: path,
                environment: ProcessEnvironment.current(),
                needs: needs,
                checks: .system
            )
        } catch {
            Output.error("the configuration can't be used\n" + ConfigurationReport.check(error))
            throw ExitCode(error.exitStatus.rawValue)
        }
    }
}
