import Base
package import Configuration
import APNs
import Glibc
import HTTP2
import HTTPClient
import Metrics
import Postgres
package import Service
import Systemd

/// The addresses that the daemon needs for a configuration, as a drop-in of systemd for its unit.
package struct UnitAddresses: Sendable {
    struct Peer: Sendable, Hashable {
        let purpose: String
        let host: String
    }

    /// Apple's networks (Apple, "Use Apple products on enterprise networks").
    static let apples = [
        "17.0.0.0/8", "2403:300:a42::/48", "2403:300:a51::/48", "2620:149:a44::/48", "2a01:b740:a42::/48",
    ]

    private let file: String?
    private let usesApple: Bool
    let peers: [Peer]
    private let metrics: ListenAddress?

    package init(_ loaded: LoadedConfiguration) throws {
        let configuration = loaded.configuration
        guard let apns = configuration.apns, let database = configuration.database else {
            throw ConfigurationFault(key: "apns", what: "is missing", remedy: "run nudged check-config")
        }
        // Nil: Apple's, as the lane's environment says.
        let servers = apns.lanes.map(\.endpoint)
        let connection = try Assembly.connection(database.url.text, allowInsecure: database.allowInsecure)
        let databases = connection.targets.map { Peer(purpose: "the database", host: $0) }
        let others = servers.compactMap(\.self).filter { !$0.isApples }
            .map { Peer(purpose: "the server of apns.endpoint", host: $0.host) }
        let decision = try configuration.decision.map { try HTTPURL($0.url).host }
        let heartbeat = try configuration.heartbeat.map { try HTTPURL($0.url.text).host }
        let services = [("the decision service", decision), ("the heartbeat's service", heartbeat)]
            .compactMap { purpose, host in host.map { Peer(purpose: purpose, host: $0) } }
        (file, metrics) = (loaded.path, configuration.metrics?.listen)
        usesApple = servers.contains { $0?.isApples ?? true }
        peers = (databases + others + services).distinct
    }

    package func dropIn(
        nameServers: [String] = UnitAddresses.nameServers(),
        resolve: (String) -> [String] = UnitAddresses.addresses(of:)
    ) throws(CommandFailure) -> String {
        var lines = [
            "# /etc/systemd/system/nudged.service.d/addresses.conf: the addresses that the daemon may reach.",
            "# nudged config --addresses wrote it from \(file.map(\.printable) ?? "the environment").",
            "#",
            "# The addresses of a name may change. Connections to addresses that are not below time out. Then, and",
            "# after a change of the configuration, write this file again:",
            "#   nudged config --addresses >/etc/systemd/system/nudged.service.d/addresses.conf",
            "#   systemctl daemon-reload && systemctl restart nudged",
            "[Service]", "IPAddressDeny=any", "# This machine.", "IPAddressAllow=localhost",
        ]
        if usesApple { lines += ["# Apple's push service.", "IPAddressAllow=\(Self.apples.joined(separator: " "))"] }
        for peer in peers {
            let addresses = resolve(peer.host)
            // The drop-in would cut it off.
            guard !addresses.isEmpty else {
                let fix = "correct the name or the name servers, and run it again"
                throw CommandFailure("\(peer.purpose), \(peer.host), has no address: \(fix)", .unavailable)
            }
            lines += Self.allow(addresses, for: "\(peer.purpose): \(peer.host)")
        }
        lines += Self.allow(nameServers, for: "the name servers in /etc/resolv.conf")
        if let metrics {
            lines += ["# metrics.listen.", "SocketBindAllow=tcp:\(metrics.port)"]
            if !metrics.isLoopback { lines.append("# Allow Prometheus' address in another drop-in (IPAddressAllow=).") }
        }
        return lines.joined(separator: "\n")
    }

    private static func allow(_ addresses: [String], for purpose: String) -> [String] {
        let others = addresses.filter { !$0.hasPrefix("127.") && $0 != "::1" }
        guard !others.isEmpty else { return [] }
        let comment = "# \(purpose.prefix(1).uppercased())\(purpose.dropFirst())."
        return [comment, "IPAddressAllow=\(others.joined(separator: " "))"]
    }

    /// The addresses of a name, or the address itself. Empty if there is none. Blocks on the resolver.
    package static func addresses(of host: String) -> [String] {
        var found: [String] = []
        for address in (try? SocketAddress.resolve(host, port: 0, isNumeric: false)) ?? [] {
            var text = [CChar](repeating: 0, count: 128)
            let fault = address.withAddress { getnameinfo($0, $1, &text, socklen_t(128), nil, 0, NI_NUMERICHOST) }
            let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            let name = withoutZone(String(decoding: bytes, as: UTF8.self))
            if fault == 0, !found.contains(name) { found.append(name) }
        }
        return found
    }

    package static func nameServers(in path: String = "/etc/resolv.conf") -> [String] {
        ((try? Credentials.readText(path, limit: 1 << 16)) ?? "").split(separator: "\n").compactMap { line in
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count > 1, words[0] == "nameserver" else { return nil }
            let address = withoutZone(String(words[1]))
            var bytes = in6_addr()
            return [AF_INET, AF_INET6].contains { inet_pton($0, address, &bytes) == 1 } ? address : nil
        }
    }

    /// `fe80::1%eth0` names an interface, which systemd does not take here.
    private static func withoutZone(_ address: String) -> String { String(address.prefix { $0 != "%" }) }
}
