import Base
import Logging
import NudgedPreferences
import Policy

/// Makes the configuration from the parsed values. It finds missing keys, checks rules between keys, and calls the
/// checks of other modules.
struct ConfigurationAssembler {
    private(set) var values: EffectiveValues
    private(set) var problems: [ConfigurationProblem] = []
    private(set) var lanes: LaneAssembler
    /// What `config` shows of secrets, by key.
    private var disclosed: [String: String] = [:]
    let apps: [AppEntry]
    let needs: ConfigurationNeeds
    let checks: ConfigurationChecks
    /// The file to name when a key is missing.
    let path: String
    /// False if the file couldn't be read: then the file is the error, not each missing key.
    let reportsMissing: Bool
    /// Whether every user of the machine can read the file.
    let isFileOpen: Bool

    init(
        values: EffectiveValues,
        apps: [AppEntry],
        namedKeys: NamedKeys,
        needs: ConfigurationNeeds,
        checks: ConfigurationChecks,
        path: String,
        reportsMissing: Bool,
        isFileOpen: Bool
    ) {
        self.values = values
        self.apps = apps
        lanes = LaneAssembler(
            namedKeys: namedKeys,
            checks: checks,
            path: path,
            readsKeys: needs.contains(.apns),
            reportsMissing: reportsMissing && needs.contains(.apns),
            isFileOpen: isFileOpen
        )
        self.needs = needs
        self.checks = checks
        self.path = path
        self.reportsMissing = reportsMissing
        self.isFileOpen = isFileOpen
    }

    /// The configuration. Use it only if neither `problems` nor the values' problems hold an error.
    mutating func assemble() -> Configuration {
        checkOpenFile()
        checkMissing()
        let apns = apns()
        let schedule = schedule()
        return Configuration(
            apns: apns,
            database: database(),
            schedule: schedule,
            checkIn: checkIn(),
            messages: messages(),
            decision: decision(),
            policy: policy(),
            metrics: metrics(),
            heartbeat: heartbeat(),
            logLevel: values.text("log.level").flatMap(Logger.Level.init(rawValue:)) ?? .info
        )
    }

    private mutating func report(
        _ key: String,
        _ what: String,
        _ remedy: String,
        as severity: ConfigurationProblem.Severity = .error
    ) {
        problems.append(ConfigurationProblem(severity, at: values.source(key), key: key, what: what, remedy: remedy))
    }

    /// A secret in a file that everyone can read is no longer secret.
    private mutating func checkOpenFile() {
        guard isFileOpen else { return }
        for key in ConfigurationKey.all where key.isSecret {
            guard case .file(let path, _) = values.source(key.name), let text = values.text(key.name) else { continue }
            // A database URL is a secret only if it holds a password.
            if key.name == "database.url", !Self.holdsPassword(text) { continue }
            // `LaneAssembler` checks the signing keys.
            guard key.name != "apns.privateKey" else { continue }
            report(
                key.name,
                "this file is readable by every user of this machine",
                "move it to the credentials folder (/etc/nudged/credentials); without the service, chmod 600 \(path)",
                as: .warning
            )
        }
    }

    /// The password is between `//` and `@`, or a parameter (libpq, "Connection URIs").
    private static func holdsPassword(_ url: String) -> Bool {
        let rest = url.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first ?? ""
        let user = rest.split(separator: "@", omittingEmptySubsequences: false).dropLast().joined(separator: "@")
        return user.contains(":") || url.contains("password=")
    }

    private mutating func checkMissing() {
        guard reportsMissing else { return }
        for key in ConfigurationKey.all where !key.need.isEmpty && needs.isSuperset(of: key.need) {
            guard values.parsed(key.name) == .none, !values.wrong.contains(key.name) else { continue }
            let place =
                key.isSecret
                ? "set CREDENTIALS_DIRECTORY=/etc/nudged/credentials, where the service has it in a file, "
                    + "or set \(key.environmentName)"
                : "write it in \(path) or set \(key.environmentName)"
            report(key.name, "it is missing", "\(place): \(key.expectation)")
        }
    }

    /// Nil if one of the lanes can't be made.
    private mutating func apns() -> Configuration.APNs? {
        let made = lanes.assemble(&values, apps: apps)
        problems += lanes.problems
        return made.map {
            Configuration.APNs(
                lanes: $0,
                maxInFlight: values.integer("apns.maxInFlight") ?? 1,
                responseTimeout: values.duration("apns.responseTimeout") ?? .seconds(10)
            )
        }
    }

    /// The rows of `config`: the main values, with the apps' values after those of `apns`.
    func rows() -> [ConfigurationRow] {
        let main = values.rows(disclosed: disclosed)
        let end = main.firstIndex { !$0.key.hasPrefix("apns.") } ?? main.count
        return main[..<end] + lanes.apps.flatMap { $0.rows() } + main[end...]
    }
}

// MARK: - The rest
extension ConfigurationAssembler {
    private mutating func checkIn() -> Configuration.CheckIn {
        let checkIn = Configuration.CheckIn(
            title: values.text("checkIn.title") ?? "",
            body: values.text("checkIn.body") ?? ""
        )
        do {
            try checks.text(checkIn.title, checkIn.body)
        } catch {
            report("checkIn.body", "\(error)", "shorten checkIn.title or checkIn.body; nudged never cuts a text")
        }
        return checkIn
    }

    private mutating func messages() -> Configuration.Messages {
        let messages = Configuration.Messages(
            digestAfter: values.integer("messages.digestAfter") ?? 3,
            digestTitle: values.text("messages.digestTitle") ?? "",
            digestBody: values.text("messages.digestBody") ?? ""
        )
        do {
            try checks.text(messages.digestTitle, messages.digestBody)
        } catch {
            report(
                "messages.digestBody",
                "\(error)",
                "shorten messages.digestTitle or messages.digestBody; nudged never cuts a text"
            )
        }
        return messages
    }

    private mutating func database() -> Configuration.Database? {
        guard let url = values.text("database.url") else { return nil }
        let allowInsecure = values.boolean("database.allowInsecure") ?? false
        do {
            disclosed["database.url"] = try checks.database(url, allowInsecure)
        } catch {
            let fault = error as? ConfigurationFault
            report(
                "database.url",
                fault?.what ?? "\(error)",
                fault?.remedy ?? "write \(ConfigurationKey.byName["database.url"]?.expectation ?? "a URI")"
            )
        }
        return Configuration.Database(
            url: Secret(url),
            allowInsecure: allowInsecure,
            statementTimeout: values.duration("database.statementTimeout") ?? .seconds(10)
        )
    }

    private mutating func decision() -> Configuration.Decision? {
        guard let url = values.text("decision.url") else { return nil }
        let token = values.text("decision.token")
        do {
            try checks.service(url, token)
        } catch {
            let fault = error as? ConfigurationFault
            report(
                fault?.key ?? "decision.url",
                fault?.what ?? "\(error)",
                fault?.remedy ?? "write \(ConfigurationKey.byName["decision.url"]?.expectation ?? "an address")"
            )
        }
        let timeout = values.duration("decision.timeout") ?? .seconds(2)
        // A decision must leave time to write the pushes within the lease.
        if let lease = values.duration("schedule.lease"), lease < timeout * 3 {
            let (has, waits) = (DurationText.format(lease), DurationText.format(timeout))
            let isLease = values.source("decision.timeout") == .standard
            report(
                isLease ? "schedule.lease" : "decision.timeout",
                isLease
                    ? "\(has) is less than three times decision.timeout (\(waits))"
                    : "\(waits) is more than a third of schedule.lease (\(has))",
                "make the lease at least \(DurationText.format(timeout * 3)), "
                    + "or the timeout at most \(DurationText.format(lease / 3))"
            )
        }
        return Configuration.Decision(
            url: url,
            token: token.map(Secret.init),
            timeout: timeout,
            concurrency: values.integer("decision.concurrency") ?? 8,
            caFile: values.text("decision.caFile")
        )
    }

    private mutating func metrics() -> Configuration.Metrics {
        let metrics = Configuration.Metrics(
            listen: values.loopback("metrics.listen"),
            file: values.text("metrics.file")
        )
        if let file = metrics.file {
            if !file.hasPrefix("/") {
                report("metrics.file", "it is not an absolute path", "begin it with /")
            } else if !file.hasSuffix(".prom") {
                report("metrics.file", "the textfile collector does not read such a name", "let it end in .prom")
            }
        }
        return metrics
    }

    private mutating func heartbeat() -> Configuration.Heartbeat? {
        guard let url = values.text("heartbeat.url") else { return nil }
        do {
            try checks.heartbeat(url)
        } catch {
            let fault = error as? ConfigurationFault
            report(
                "heartbeat.url",
                fault?.what ?? "\(error)",
                fault?.remedy ?? "write \(ConfigurationKey.byName["heartbeat.url"]?.expectation ?? "an address")"
            )
        }
        return Configuration.Heartbeat(
            url: Secret(url),
            interval: values.duration("heartbeat.interval") ?? .seconds(60),
            caFile: values.text("heartbeat.caFile")
        )
    }

    private mutating func schedule() -> Configuration.Schedule {
        let lease = values.duration("schedule.lease") ?? .seconds(30)
        // A daemon stops writing pushes one response time-out and a margin before its lease ends. A lease of less than
        // two time-outs would leave too little time to write.
        if let timeout = values.duration("apns.responseTimeout"), lease <= timeout * 2,
            values.duration("schedule.lease") != nil
        {
            let (has, waits) = (DurationText.format(lease), DurationText.format(timeout))
            let isLease = values.source("schedule.lease") != .standard
            report(
                isLease ? "schedule.lease" : "apns.responseTimeout",
                isLease
                    ? "\(has) is not more than twice apns.responseTimeout (\(waits))"
                    : "\(waits) is not less than half of schedule.lease (\(has))",
                "make the lease longer than \(DurationText.format(timeout * 2)), "
                    + "or the response timeout shorter than \(DurationText.format(lease / 2))"
            )
        }
        return Configuration.Schedule(
            interval: values.duration("schedule.interval") ?? .seconds(1),
            lease: lease,
            batch: values.integer("schedule.batch") ?? 1
        )
    }

    private mutating func policy() -> Rules {
        let zone = values.text("policy.defaultTimezone")
        if let zone, !checks.zone(zone) {
            report(
                "policy.defaultTimezone",
                "this system knows no zone \(ValueParser.quoted(zone))",
                "write a name from /usr/share/zoneinfo, such as Europe/Berlin"
            )
        }
        do throws(PolicyError) {
            return try Rules(
                defaultTimezone: zone,
                checkInTime: values.wallTime("policy.checkInTime") ?? Rules.defaultCheckInTime,
                spreadMinutes: values.integer("policy.spreadMinutes") ?? 0,
                quietHours: quietHours(),
                quietEndJitterMinutes: values.integer("policy.quietEndJitterMinutes") ?? 0,
                maxStalenessMinutes: values.integer("policy.maxStalenessMinutes") ?? 1,
                maxPerHour: values.integer("policy.maxPerHour").map(Int64.init),
                maxPerDay: values.integer("policy.maxPerDay").map(Int64.init)
            )
        } catch {
            // The key table and the rules have the same ranges (a test compares them). So this error is a bug in
            // nudged.
            report("policy", "\(error)", "see the reference for the rule's range")
            return Rules.defaults
        }
    }

    private mutating func quietHours() -> QuietHours? {
        let (whole, start, end) = (ConfigurationKey.quietHoursName, "policy.quietHours.start", "policy.quietHours.end")
        let ranks = (whole: values.source(whole).rank, start: values.source(start).rank, end: values.source(end).rank)
        if ranks.whole > 0 {
            // `none` overrides weaker sources. A start or an end from a stronger source brings quiet hours back.
            if ranks.whole > max(ranks.start, ranks.end) { return nil }
            if ranks.whole == max(ranks.start, ranks.end) {
                report(whole, "both none and a start or end are given", "keep one of them")
            }
        }
        if (ranks.start == 0) != (ranks.end == 0), values.wrong.isDisjoint(with: [start, end]) {
            let given = ranks.start > 0 ? start : end
            report(
                given,
                "only one of start and end is given",
                "write policy.quietHours.start and policy.quietHours.end, or policy.quietHours: none"
            )
        }
        let standard = Rules.defaultQuietHours
        return QuietHours(start: values.wallTime(start) ?? standard.start, end: values.wallTime(end) ?? standard.end)
    }
}
