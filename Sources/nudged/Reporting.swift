import Base
import ArgumentParser
import FoundationEssentials
import Glibc
import Operator
import Service
import Systemd
import TimeZones

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says whether nudged works. Shows what waits, the daemons and their lanes.",
        discussion: """
            The first line is the answer: it works, it is behind, something is paused, or it does not work. It only \
            reads the database.

            Exit status: 0 if it works, also while a backlog shrinks or a kind is paused; 1 if sweeps fail, or if \
            users wait and none is served; 69 if no daemon is alive or the database can't be reached; 75 if a lane \
            is stopped; 77 if a right is missing; 78 if the configuration or the schema is wrong.

            --health is for the probes of containers. It reads no configuration and no database. It only says whether \
            the daemon of this machine or container hangs. It succeeds even if PostgreSQL or Apple is away, since a \
            restart would not help. Exit status: 0 if the daemon is alive; 1 if it hangs; 69 if none runs here; 77 if \
            a right is missing.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "As one JSON object.") var json = false
    @Flag(help: "Only say whether the daemon here is alive.") var health = false

    func validate() throws {
        if health && (json || config.path != nil) { throw ValidationError("--health takes no other option") }
    }

    func run() async throws {
        guard health else { return try await config.answer(isJSON: json, "the page", StatusPage.read) }
        let process = try await Output.reporting { try LocalDaemon(environment: ProcessEnvironment.current()).health() }
        Output.line("process \(process) is alive")
    }
}

struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says what a user gets next, or what stands in the way, and why.",
        discussion: """
            The first line says what comes next and when, in the user's local time. Or it says what is in the \
            way: a rule, a lane, a pause, no daemon. Below are the decision rule by rule, the user's data and the \
            record. It runs the policy as the next sweep would, and writes nothing. Devices are shown by their hashes.

            It simulates a future instant: it assumes that every push until then is accepted and that nothing of the \
            user changes. It lists what is sent before. For a past instant it shows the record of that time.

            With --message or --body it says what would become of such a message if it were sent now: whether, why, to \
            how many devices and with which text. If the user consents, it asks the decision service. Nothing is \
            sent, written or counted.

            Exit status: 67 (EX_NOUSER) if nothing is known of the user.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Argument(help: "The user's id, a UUID.") var user: String
    @Option(
        help: ArgumentHelp(
            "The instant to explain: 2026-11-21T12:00:00Z, or with an offset such as +01:00. (default: now)",
            valueName: "instant"
        )
    )
    var at: String?
    @Option(help: ArgumentHelp("The title of a message to try.", valueName: "title")) var message: String?
    @Option(help: ArgumentHelp("The text of a message to try.", valueName: "text")) var body: String?
    @Flag(help: "The message to try is urgent.") var urgent = false
    @Flag(help: "As one JSON object.") var json = false

    private var isPreview: Bool { message != nil || body != nil }

    func validate() throws {
        if UUID(uuidString: user) == nil { throw ValidationError("'\(user)' is not a UUID") }
        if urgent, !isPreview { throw ValidationError("--urgent belongs to --message or --body") }
        if isPreview, at != nil { throw ValidationError("--at does not work with --message or --body") }
        if isPreview, [message, body].allSatisfy({ $0?.allSatisfy(\.isWhitespace) ?? true }) {
            throw ValidationError("give --message or --body a text: phones do not show a push without one")
        }
        guard let at else { return }
        guard let instant = InstantText.parse(at) else {
            throw ValidationError("--at must be an instant such as 2026-11-21T12:00:00Z or 2026-11-21T13:00:00+01:00")
        }
        // Only a bound, so the host's clock is good enough.
        if instant.seconds - Int64(time(nil)) > Explanation.mostDaysAhead * 86_400 {
            throw ValidationError("--at can be at most \(Explanation.mostDaysAhead) days ahead")
        }
    }

    func run() async throws {
        guard let id = UUID(uuidString: user) else { return }
        if isPreview {
            return try await config.answer(isJSON: json, "the preview", needs: .all) {
                try await PreviewReport.read(id, title: message ?? "", body: body ?? "", urgent: urgent, $0)
            }
        }
        try await config.answer(isJSON: json, "the explanation", needs: .all) {
            guard let found = try await Explanation.explain(id, at: at.flatMap(InstantText.parse), $0) else {
                let what = "unknown: neither nudged.recipient nor nudged.device has user \(id.uuidString.lowercased())"
                throw CommandFailure("\(what), and the record has nothing of them: check the id", .noUser)
            }
            return found
        }
    }
}

struct Forecast: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Forecasts the pushes of the coming hours, from the real data.",
        discussion: """
            It assumes that Apple accepts every push and that preferences don't change. It reads one snapshot of the \
            database, page by page, and writes nothing. A million users take less than a minute.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Option(help: "How many hours to look ahead: 1 to 168.") var hours = 48
    @Flag(help: "As one JSON object.") var json = false

    func validate() throws {
        let possible = Operator.Forecast.hours
        guard possible.contains(hours) else {
            throw ValidationError("--hours must be \(possible.lowerBound) to \(possible.upperBound)")
        }
    }

    func run() async throws {
        try await config.answer(isJSON: json, "the forecast", needs: .all) { configuration in
            try await Terminal.progress("reading") {
                try await Operator.Forecast.read(hours: hours, configuration, onProgress: $0)
            }
        }
    }
}

struct Report: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the record as one HTML page of charts. It names no person.",
        discussion: """
            The page is one file that loads nothing from a network, light or dark as the reader's system is. The \
            command reads one snapshot of the database and changes nothing. It uses one of the database's processors.

            Numbers are exact. With few users, an exact number can tell something of one person. So use --rounded for \
            a page that you pass on: 1 to 4 are then shown as 1–4, and all others as the nearest multiple of five.

            Exit status: 69 if the database can't be reached, 74 if the file can't be written, 77 if a right is \
            missing, 78 if the configuration or the schema is wrong.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Option(help: "How many days to look back: 1 to 366.") var days = 7
    @Flag(help: "Round all numbers, for a page that you pass on.") var rounded = false
    @Option(help: ArgumentHelp("The file to write; - for standard output.", valueName: "file")) var html: String

    func validate() throws {
        let possible = Operator.Report.days
        guard possible.contains(days) else {
            throw ValidationError("--days must be \(possible.lowerBound) to \(possible.upperBound)")
        }
        guard !html.isEmpty else { throw ValidationError("--html names no file") }
    }

    func run() async throws {
        let configuration = try config.load(needs: .database).configuration
        try await Output.reporting {
            let report = try await Terminal.progress("counting") {
                try await Operator.Report.read(days: days, configuration, onProgress: $0)
            }
            let page = report.page(rounded ? .rounded : .exact, version: Version.current)
            if html != "-" { return try ReportFile(html).write(page) }
            try Output.write(page.printableLines, "the report")
        }
    }
}
