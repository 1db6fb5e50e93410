public import Logging
public import Metrics
public import Policy

/// The whole configuration, valid. Made by `ConfigurationLoader`; every default stands in `ConfigurationKey.all`.
public struct Configuration: Sendable, Equatable {
    /// How pushes reach Apple.
    public struct APNs: Sendable, Equatable {
        /// The main app's lane first, then those of `apns.apps` in their order. Never empty; no two have the same environment and bundle id.
        public var lanes: [Lane]
        /// The most pushes in flight, of all lanes together, 1 to 100,000.
        public var maxInFlight: Int
        /// The time that an answer may take.
        public var responseTimeout: Duration
    }

    /// One way to Apple: a key, an environment and a topic. A device's row names the last two.
    public struct Lane: Sendable, Equatable {
        /// The team's id, 10 characters.
        public var teamID: String
        /// The key's id, 10 characters.
        public var keyID: String
        /// The signing key as PEM text.
        public var privateKey: Secret
        /// The topic.
        public var bundleID: String
        /// Which service.
        public var environment: PushEnvironment
        /// Another server in place of Apple's.
        public var endpoint: Endpoint?
        /// A PEM file to trust in place of the system's store.
        public var caFile: String?
        /// The most connections, 1 to 32.
        public var connections: Int
    }

    /// Apple's two services.
    public enum PushEnvironment: String, Sendable, CaseIterable {
        /// For builds from Xcode.
        case sandbox
        /// For TestFlight and the App Store.
        case production
    }

    /// Host and port of a server.
    public struct Endpoint: Sendable, Equatable, CustomStringConvertible {
        /// A name or numeric address, without brackets.
        public var host: String
        /// The TCP port.
        public var port: UInt16

        /// As it is written in the configuration.
        public var description: String { "https://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
    }

    /// How PostgreSQL is reached.
    public struct Database: Sendable, Equatable {
        /// A libpq URI.
        public var url: Secret
        /// Whether another host without verify-full is allowed.
        public var allowInsecure: Bool
        /// The most that one statement may take.
        public var statementTimeout: Duration
    }

    /// When and how much is swept.
    public struct Schedule: Sendable, Equatable {
        /// From tick to tick.
        public var interval: Duration
        /// How long claimed users are ours; more than twice the push service's response time-out.
        public var lease: Duration
        /// Users a claim.
        public var batch: Int
    }

    /// What is kept of what was sent.
    public struct Record: Sendable, Equatable {
        /// Days after which a day of the record is dropped, 1 to 3,650.
        public var keepDays: Int
    }

    /// The words of a check-in.
    public struct CheckIn: Sendable, Equatable {
        /// Its title.
        public var title: String
        /// Its text.
        public var body: String
    }

    /// How messages are put.
    public struct Messages: Sendable, Equatable {
        /// More messages of one user than these that waited for the end of quiet hours go out as one push: 1 to 1,000.
        public var digestAfter: Int
        /// That push's title.
        public var digestTitle: String
        /// That push's text; `{count}` stands for how many they are.
        public var digestBody: String

        /// How many they are, in the text.
        public static let countPlaceholder = "{count}"
    }

    /// The service that is asked of each nudge that the rules allow.
    public struct Decision: Sendable, Equatable {
        /// `https://…`, or `http://` to this machine; without secrets.
        public var url: String
        /// The bearer token; nil: none is sent.
        public var token: Secret?
        /// How long its answer is awaited.
        public var timeout: Duration
        /// Users that are asked of at a time, 1 to 64.
        public var concurrency: Int
        /// A PEM file to trust in place of the system's store.
        public var caFile: String?
    }

    /// Where the metrics are shown (docs/METRICS.md).
    public struct Metrics: Sendable, Equatable {
        /// An address of this machine; nil: nobody can ask for them.
        public var listen: LoopbackAddress?
        /// A file for node_exporter's textfile collector; nil: none is written.
        public var file: String?
    }

    /// The address that is called after good sweeps.
    public struct Heartbeat: Sendable, Equatable {
        /// `https://…`, or `http://` to this machine; its path is a secret.
        public var url: Secret
        /// At least so long from call to call.
        public var interval: Duration
        /// A PEM file to trust in place of the system's store.
        public var caFile: String?
    }

    /// Nil only where the command doesn't need it and it isn't configured.
    public var apns: APNs?
    /// Nil only where the command doesn't need it and it isn't configured.
    public var database: Database?
    /// When and how much is swept.
    public var schedule: Schedule
    /// What is kept of what was sent.
    public var record: Record
    /// The words of a check-in.
    public var checkIn: CheckIn
    /// How messages are put.
    public var messages: Messages
    /// Nil: no service is asked.
    public var decision: Decision?
    /// The operator's rules.
    public var policy: Rules
    /// Where the metrics are shown.
    public var metrics: Metrics
    /// Nil: no address is called.
    public var heartbeat: Heartbeat?
    /// What is logged at least.
    public var logLevel: Logger.Level
}
