import Configuration
import Glibc
import Systemd

/// What `nudged setup` is told: six answers, and what goes with them.
package struct SetUpAnswers: Sendable {
    /// The URL of the role that owns the app's tables.
    package var database = ""
    /// The .p8 file.
    package var keyFile = ""
    /// Empty: it is in the file's name.
    package var keyID = ""
    package var team = ""
    package var bundleID = ""
    /// The text of check-ins. Both empty: it stays as it is.
    package var title = ""
    package var body = ""
    /// A simulated Apple, and the certificate that it trusts. Nil: Apple's own servers.
    package var endpoint: String?
    package var caFile: String?

    package init() {}

    /// Apple names the file AuthKey_KEY1234567.p8.
    package static func keyID(ofFile path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else { return nil }
        return String(name.dropFirst("AuthKey_".count).dropLast(".p8".count))
    }

    // MARK: Apple

    /// What `nudged-apple` writes, for the value `simulated`.
    static let simulated = "/run/nudged-apple"

    /// - Parameters:
    ///   - apple: a URL, or `simulated`. Nil: as the file has it. A new key ends a simulated Apple.
    ///   - known: the values of the file.
    package mutating func chooseApple(
        _ apple: String?,
        trusting authority: String?,
        hasNewKey: Bool,
        _ known: [String: String],
        simulated: String = Self.simulated
    ) throws {
        guard apple != "simulated" else {
            guard let address = try? Credentials.readText("\(simulated)/endpoint", limit: 100) else {
                throw SetUpFailure(
                    unchanged: "no simulated Apple runs: start nudged-apple in another terminal",
                    .unavailable
                )
            }
            (endpoint, caFile) = (address, "\(simulated)/ca.pem")
            keyFile = "\(simulated)/AuthKey_SIMULATED0.p8"
            return
        }
        let isApples = known["apns.endpoint"]?.contains(".push.apple.com") == true
        let isKept = !hasNewKey || isApples
        endpoint = apple ?? (isKept ? known["apns.endpoint"] : nil)
        // The daemon runs in another folder.
        let path = authority.flatMap { realpath($0, nil) }
        defer { free(path) }
        caFile = path.map { String(cString: $0) } ?? authority ?? (endpoint == nil ? nil : known["apns.caFile"])
    }

    // MARK: The configuration

    /// Nil: the file must not have this key.
    var values: [(key: String, value: String?)] {
        [
            ("apns.teamId", team), ("apns.keyId", keyID), ("apns.bundleId", bundleID), ("apns.endpoint", endpoint),
            ("apns.caFile", caFile),
        ]
    }

    /// A new nudged.yaml.
    var file: String {
        var lines = [
            "# Written by nudged setup. All keys: nudged.yaml(5). What you change here stays.",
            "# The two secrets are files beside this one, in credentials/.",
        ]
        var section = ""
        for case (let key, let value?) in values {
            let parts = key.split(separator: ".").map(String.init)
            if parts[0] != section { lines.append("\(parts[0]):") }
            section = parts[0]
            lines.append("  \(parts[1]): \(ConfigurationFile.quoted(value))")
        }
        return lines.joined(separator: "\n")
    }

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
        if keyID.isEmpty {
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
