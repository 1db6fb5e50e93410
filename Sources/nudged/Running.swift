import ArgumentParser
import Configuration
import Core
import Glibc
import Service
import Systemd

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the daemon; with --once, sends what is due and ends.",
        discussion: """
            On SIGTERM it stops when the pushes in flight are answered. On SIGHUP it reads configuration, key and time \
            zones again.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "Sweep until no user is due, print a summary, and end.") var once = false
    @Flag(help: "With --once: the summary as one JSON object.") var json = false

    func validate() throws { if json && !once { throw ValidationError("--json needs --once") } }

    func run() async throws {
        try OpenFiles.raise()
        let environment = ProcessEnvironment.current()
        let output = LogOutput(environment: environment)
        if once { return try await runOnce(checked(output), output) }
        // The daemon reads the configuration again. This copy must be released: it holds the key's text.
        _ = try checked(output)
        let path = config.path
        let files = DaemonFiles.path(environment).map(DaemonFiles.init)
        if let warning = files?.warning { config.say(.configurationWarning, warning, to: output) }
        let notifier = Notifier(environment: environment)
        let load: @Sendable () throws -> Configuration = {
            try ConfigurationLoader.load(path: path, environment: environment, checks: .system).configuration
        }
        do {
            let version = Version.current
            let daemon = try Daemon(load: load, output: output, notifier: notifier, files: files, version: version)
            await daemon.run()
        } catch {
            Output.error("\(error)")
            throw ExitCode(ExitStatus.configuration.rawValue)
        }
    }

    private func checked(_ output: LogOutput) throws -> Configuration {
        let loaded = try config.load(output: output)
        for warning in loaded.warnings { config.say(.configurationWarning, "\(warning)", to: output) }
        return loaded.configuration
    }

    private func runOnce(_ configuration: Configuration, _ output: LogOutput) async throws {
        output.setLevel(configuration.logLevel)
        let reporter = Reporter { output.write($0) }
        let result = try await Output.reporting { try await OneRun(configuration, reporter).run() }
        guard Output.line(json ? result.report.json : result.report.text, isJSON: json) else {
            throw Output.failure("the summary")
        }
        if let trouble = result.trouble { Output.error(trouble) }
        if result.status != .success { throw ExitCode(result.status.rawValue) }
    }
}

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
        try await Output.reporting { try await LocalDaemon(environment: ProcessEnvironment.current()).reload() }
        Output.line("the new configuration is in force")
    }
}

/// Descriptors 0, 1 and 2 of a process that was started without them.
enum StandardStreams {
    /// Opens /dev/null for each one that is missing. Else the first socket to PostgreSQL or Apple would be number 2,
    /// and log lines would go into it. Opened for reading, so that a write fails and the line is counted as lost.
    static func reserve() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // open(2) returns the lowest free number, which is this one.
            _ = open("/dev/null", O_RDONLY)
        }
    }
}

/// The daemon needs four files for PostgreSQL, two for each connection to Apple, and some for timers and libraries.
enum OpenFiles {
    /// Raises the soft limit to the hard one. libdispatch aborts if it can't open a timer, so a low limit is refused.
    static func raise() throws {
        let needed: rlim_t = 64
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(resource, &limit)
        // nudged's own files close on exec, so files that are open here were left open by a parent.
        let inherited = rlim_t((3..<Int32(min(limit.rlim_max, 1024))).count { fcntl($0, F_GETFD) == 0 })
        guard limit.rlim_max < needed + inherited else { return }
        let text = inherited > 0 ? ", of which \(inherited) were inherited open" : ""
        let what = "the limit of open files is \(limit.rlim_max)\(text); nudged needs \(needed)"
        Output.error("\(what): raise LimitNOFILE (ulimit -n)")
        throw ExitCode(ExitStatus.configuration.rawValue)
    }
}
