import Operator
import ArgumentParser
import Glibc
import Systemd

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks all that sending needs, and names the fix of each fault.",
        discussion: """
            It changes nothing. It checks the configuration and the files of its secrets, the time-zone files, the \
            service, the database, Apple and the decision service. For each app it sends Apple one push to a token \
            that no device has, in production too. The decision service gets one request, which names no user. Each \
            part has a time limit, and a part that fails hides no other.

            Run it as the daemon runs: with its configuration and its database.url. Each line is ok, warning or error; \
            the fix is below it. A dash marks what was not checked.

            Exit status: 0 if there is no error; warnings don't count. Otherwise the first that applies: 78 if the \
            configuration or the schema is wrong, or Apple refuses the configuration; 77 if a right is missing or \
            others can read a secret; 69 if something can't be reached.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "As a JSON array with one object for each line.") var json = false

    func run() async throws {
        let report = await DoctorRun(path: config.path, environment: ProcessEnvironment.current()).run()
        let text = json ? report.json : report.text(width: Terminal.width(STDOUT_FILENO))
        let colour = Terminal.colour(STDOUT_FILENO)
        guard Output.line(text, isJSON: json, paint: { DoctorReport.painted($0, colour) }) else {
            throw Output.failure("the report can't be written")
        }
        if report.status != .success { throw ExitCode(report.status.rawValue) }
    }
}
