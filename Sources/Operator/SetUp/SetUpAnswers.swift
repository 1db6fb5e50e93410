import Configuration

/// What `nudged setup` is told: six answers, and what goes with them.
package struct SetUpAnswers: Sendable {
    /// The URL of the role that owns the app's tables.
    package var database: String
    /// The .p8 file.
    package var keyFile: String
    /// Nil: it is in the file's name.
    package var keyID: String?
    package var team: String
    package var bundleID: String
    package var title: String
    package var body: String
    /// A simulated Apple, and the certificate that it trusts. Nil: Apple's own servers.
    package var endpoint: String?
    package var caFile: String?

    package init(
        database: String,
        keyFile: String,
        keyID: String? = nil,
        team: String,
        bundleID: String,
        title: String,
        body: String,
        endpoint: String? = nil,
        caFile: String? = nil
    ) {
        self.database = database
        self.keyFile = keyFile
        self.keyID = keyID ?? Self.keyID(ofFile: keyFile)
        self.team = team
        self.bundleID = bundleID
        self.title = title
        self.body = body
        self.endpoint = endpoint
        self.caFile = caFile
    }

    /// Apple names the file AuthKey_KEY1234567.p8.
    package static func keyID(ofFile path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else { return nil }
        return String(name.dropFirst("AuthKey_".count).dropLast(".p8".count))
    }

    // MARK: The configuration

    var values: [(key: String, value: String)] {
        var values = [
            ("apns.teamId", team), ("apns.keyId", keyID ?? ""), ("apns.bundleId", bundleID), ("checkIn.title", title),
            ("checkIn.body", body),
        ]
        if let endpoint { values.append(("apns.endpoint", endpoint)) }
        if let caFile { values.append(("apns.caFile", caFile)) }
        return values
    }

    /// A new nudged.yaml.
    var file: String {
        let quoted = ConfigurationFile.quoted
        var lines = [
            "# Written by nudged setup. All keys: nudged.yaml(5). What you change here stays.",
            "# The two secrets are files beside this one, in credentials/.",
            "apns:", "  teamId: \(quoted(team))", "  keyId: \(quoted(keyID ?? ""))",
            "  bundleId: \(quoted(bundleID))",
        ]
        if let endpoint {
            lines.append("  endpoint: \(quoted(endpoint))")
            if let caFile { lines.append("  caFile: \(quoted(caFile))") }
        }
        return (lines + ["checkIn:", "  title: \(quoted(title))", "  body: \(quoted(body))"]).joined(separator: "\n")
            + "\n"
    }

    /// Keys that the file must not have with these answers.
    var unwanted: [String] { endpoint == nil ? ["apns.endpoint"] : [] }

    // MARK: The daemon

    static let role = "nudged_daemon"

    /// Supabase's pooler names a role and its project: postgres.abcdefgh.
    func daemon(beside owner: String) -> String {
        isSupabasePooler ? Self.role + (owner.firstIndex(of: ".").map { String(owner[$0...]) } ?? "") : Self.role
    }

    /// Host and port of the URL, in small letters. Nothing of what stands before it.
    private var place: String {
        let rest = database.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
        return (rest.split(separator: "@", omittingEmptySubsequences: false).last ?? "").lowercased()
    }

    private var host: String { String(place.prefix { $0 != ":" }) }
    private var isSupabasePooler: Bool { host.hasSuffix(".pooler.supabase.com") }

    /// What is wrong with the answers, and what to do. Nothing of the URL is shown but its host.
    var faults: [Finding] {
        var faults: [Finding] = []
        if keyID?.isEmpty != false {
            let what = "the key's id is unknown: \(keyFile) is not named AuthKey_….p8"
            faults.append(.error(what, fix: "give --key-id; Apple's page of the key shows it"))
        }
        for (name, text) in [("title", title), ("body", body)] {
            let isBroken = text.unicodeScalars.contains {
                $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
            }
            if isBroken { faults.append(.error("the \(name) has a control character", fix: "leave it out")) }
        }
        guard isSupabasePooler || host.hasSuffix(".supabase.co") else { return faults }
        if !database.contains("sslrootcert=") {
            let save =
                "download the certificate (dashboard: Database Settings, SSL Configuration), then "
                + "install -m 644 prod-ca-2021.crt /etc/nudged/supabase.crt"
            let end = "end the URL with ?sslmode=verify-full&sslrootcert=/etc/nudged/supabase.crt"
            faults.append(.error("Supabase signs with a certificate of its own", fix: "\(save), and \(end)"))
        }
        if place.hasSuffix(":6543") {
            let fix = "use port 5432, or the direct host db.PROJECT.supabase.co if this machine has IPv6"
            faults.append(.error("port 6543 is Supabase's pooler in transaction mode", fix: fix))
        }
        return faults
    }
}
