import Configuration
import ArgumentParser
import Logging
import Systemd

/// `nudged check-config`.
struct CheckConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Checks the configuration, the key file included, without a network.",
        discussion: """
            Each fault is told with file, line, column, key and mend. What needs a network (does the database let us in, does Apple take the key) asks nudged doctor. \
            Exit status: 0 where it can be used, 78 where it can't, 77 where nothing but rights is wrong.
            """
    )

    @OptionGroup var config: ConfigurationOption

    func run() throws {
        // As the unit's ExecStartPre: what keeps the service from starting is an error in the journal, and not a line like others.
        let output = LogOutput(environment: ProcessEnvironment.current())
        let journal =
            output.isJournal ? Logger(label: "nudged") { JournalLogHandler(label: $0, output: output) } : nil
        let loaded = try config.load(log: journal)
        guard journal != nil || Output.line(ConfigurationReport.check(loaded)) else {
            throw Output.failure("the report can't be written")
        }
    }
}
