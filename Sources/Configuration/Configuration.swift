package import Logging
package import Metrics
package import Policy

/// The whole configuration, valid. Made by `ConfigurationLoader`; every default stands in `ConfigurationKey.all`.
package struct Configuration: Sendable, Equatable {
    /// How pushes reach Apple.
    package struct APNs: Sendable, Equatable {
        /// The main app's lane first, then those of `apns.apps` in their order. Never empty; no two have the same environment and bundle id.
        package var lanes: [Lane]
        /// The most pushes in flight, of all lanes together, 1 to 100,000.
        package var maxInFlight: Int
        /// The time that an answer may take.
        package var responseTimeout: Duration
    }

    /// One way to Apple: a key, an environment and a topic. A device's row names the last two.
    package struct Lane: Sendable, Equatable {
        /// The team's id, 10 characters.
        package var teamID: String
        /// The key's id, 10 characters.
        package var keyID: String
        /// The signing key as PEM text.
        package var privateKey: Secret
        /// The topic.
        package var bundleID: String
        /// Which service.
        package var environment: PushEnvironment
        /// Another server in place of Apple's.
        package var endpoint: Endpoint?
        /// A PEM file to trust in place of the system's store.
        package var caFile: String?
        /// The most connections, 1 to 32.
        package var connections: Int
    }

    /// Apple's two services.
    package enum PushEnvironment: String, Sendable, CaseIterable {
        /// For builds from Xcode.
        case sandbox
        /// For TestFlight and the App Store.
        case production
    }

    /// Host and port of a server.
    package struct Endpoint: Sendable, Equatable, CustomStringConvertible {
        /// A name or numeric address, without brackets.
        package var host: String
        /// The TCP port.
        package var port: UInt16

        /// As it is written in the configuration.
        package var description: String { "https://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
    }

    /// How PostgreSQL is reached.
    package struct Database: Sendable, Equatable {
        /// A libpq URI.
        package var url: Secret
        /// Whether another host without verify-full is allowed.
        package var allowInsecure: Bool
        /// The most that one statement may take.
        package var statementTimeout: Duration
    }

    /// When and how much is swept.
    package struct Schedule: Sendable, Equatable {
        /// From tick to tick.
        package var interval: Duration
        /// How long claimed users are ours; more than twice the push service's response time-out.
        package var lease: Duration
        /// Users a claim.
        package var batch: Int
    }

    /// What is kept of what was sent.
    package struct Record: Sendable, Equatable {
        /// Days after which a day of the record is dropped, 1 to 3,650.
        package var keepDays: Int
    }

    /// The words of a check-in.
    package struct CheckIn: Sendable, Equatable {
        /// Its title.
        package var title: String
        /// Its text.
        package var body: String
    }

    /// How messages are put.
    package struct Messages: Sendable, Equatable {
        /// More messages of one user than these that waited for the end of quiet hours go out as one push: 1 to 1,000.
        package var digestAfter: Int
        /// That push's title.
        package var digestTitle: String
        /// That push's text; `{count}` stands for how many they are.
        package var digestBody: String

        /// How many they are, in the text.
        package static let countPlaceholder = "{count}"

        package init(digestAfter: Int, digestTitle: String, digestBody: String) {
            self.digestAfter = digestAfter
            self.digestTitle = digestTitle
            self.digestBody = digestBody
        }
    }

    /// The service that is asked of each nudge that the rules allow.
    package struct Decision: Sendable, Equatable {
        /// `https://…`, or `http://` to this machine; without secrets.
        package var url: String
        /// The bearer token; nil: none is sent.
        package var token: Secret?
        /// How long its answer is awaited.
        package var timeout: Duration
        /// Users that are asked of at a time, 1 to 64.
        package var concurrency: Int
        /// A PEM file to trust in place of the system's store.
        package var caFile: String?
    }

    /// Where the metrics are shown (docs/METRICS.md).
    package struct Metrics: Sendable, Equatable {
        /// An address of this machine; nil: nobody can ask for them.
        package var listen: LoopbackAddress?
        /// A file for node_exporter's textfile collector; nil: none is written.
        package var file: String?

        package init(listen: LoopbackAddress? = nil, file: String? = nil) {
            self.listen = listen
            self.file = file
        }
    }

    /// The address that is called after good sweeps.
    package struct Heartbeat: Sendable, Equatable {
        /// `https://…`, or `http://` to this machine; its path is a secret.
        package var url: Secret
        /// At least so long from call to call.
        package var interval: Duration
        /// A PEM file to trust in place of the system's store.
        package var caFile: String?
    }

    /// Nil only where the command doesn't need it and it isn't configured.
    package var apns: APNs?
    /// Nil only where the command doesn't need it and it isn't configured.
    package var database: Database?
    /// When and how much is swept.
    package var schedule: Schedule
    /// What is kept of what was sent.
    package var record: Record
    /// The words of a check-in.
    package var checkIn: CheckIn
    /// How messages are put.
    package var messages: Messages
    /// Nil: no service is asked.
    package var decision: Decision?
    /// The operator's rules.
    package var policy: Rules
    /// Where the metrics are shown.
    package var metrics: Metrics
    /// Nil: no address is called.
    package var heartbeat: Heartbeat?
    /// What is logged at least.
    package var logLevel: Logger.Level
}
