import ArgumentParser
import Daemon

/// `nudged check-config`.
struct CheckConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Checks the configuration, the key file included, without a network."
    )

    @OptionGroup var config: ConfigurationOption

    func run() throws {
        Output.line(ConfigurationReport.check(try config.load()))
    }
}
