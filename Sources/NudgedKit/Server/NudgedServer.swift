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

    /// The calls for a signed-in user (docs/SQL.md).
    extension NudgedServer {
        /// Stores or renews this device of the signed-in user, and takes it from any other user.
        public func registerDevice(_ registration: DeviceRegistration) async throws {
            _ = try await call("register_device", registration.parameters)
        }

        /// Removes a device of the signed-in user. Call this before the user signs out.
        ///
        /// - Returns: whether the user had this device.
        @discardableResult
        public func unregisterDevice(_ token: DeviceToken) async throws -> Bool {
            let answer = try await call("unregister_device", ["token": .string(token.hexadecimal)])
            guard case .bool(let had) = answer else {
                throw ServerAnswerError(function: "unregister_device", wanted: "true or false")
            }
            return had
        }

        /// Sends a test push to the signed-in user's devices, all of the sandbox.
        ///
        /// - Parameters:
        ///   - title: the title. If `body` is nil too: nudged's text.
        ///   - body: the text. If `title` is nil too: nudged's text.
        /// - Returns: the message's id, a UUID.
        @discardableResult
        public func sendTest(title: String? = nil, body: String? = nil) async throws -> String {
            let answer = try await call(
                "send_test",
                ["title": title.map { .string($0) }, "body": body.map { .string($0) }]
            )
            guard case .string(let id) = answer else {
                throw ServerAnswerError(function: "send_test", wanted: "a UUID")
            }
            return id
        }

        /// Checks preferences as the daemon would.
        ///
        /// - Parameter preferences: the text for the column `notification_preferences`.
        /// - Returns: the first fault. Nil if there is none.
        public func preferencesFault(_ preferences: String) async throws -> String? {
            guard let json = EncodableJSON(parsing: preferences) else { return "found no JSON, wanted an object" }
            switch try await call("preferences_fault", ["preferences": json.value]) {
            case .null: return nil
            case .string(let fault): return fault
            default: throw ServerAnswerError(function: "preferences_fault", wanted: "a text or null")
            }
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
        public func setPreferences(_ preferences: String) async throws {
            guard let json = EncodableJSON(parsing: preferences) else { throw NoJSONError() }
            _ = try await call("set_preferences", ["preferences": json.value])
        }

        /// Deletes the signed-in user's preferences, as if they had never chosen.
        public func clearPreferences() async throws { _ = try await call("set_preferences", ["preferences": .null]) }

        /// Whether the decision service is in use, for the app's settings.
        public func decisionStatus() async throws -> ServiceStatus {
            guard case .string(let name) = try await call("status", [:]),
                let status = ServiceStatus(rawValue: name)
            else { throw ServerAnswerError(function: "status", wanted: "active, resting or off") }
            return status
        }

        /// Sets a reminder of the signed-in user, and replaces the one that they have for its subject.
        ///
        /// - Returns: the reminder's id, a UUID, and what may be unexpected, in English.
        @discardableResult
        public func setReminder(_ reminder: OwnReminder) async throws -> (id: String, warnings: [String]) {
            let answer = try await call("set_reminder", reminder.parameters)
            guard case .string(let id)? = answer["id"], case .array(let items)? = answer["warnings"] else {
                throw ServerAnswerError(function: "set_reminder", wanted: "an object with an id and warnings")
            }
            return (
                id,
                items.compactMap { item in
                    if case .string(let text) = item { text } else { nil }
                }
            )
        }

        /// Whether a reminder is pending for the signed-in user: of one subject, or any.
        public func hasReminder(of subject: Subject? = nil) async throws -> Bool {
            let answer = try await call("has_pending", Self.parameters(of: subject))
            guard case .bool(let has) = answer else {
                throw ServerAnswerError(function: "has_pending", wanted: "true or false")
            }
            return has
        }

        /// Moves what is pending of a reminder for the signed-in user.
        ///
        /// - Parameter until: an instant, such as `2026-11-24T09:00:00Z`.
        /// - Returns: whether nothing is sent before `until`.
        @discardableResult
        public func snoozeReminder(_ id: String, until: String) async throws -> Bool {
            let answer = try await call("snooze_reminder", ["id": .string(id), "until": .string(until)])
            guard case .bool(let isInTime) = answer else {
                throw ServerAnswerError(function: "snooze_reminder", wanted: "true or false")
            }
            return isInTime
        }

        /// Cancels a reminder that the signed-in user has set.
        ///
        /// - Returns: whether it was in time. Then nothing more of it is sent.
        @discardableResult
        public func cancelReminder(_ id: String) async throws -> Bool {
            let answer = try await call("cancel_reminder", ["id": .string(id)])
            guard case .bool(let isInTime) = answer else {
                throw ServerAnswerError(function: "cancel_reminder", wanted: "true or false")
            }
            return isInTime
        }

        /// Cancels the reminders that the signed-in user has set: of one subject, or all.
        ///
        /// - Returns: how many were in time, and how many were not.
        @discardableResult
        public func cancelReminders(of subject: Subject? = nil) async throws -> (cancelled: Int, tooLate: Int) {
            let function = "cancel_reminders"
            return try Self.counts(function, await call(function, Self.parameters(of: subject)))
        }

        /// Cancels messages that wait for the signed-in user. Without arguments: all.
        ///
        /// - Parameters:
        ///   - category: only those of this category.
        ///   - dedupePrefix: only those whose dedupe key begins with this text.
        /// - Returns: how many were in time, and how many were not. `more`: others match. Then call it again, since one
        ///   call cancels at most 10,000.
        @discardableResult
        public func cancelMessages(
            category: String? = nil,
            dedupePrefix: String? = nil
        ) async throws -> (cancelled: Int, tooLate: Int, more: Bool) {
            let function = "cancel_messages"
            let answer = try await call(
                function,
                ["category": category.map { .string($0) }, "dedupe_prefix": dedupePrefix.map { .string($0) }]
            )
            let counts = try Self.counts(function, answer)
            guard case .bool(let more)? = answer["more"] else {
                throw ServerAnswerError(function: function, wanted: "an object with the member more")
            }
            return (counts.cancelled, counts.tooLate, more)
        }

        private static func counts(_ function: String, _ answer: JSONValue) throws -> (cancelled: Int, tooLate: Int) {
            guard case .int(let cancelled)? = answer["cancelled"], case .int(let tooLate)? = answer["too_late"] else {
                throw ServerAnswerError(function: function, wanted: "an object with two numbers")
            }
            return (Int(cancelled), Int(tooLate))
        }

        private static func parameters(of subject: Subject?) -> KeyValuePairs<String, JSONValue?> {
            ["subject_type": subject.map { .string($0.type) }, "subject_id": subject.map { .string($0.id) }]
        }

        /// Calls a function of schema `nudged_me`, and reads its answer. A function without an answer gives null.
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
