package import Base
package import Logging
package import Metrics
package import Policy

/// The complete, valid configuration. `ConfigurationLoader` makes it. The defaults are in `ConfigurationKey.all`.
package struct Configuration: Sendable, Equatable {
    /// How pushes reach Apple.
    package struct APNs: Sendable, Equatable {
        /// The main app's lane, then those of `apns.apps` in their order. Never empty; environment and bundle id
        /// together are unique.
        package var lanes: [Lane]
        /// The most pushes in flight over all lanes together, 1 to 100,000.
        package var maxInFlight: Int
        /// How long to wait for an answer.
        package var responseTimeout: Duration
    }

    /// One key, environment and topic. A device's row names the environment and the topic.
    package struct Lane: Sendable, Equatable {
        /// The team's id, 10 characters.
        package var teamID: String
        /// The signing key's id, 10 characters.
        package var keyID: String
        /// The signing key as PEM text. It is overwritten when the configuration is released, after the
        /// key is parsed.
        package var privateKey: Secret
        /// The app's bundle id, which is the topic.
        package var bundleID: String
        package var environment: PushEnvironment
        /// A server in place of Apple's, for tests. Nil: Apple's.
        package var endpoint: Endpoint?
        /// A PEM file to trust in place of the system's certificates.
        package var caFile: String?
        /// The most connections, 1 to 32.
        package var connections: Int
    }

    /// Apple's two push services.
    package enum PushEnvironment: String, Sendable, CaseIterable {
        /// For builds from Xcode.
        case sandbox
        /// For TestFlight and the App Store.
        case production
    }

    package struct Endpoint: Sendable, Equatable, CustomStringConvertible {
        /// A name or a numeric address, without brackets.
        package var host: String
        package var port: UInt16

        /// As it is written in the configuration.
        package var description: String { "https://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
    }

    /// How to reach PostgreSQL.
    package struct Database: Sendable, Equatable {
        /// A libpq URI.
        package var url: Secret
        /// Whether a database on another host may be used without sslmode=verify-full.
        package var allowInsecure: Bool
        /// The longest time that one statement may take.
        package var statementTimeout: Duration
    }

    /// When sweeps begin, and how much they claim.
    package struct Schedule: Sendable, Equatable {
        /// The time from one sweep's start to the next.
        package var interval: Duration
        /// How long a membership, and so the ownership of ranges, lasts without a renewal. More than twice
        /// `apns.responseTimeout`.
        package var lease: Duration
        /// The most users of one claim.
        package var batch: Int
    }

    /// The text of a check-in for which no template fits.
    package struct CheckIn: Sendable, Equatable {
        package var title: String
        package var body: String
    }

    /// The digest of messages that waited for the end of quiet hours.
    package struct Messages: Sendable, Equatable {
        /// If more messages than this waited, they are sent as one push. 1 to 1,000.
        package var digestAfter: Int
        /// The digest's title.
        package var digestTitle: String
        /// The digest's text. `{count}` is replaced by the number of messages.
        package var digestBody: String

        /// The placeholder for the number of messages.
        package static let countPlaceholder = "{count}"

        package init(digestAfter: Int, digestTitle: String, digestBody: String) {
            self.digestAfter = digestAfter
            self.digestTitle = digestTitle
            self.digestBody = digestBody
        }
    }

    /// The decision service, which evaluates each nudge that the rules allow.
    package struct Decision: Sendable, Equatable {
        /// `https://…`, or `http://` to this machine. It holds no secret.
        package var url: String
        /// The bearer token. Nil: none is sent.
        package var token: Secret?
        /// How long to wait for an answer.
        package var timeout: Duration
        /// The most users that are sent to the service at once, 1 to 64.
        package var concurrency: Int
        /// A PEM file to trust in place of the system's certificates.
        package var caFile: String?
    }

    /// Where the metrics are shown (docs/METRICS.md).
    package struct Metrics: Sendable, Equatable {
        /// A loopback address. Nil: no server runs.
        package var listen: LoopbackAddress?
        /// A file for node_exporter's textfile collector. Nil: none is written.
        package var file: String?

        package init(listen: LoopbackAddress? = nil, file: String? = nil) {
            self.listen = listen
            self.file = file
        }
    }

    /// The address that is called after good sweeps.
    package struct Heartbeat: Sendable, Equatable {
        /// `https://…`, or `http://` to this machine. Its path is a secret.
        package var url: Secret
        /// The shortest time between two calls.
        package var interval: Duration
        /// A PEM file to trust in place of the system's certificates.
        package var caFile: String?
    }

    /// Nil only if the command does not need it and it is not configured.
    package var apns: APNs?
    /// Nil only if the command does not need it and it is not configured.
    package var database: Database?
    package var schedule: Schedule
    package var checkIn: CheckIn
    package var messages: Messages
    /// Nil: no service is configured.
    package var decision: Decision?
    /// The operator's rules for users whose preferences say nothing else.
    package var policy: Rules
    package var metrics: Metrics
    /// Nil: no address is called.
    package var heartbeat: Heartbeat?
    /// The least severe level that is logged.
    package var logLevel: Logger.Level
}
