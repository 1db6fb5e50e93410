import Operator
import ArgumentParser
import Glibc
import Systemd

/// `nudged doctor`.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Looks at all that sending depends on, and says what is wrong and how to mend it; changes nothing.",
        discussion: """
            Configuration and the files of its secrets, time-zone files, the service, the database (TLS, pooler, clock, rights, migrations, triggers, views, \
            partitions, bloat), Apple for each app (the way there, key, team, topic and environment, the clock: by a push to a token that no device has, in \
            production, too), and the decision service, which is asked about nobody. Every part has a few seconds, and one that fails hides no other. Run it as the \
            daemon is run: with its configuration and its database.url. Each line is ok, warning or error with the mend; a dash is what could not be looked at. Exit \
            status: 0 where there is no error (warnings alone are none), else by the worst: 78 where configuration, schema or Apple's verdict is wrong, 77 where a right \
            is missing or a secret is open, 69 where something can't be reached.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "As an array of objects: id, subject, level, found, mend, exit.") var json = false

    func run() async throws {
        let report = await DoctorRun(path: config.path, environment: ProcessEnvironment.current()).run()
        guard Output.line(json ? report.json : report.words(width: Terminal.width(STDOUT_FILENO))) else {
            throw Output.failure("the report can't be written")
        }
        if report.status != .success { throw ExitCode(report.status.rawValue) }
    }
}
