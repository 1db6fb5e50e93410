#if !hasFeature(Embedded)
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif
    import JSON

    /// Calls functions of the database as the signed-in user, such as through PostgREST. The app conforms its own
    /// client to it; Examples/NudgedSample does so for supabase-swift.
    public protocol NudgedServer: Sendable {
        /// Calls `schema.function` with named parameters.
        ///
        /// - Returns: the answer as JSON. Empty if the function answers nothing.
        /// - Throws: the client's error.
        func rpc(schema: String, function: String, parameters: EncodableJSON) async throws -> String
    }

    /// What a call that changes something did.
    public struct CallResult: Codable, Sendable, Hashable {
        /// The message or reminder that was made or changed. Nil: the call is about no single nudge.
        public let id: NudgeID?
        /// How many were done in time. 0: nothing changed.
        public let done: Int
        /// How many were too late: their push is on its way, or was tried.
        public let tooLate: Int
        /// What may be unexpected.
        public let warnings: [Warning]

        private enum CodingKeys: String, CodingKey {
            case id, done
            case tooLate = "too_late"
            case warnings
        }
    }

    /// What may be unexpected after a call: `no_device: the user has no device now`.
    public struct Warning: RawRepresentable, Codable, Sendable, Hashable {
        /// Code and text, as the server gives it.
        public let rawValue: String

        /// Any text is taken.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A key for translations, such as `no_device`. docs/SQL.md lists all; a later server may have others. Empty:
        /// the server gave none.
        public var code: String {
            let code = rawValue.prefix { $0 != ":" }
            return code.utf8.count < rawValue.utf8.count && code.allSatisfy { $0.isLowercase || $0 == "_" }
                ? String(code) : ""
        }

        /// The warning in English.
        public var text: String {
            code.isEmpty ? rawValue : String(rawValue.dropFirst(code.count + 1).drop { $0 == " " })
        }
    }

    /// The calls for a signed-in user (docs/SQL.md).
    extension NudgedServer {
        /// Stores or renews this device of the signed-in user, and takes it from any other user.
        @discardableResult
        public func registerDevice(_ registration: DeviceRegistration) async throws -> CallResult {
            try await read("register_device", registration.parameters)
        }

        /// Removes a device of the signed-in user. Call this before the user signs out.
        @discardableResult
        public func unregisterDevice(_ token: DeviceToken) async throws -> CallResult {
            try await read("unregister_device", ["token": .string(token.hexadecimal)])
        }

        /// Sends a test push to the signed-in user's devices, all of the sandbox.
        ///
        /// - Parameters:
        ///   - title: the title. If `body` is nil too: nudged's text.
        ///   - body: the text. If `title` is nil too: nudged's text.
        @discardableResult
        public func sendTest(title: String? = nil, body: String? = nil) async throws -> CallResult {
            try await read("send_test", ["title": title.map { .string($0) }, "body": body.map { .string($0) }])
        }

        /// Says that the user is active in the app now. Call it whenever the app comes to the foreground.
        @discardableResult
        public func seen() async throws -> CallResult { try await read("seen", [:]) }

        /// Says that the user has opened a nudge.
        ///
        /// - Parameter nudge: the payload's `nudgeID`.
        /// - Returns: `done` is 1 if it is noted, for the first time.
        @discardableResult
        public func opened(_ nudge: NudgeID) async throws -> CallResult {
            try await read("opened", ["id": .string(nudge.rawValue)])
        }

        /// Says whether the user found a nudge helpful. The last word counts.
        ///
        /// - Parameter nudge: the payload's `nudgeID`.
        @discardableResult
        public func feedback(_ nudge: NudgeID, isHelpful: Bool) async throws -> CallResult {
            try await read("feedback", ["id": .string(nudge.rawValue), "helpful": .bool(isHelpful)])
        }

        /// The signed-in user's preferences, for `PreferencesDraft`.
        ///
        /// - Returns: JSON. Nil if the user never chose.
        public func preferences() async throws -> String? {
            switch try await call("preferences", [:]) {
            case .null: return nil
            case let value: return EncodableJSON(value).text
            }
        }

        /// Writes the signed-in user's preferences. The server refuses what the daemon would.
        ///
        /// - Parameter preferences: what `PreferencesDraft.encoded(over:)` gives.
        /// - Throws: also if it is no JSON.
        @discardableResult
        public func setPreferences(_ preferences: String) async throws -> CallResult {
            guard let json = EncodableJSON(parsing: preferences) else { throw NoJSONError() }
            return try await read("set_preferences", ["preferences": json.value])
        }

        /// Deletes the signed-in user's preferences, as if they had never chosen.
        @discardableResult
        public func clearPreferences() async throws -> CallResult {
            try await read("set_preferences", ["preferences": .null])
        }

        /// Whether the decision service is in use, for the app's settings.
        public func decisionStatus() async throws -> ServiceStatus {
            try await read("status", [:])
        }

        /// Sets a reminder of the signed-in user, and replaces the one that they have for its subject.
        @discardableResult
        public func setReminder(_ reminder: OwnReminder) async throws -> CallResult {
            try await read("set_reminder", reminder.parameters)
        }

        /// Moves what is pending of a reminder for the signed-in user.
        ///
        /// - Returns: `done` is 1 if nothing is sent before `until`.
        @discardableResult
        public func snoozeReminder(_ id: NudgeID, until: Date) async throws -> CallResult {
            try await read("snooze_reminder", ["id": .string(id.rawValue), "until": .string(until.instant)])
        }

        /// Cancels a message to the signed-in user, or a reminder that they have set.
        ///
        /// - Returns: `done` is 1 if it was in time. Then nothing more of it is sent.
        @discardableResult
        public func cancel(_ id: NudgeID) async throws -> CallResult {
            try await read("cancel", ["id": .string(id.rawValue)])
        }

        /// Takes a nudge of the signed-in user off the screens of all their devices, such as a message that was read on
        /// another one. Cancels what waits, as `cancel(_:)`.
        ///
        /// - Parameter nudge: the payload's `nudgeID`.
        /// - Returns: `tooLate` is 1 if the devices are told to remove it.
        @discardableResult
        public func withdraw(_ nudge: NudgeID) async throws -> CallResult {
            try await read("withdraw", ["id": .string(nudge.rawValue)])
        }

        /// Cancels the reminders that the signed-in user has set: of one subject, or all.
        @discardableResult
        public func cancelReminders(of subject: Subject? = nil) async throws -> CallResult {
            try await read(
                "cancel_reminders",
                ["subject_type": subject.map { .string($0.type) }, "subject_id": subject.map { .string($0.id) }]
            )
        }

        /// Cancels messages that wait for the signed-in user. Without arguments: all. One call cancels at most 10,000.
        /// So call it until `done` is 0.
        ///
        /// - Parameters:
        ///   - category: only those of this category.
        ///   - threadID: only those of this thread.
        ///   - dedupePrefix: only those whose dedupe key begins with this text.
        @discardableResult
        public func cancelMessages(
            category: String? = nil,
            threadID: String? = nil,
            dedupePrefix: String? = nil
        ) async throws -> CallResult {
            try await read(
                "cancel_messages",
                [
                    "category": category.map { .string($0) }, "thread_id": threadID.map { .string($0) },
                    "dedupe_prefix": dedupePrefix.map { .string($0) },
                ]
            )
        }

        /// Calls a function of schema `nudged_me`. A parameter that is nil is left out, and has its default.
        func call(_ function: String, _ parameters: KeyValuePairs<String, JSONValue?>) async throws -> JSONValue {
            let members = parameters.compactMap { key, value in value.map { JSONObject.Member(key: key, value: $0) } }
            let object = EncodableJSON(.object(JSONObject(members)))
            let answer = try await rpc(schema: "nudged_me", function: function, parameters: object)
            guard answer.contains(where: { !$0.isWhitespace }) else { return .null }
            guard let value = try? JSONValue(parsing: answer.utf8, maximumDepth: Payload.maximumDepth) else {
                throw ServerAnswerError(function: function, wanted: "JSON")
            }
            return value
        }

        /// Calls a function, and reads its answer as a type. Members that the type doesn't have are left out.
        func read<Answer: Decodable>(
            _ function: String,
            _ parameters: KeyValuePairs<String, JSONValue?>
        ) async throws -> Answer {
            let text = EncodableJSON(try await call(function, parameters)).text
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .custom { decoder in
                let container = try decoder.singleValueContainer()
                guard let date = Date(instant: try container.decode(String.self)) else {
                    throw DecodingError.dataCorruptedError(in: container, debugDescription: "no instant")
                }
                return date
            }
            do {
                return try decoder.decode(Answer.self, from: Data(text.utf8))
            } catch {
                throw ServerAnswerError(function: function, wanted: "\(Answer.self)")
            }
        }
    }

    extension OwnReminder {
        fileprivate var parameters: KeyValuePairs<String, JSONValue?> {
            [
                "subject_type": .string(subject.type), "subject_id": .string(subject.id), "title": .string(title),
                "body": .string(body), "due_at": dueAt.map { .string($0.instant) },
                "due_local": dueLocal.map { .string($0) },
                "recurrence": recurrence.map { .string($0) }, "timezone": timezone.map { .string($0) },
                "apns": apns?.value,
            ]
        }
    }

    extension DeviceRegistration {
        fileprivate var parameters: KeyValuePairs<String, JSONValue?> {
            [
                "token": .string(token.hexadecimal), "platform": .string(platform.rawValue),
                "environment": environment.map { .string($0.rawValue) }, "topic": topic.map { .string($0) },
                "timezone": timezone.map { .string($0) }, "locale": locale.map { .string($0) },
                "surface": surface.map { .string($0.text) },
            ]
        }
    }

    /// A text that should be JSON is none. Nothing was sent.
    public struct NoJSONError: Error, Sendable, Equatable, CustomStringConvertible {
        /// One line.
        public var description: String { "the text is no JSON" }

        /// The only one.
        public init() {}
    }

    /// A call was answered, but not as its function answers.
    public struct ServerAnswerError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The function of schema `nudged_me`.
        public let function: String
        /// The expected answer: a type, or a word.
        public let wanted: String

        /// One line, without the answer.
        public var description: String { "nudged_me.\(function): the answer is not \(wanted)" }
    }
#endif
