import ArgumentParser
import Daemon

/// `nudged config --show`.
struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The effective configuration, with the source of each value; secrets are hidden."
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "Print it.") var show = false

    func validate() throws {
        if !show { throw ValidationError("config needs --show") }
    }

    func run() throws {
        Output.line(ConfigurationReport.show(try config.load()))
    }
}
