#if !hasFeature(Embedded)
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
    public struct CallResult: Sendable, Equatable {
        /// The id of what was made or changed, a UUID. Nil: the call is about no single nudge.
        public let id: String?
        /// How many were done in time. 0: nothing changed.
        public let done: Int
        /// How many were too late: their push is on its way, or was tried.
        public let tooLate: Int
        /// What may be unexpected, in English.
        public let warnings: [String]
    }

    /// The calls for a signed-in user (docs/SQL.md).
    extension NudgedServer {
        /// Stores or renews this device of the signed-in user, and takes it from any other user.
        @discardableResult
        public func registerDevice(_ registration: DeviceRegistration) async throws -> CallResult {
            try await change("register_device", registration.parameters)
        }

        /// Removes a device of the signed-in user. Call this before the user signs out.
        @discardableResult
        public func unregisterDevice(_ token: DeviceToken) async throws -> CallResult {
            try await change("unregister_device", ["token": .string(token.hexadecimal)])
        }

        /// Sends a test push to the signed-in user's devices, all of the sandbox.
        ///
        /// - Parameters:
        ///   - title: the title. If `body` is nil too: nudged's text.
        ///   - body: the text. If `title` is nil too: nudged's text.
        @discardableResult
        public func sendTest(title: String? = nil, body: String? = nil) async throws -> CallResult {
            try await change("send_test", ["title": title.map { .string($0) }, "body": body.map { .string($0) }])
        }

        /// Says that the user is active in the app now. Call it whenever the app comes to the foreground.
        @discardableResult
        public func seen() async throws -> CallResult { try await change("seen", [:]) }

        /// Says that the user has opened a nudge.
        ///
        /// - Parameter nudge: the payload's `nudgeID`.
        /// - Returns: `done` is 1 if it is noted, for the first time.
        @discardableResult
        public func opened(_ nudge: String) async throws -> CallResult {
            try await change("opened", ["id": .string(nudge)])
        }

        /// Says whether the user found a nudge helpful. The last word counts.
        ///
        /// - Parameter nudge: the payload's `nudgeID`.
        @discardableResult
        public func feedback(_ nudge: String, isHelpful: Bool) async throws -> CallResult {
            try await change("feedback", ["id": .string(nudge), "helpful": .bool(isHelpful)])
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
            return try await change("set_preferences", ["preferences": json.value])
        }

        /// Deletes the signed-in user's preferences, as if they had never chosen.
        @discardableResult
        public func clearPreferences() async throws -> CallResult {
            try await change("set_preferences", ["preferences": .null])
        }

        /// Whether the decision service is in use, for the app's settings.
        public func decisionStatus() async throws -> ServiceStatus {
            guard case .string(let name) = try await call("status", [:]),
                let status = ServiceStatus(rawValue: name)
            else { throw ServerAnswerError(function: "status", wanted: "active, resting or off") }
            return status
        }

        /// Sets a reminder of the signed-in user, and replaces the one that they have for its subject.
        @discardableResult
        public func setReminder(_ reminder: OwnReminder) async throws -> CallResult {
            try await change("set_reminder", reminder.parameters)
        }

        /// Moves what is pending of a reminder for the signed-in user.
        ///
        /// - Parameter until: an instant, such as `2026-11-24T09:00:00Z`.
        /// - Returns: `done` is 1 if nothing is sent before `until`.
        @discardableResult
        public func snoozeReminder(_ id: String, until: String) async throws -> CallResult {
            try await change("snooze_reminder", ["id": .string(id), "until": .string(until)])
        }

        /// Cancels a message to the signed-in user, or a reminder that they have set.
        ///
        /// - Returns: `done` is 1 if it was in time. Then nothing more of it is sent.
        @discardableResult
        public func cancel(_ id: String) async throws -> CallResult {
            try await change("cancel", ["id": .string(id)])
        }

        /// Cancels the reminders that the signed-in user has set: of one subject, or all.
        @discardableResult
        public func cancelReminders(of subject: Subject? = nil) async throws -> CallResult {
            try await change(
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
            try await change(
                "cancel_messages",
                [
                    "category": category.map { .string($0) }, "thread_id": threadID.map { .string($0) },
                    "dedupe_prefix": dedupePrefix.map { .string($0) },
                ]
            )
        }

        private func change(
            _ function: String,
            _ parameters: KeyValuePairs<String, JSONValue?>
        ) async throws -> CallResult {
            let answer = try await call(function, parameters)
            guard case .int(let done)? = answer["done"], case .int(let tooLate)? = answer["too_late"],
                case .array(let warnings)? = answer["warnings"]
            else {
                throw ServerAnswerError(function: function, wanted: "an object with done, too_late and warnings")
            }
            return CallResult(
                id: answer["id"].flatMap(Self.text),
                done: Int(done),
                tooLate: Int(tooLate),
                warnings: warnings.compactMap(Self.text)
            )
        }

        private static func text(_ value: JSONValue) -> String? {
            if case .string(let text) = value { text } else { nil }
        }

        /// Calls a function of schema `nudged_me`, and reads its answer.
        func call(
            _ function: String,
            _ parameters: KeyValuePairs<String, JSONValue?>
        ) async throws -> JSONValue {
            try value(of: try await answer(function, parameters), function)
        }

        /// Calls a function of schema `nudged_me`. A parameter that is nil is left out, and has its default.
        func answer(_ function: String, _ parameters: KeyValuePairs<String, JSONValue?>) async throws -> String {
            let members = parameters.compactMap { key, value in value.map { JSONObject.Member(key: key, value: $0) } }
            let object = EncodableJSON(.object(JSONObject(members)))
            return try await rpc(schema: "nudged_me", function: function, parameters: object)
        }

        /// An answer's text as a value. Nothing but blanks is null.
        func value(of answer: String, _ function: String) throws -> JSONValue {
            guard answer.contains(where: { !$0.isWhitespace }) else { return .null }
            guard let value = EncodableJSON(parsing: answer)?.value else {
                throw ServerAnswerError(function: function, wanted: "JSON")
            }
            return value
        }
    }

    extension OwnReminder {
        fileprivate var parameters: KeyValuePairs<String, JSONValue?> {
            [
                "subject_type": .string(subject.type), "subject_id": .string(subject.id), "title": .string(title),
                "body": .string(body), "due_at": dueAt.map { .string($0) }, "due_local": dueLocal.map { .string($0) },
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
        /// The expected answer, in English.
        public let wanted: String

        /// One line, without the answer.
        public var description: String { "nudged_me.\(function): the answer is not \(wanted)" }
    }
#endif
