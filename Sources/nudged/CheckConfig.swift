import Configuration
import ArgumentParser
import Logging
import Systemd

struct CheckConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Checks the configuration and its key files, without a network.",
        discussion: """
            Each fault has file, line, column, key and fix. nudged doctor checks what needs a network: whether the \
            database and Apple accept the configuration.

            Exit status: 0 if the configuration can be used, 78 if it can't, 77 if only rights are wrong.
            """
    )

    @OptionGroup var config: ConfigurationOption

    func run() throws {
        // As the unit's ExecStartPre: an error that stops the service must be an error in the journal.
        let output = LogOutput(environment: ProcessEnvironment.current())
        let journal =
            output.isJournal ? Logger(label: "nudged") { JournalLogHandler(label: $0, output: output) } : nil
        let loaded = try config.load(log: journal)
        guard journal != nil || Output.line(ConfigurationReport.check(loaded)) else {
            throw Output.failure("the report can't be written")
        }
    }
}
