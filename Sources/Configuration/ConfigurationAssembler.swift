import Base

/// Finds missing keys, checks rules between keys, and calls other modules' checks. `assembleLanes` does so for apps.
struct ConfigurationAssembler {
    var values: EffectiveValues
    let file: FileValues
    let outside: OutsideValues
    let needs: ConfigurationNeeds
    let checks: ConfigurationChecks
    /// What `config` shows of secrets, by key.
    var disclosed: [String: String] = [:]
    var apps: [EffectiveValues] = []
    /// By key id: the values that gave the key first. The key is nil if it can't be used: the error is reported once.
    var brought: [String: (values: EffectiveValues, key: Secret?)] = [:]
    /// By environment and bundle id: the shown name of the app that has them.
    var taken: [[String]: String] = [:]

    var problems: [ConfigurationProblem] { values.problems + apps.flatMap(\.problems) }

    var rows: [ConfigurationRow] {
        let main = values.rows(disclosed: disclosed)
        let end = main.firstIndex { !$0.key.hasPrefix("apns.") } ?? main.count
        return main[..<end] + apps.flatMap { $0.rows() } + main[end...]
    }

    /// The configuration. Use it only if `problems` holds no error.
    mutating func assemble() -> Configuration {
        checkOpenFile()
        checkMissing()
        let lanes = assembleLanes()
        let (draft, checks) = (values.draft, self.checks)
        let (lease, timeout, asking) = (draft.schedule.lease, draft.apns.responseTimeout, draft.decision.timeout)
        // A daemon stops writing one time-out and a margin before its lease ends, so a lease of two time-outs or less
        // leaves no time to write.
        if values.has("schedule.lease", "apns.responseTimeout"), lease <= timeout * 2 {
            let what = "\(lease.text) is not more than twice apns.responseTimeout (\(timeout.text))"
            values.report("schedule.lease", what, "make it longer than \((timeout * 2).text)")
        }
        var shown: String?
        check("database.url") { shown = try checks.database(draft.database.url.text, draft.database.allowInsecure) }
        disclosed["database.url"] = shown
        let shorter = "shorten messages.digestTitle or messages.digestBody; nudged never cuts a text"
        check("messages.digestBody", shorter) { try checks.text(draft.messages.digestTitle, draft.messages.digestBody) }
        check("decision.url") { try checks.service(draft.decision.url, draft.decision.token?.text) }
        // A decision must leave time to write the pushes within the lease.
        if values.has("decision.url", "schedule.lease"), lease < asking * 3 {
            let what = "\(asking.text) is more than a third of a daemon's lease (\(lease.text))"
            values.report("decision.timeout", what, "make it at most \((lease / 3).text)")
        }
        if let zone = draft.policy.defaultTimezone, !checks.zone(zone) {
            let remedy = "write a name from /usr/share/zoneinfo, such as Europe/Berlin"
            values.report("policy.defaultTimezone", "this system knows no zone \(ValueKind.quoted(zone))", remedy)
        }
        check("heartbeat.url") { try checks.heartbeat(draft.heartbeat.url.text) }
        checkMetrics()
        var apns = draft.apns
        apns.lanes = lanes ?? []
        return Configuration(
            apns: lanes == nil ? nil : apns,
            database: values.has("database.url") ? draft.database : nil,
            schedule: draft.schedule,
            messages: draft.messages,
            decision: values.has("decision.url") ? draft.decision : nil,
            policy: draft.policy,
            metrics: draft.metrics.listen.map { .init(listen: $0, token: draft.metrics.token) },
            heartbeat: values.has("heartbeat.url") ? draft.heartbeat : nil,
            logLevel: draft.logLevel
        )
    }

    private mutating func checkOpenFile() {
        guard file.isOpen else { return }
        for key in ConfigurationKey.listed where key.isSecret {
            guard case .file = values.source(key.name), let text = values.text(key.name) else { continue }
            // A database URL is a secret only if it holds a password.
            if key.name == "database.url", !Self.holdsPassword(text) { continue }
            if key.name == "metrics.token", text == ValueKind.openToken { continue }
            let move = "move it to the credentials folder (/etc/nudged/credentials)"
            let remedy = "\(move); without the service, chmod 600 \(file.path)"
            values.report(key.name, "this file is readable by every user of this machine", remedy, as: .warning)
        }
    }

    /// The password is between `//` and `@`, or a parameter (libpq, "Connection URIs").
    private static func holdsPassword(_ url: String) -> Bool {
        let rest = url.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first ?? ""
        let user = rest.split(separator: "@", omittingEmptySubsequences: false).dropLast().joined(separator: "@")
        return user.contains(":") || url.contains("password=")
    }

    static let folder = "set CREDENTIALS_DIRECTORY=/etc/nudged/credentials, where the service has it in a file"

    private mutating func checkMissing() {
        guard file.isRead else { return }
        for key in ConfigurationKey.all where !key.need.isEmpty && needs.isSuperset(of: key.need) {
            guard !values.isGiven(key.name) else { continue }
            let place = key.isSecret ? "\(Self.folder)," : "write it in \(file.path)"
            let remedy = "\(place) or set \(key.environmentName): \(key.values.expectation)"
            values.report(key.name, "it is missing", remedy)
        }
    }

    /// Calls another module's check. Its error says what is wrong, and usually the key and the remedy.
    private mutating func check(_ name: String, _ remedy: String? = nil, _ body: () throws -> Void) {
        guard values.has(name) else { return }
        do {
            try body()
        } catch {
            let fault = error as? ConfigurationFault
            let form = "write \(ConfigurationKey.byName[name]?.values.expectation ?? "another value")"
            values.report(fault?.key ?? name, fault?.what ?? "\(error)", fault?.remedy ?? remedy ?? form)
        }
    }

    /// Other machines read the metrics only with a token, or if the operator allows all. Commands may have no token.
    private mutating func checkMetrics() {
        if values.text("metrics.token") == ValueKind.openToken { disclosed["metrics.token"] = ValueKind.openToken }
        guard needs == .all, let address = values.draft.metrics.listen, !address.isLoopback,
            !values.isGiven("metrics.token")
        else { return }
        let write = "write a token (openssl rand -hex 24) to /etc/nudged/credentials/metrics.token"
        let load = "load it with a drop-in (docs/OPERATIONS.md, Secrets), or set METRICS_TOKEN"
        let open = "set metrics.token: open, if everyone who can reach the address may read the metrics"
        let what = "other machines can reach \(address), and metrics.token is missing"
        values.report("metrics.listen", what, "\(write) and \(load); or \(open)")
    }
}
