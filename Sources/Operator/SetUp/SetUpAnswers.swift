import Configuration
import Glibc
import HTTP2
import Postgres
import Service
import Systemd

/// What `nudged setup` is told: six answers, and what goes with them.
package struct SetUpAnswers: Sendable {
    package var database = ""
    package var keyFile = ""
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

    var writesText: Bool { title + body != "" }

    /// Apple names the file AuthKey_KEY1234567.p8.
    package static func keyID(ofFile path: String) -> String? {
        (path.split(separator: "/").last ?? "").wholeMatch(of: /AuthKey_(.*)\.p8/).map { String($0.1) }
    }

    /// - Parameter apple: `simulated`, or the folder of nudged-apple. Nil: as the file has it, unless a new key comes.
    package mutating func chooseApple(_ apple: String?, hasNewKey: Bool, _ known: [String: String]) throws {
        let present = known["apns.endpoint"]
        let isReal = present?.contains(".push.apple.com") ?? (known["apns.keyId"] != nil)
        guard let apple else {
            if isReal || !hasNewKey { (endpoint, caFile) = (present, known["apns.caFile"]) }
            return
        }
        guard !isReal else {
            let why = "this configuration is for Apple's own servers: a simulated Apple would take its users' pushes"
            let fix = "give --config FILE and another database, or run setup --undo first"
            throw CommandFailure(unchanged: "\(why); \(fix)")
        }
        let folder = apple == "simulated" ? "/run/nudged-apple" : SetUpFiles.resolved(apple)
        guard let address = try? Credentials.readText("\(folder)/endpoint", limit: 100), Self.isServed(address) else {
            let why = "no simulated Apple runs: start nudged-apple in another terminal"
            throw CommandFailure(unchanged: why, .unavailable)
        }
        (endpoint, caFile, keyFile) = (address, "\(folder)/ca.pem", "\(folder)/AuthKey_SIMULATED0.p8")
    }

    /// Whether something listens there. A simulated Apple that was killed leaves its file.
    private static func isServed(_ address: String) -> Bool {
        let port = address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        let place = try? SocketAddress.resolve("127.0.0.1", port: port, isNumeric: true).first
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(file) }
        return place?.withAddress { connect(file, $0, $1) } == 0
    }

    /// Nil: the file must not have this key.
    var values: [ConfigurationFile.Change] {
        [
            ("apns.teamId", team), ("apns.keyId", keyID), ("apns.bundleId", bundleID), ("apns.endpoint", endpoint),
            ("apns.caFile", caFile),
        ]
    }

    var file: String {
        let head = [
            "# Written by nudged setup. All keys: nudged.yaml(5). What you change here stays.",
            "# The two secrets are files beside this one, in credentials/.", "apns:",
        ]
        let lines = values.compactMap { key, value in
            value.map { "  \(key.dropFirst("apns.".count)): \(ConfigurationFile.quoted($0))" }
        }
        return (head + lines).joined(separator: "\n")
    }

    static let role = "nudged_daemon"

    /// Supabase's pooler names a role and its project: postgres.abcdefgh.
    static func daemon(beside owner: ConnectionConfiguration) -> String {
        let isPooler = owner.hosts.contains { $0.name.lowercased().contains(".pooler.supabase.com:") }
        return role + (isPooler ? owner.user.drop { $0 != "." } : "")
    }

    /// What is wrong with the answers, and what to do. Nothing of the URL is shown but its host.
    func faults(_ owner: ConnectionConfiguration) -> [Finding] {
        var faults: [Finding] = []
        for (name, text) in [("title", title), ("body", body)] {
            let isBroken = text.unicodeScalars.contains {
                $0.properties.generalCategory == .control && !"\n\t".contains(Character($0))
            }
            if isBroken { faults.append(.error("the \(name) has a control character").fix("leave it out")) }
        }
        let hosts = owner.hosts.map { $0.name.lowercased() }
        guard hosts.contains(where: { $0.contains(/\.(supabase\.co|pooler\.supabase\.com):/) }) else { return faults }
        if !database.contains("sslrootcert=") {
            let save = "download the certificate (dashboard: Database Settings, SSL Configuration)"
            let end = "end the URL with ?sslmode=verify-full&sslrootcert=/etc/nudged/supabase.crt"
            let fix = "\(save), then install -m 644 prod-ca-2021.crt /etc/nudged/supabase.crt, and \(end)"
            faults.append(.error("Supabase signs with a certificate of its own").fix(fix))
        }
        if hosts.contains(where: { $0.hasSuffix(":6543") }) {
            let fix = "use port 5432, or the direct host db.PROJECT.supabase.co if this machine has IPv6"
            faults.append(.error("port 6543 is Supabase's pooler in transaction mode").fix(fix))
        }
        return faults
    }
}
