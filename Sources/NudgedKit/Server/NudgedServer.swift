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
        /// - Returns: the message's id, a UUID.
        @discardableResult
        public func sendTest() async throws -> String {
            guard case .string(let id) = try await call("send_test", [:]) else {
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

        private func call(
            _ function: String,
            _ parameters: KeyValuePairs<String, JSONValue?>
        ) async throws -> JSONValue {
            // A parameter that is left out has its default.
            let members = parameters.compactMap { key, value in value.map { JSONObject.Member(key: key, value: $0) } }
            let object = EncodableJSON(.object(JSONObject(members)))
            let answer = try await rpc(schema: "nudged_api", function: function, parameters: object)
            guard answer.contains(where: { !$0.isWhitespace }) else { return .null }
            guard let value = EncodableJSON(parsing: answer)?.value else {
                throw ServerAnswerError(function: function, wanted: "JSON")
            }
            return value
        }
    }

    extension DeviceRegistration {
        fileprivate var parameters: KeyValuePairs<String, JSONValue?> {
            [
                "token": .string(token.hexadecimal), "platform": .string(platform.rawValue),
                "environment": environment.map { .string($0.rawValue) }, "topic": topic.map { .string($0) },
            ]
        }
    }

    /// A call was answered, but not as its function answers.
    public struct ServerAnswerError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The function of schema `nudged_api`.
        public let function: String
        /// The expected answer, in English.
        public let wanted: String

        /// One line, without the answer.
        public var description: String { "nudged_api.\(function): the answer is not \(wanted)" }
    }
#endif
