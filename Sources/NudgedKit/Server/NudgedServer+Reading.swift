#if !hasFeature(Embedded)
    import JSON

    /// What nudged knows of the signed-in user (docs/SQL.md, "Reading, taking back"). Lists come in pages: a JSON array
    /// of `most` objects, at most 1,000. A page with fewer is the last. `after` is the member `place` of the last
    /// page's last object. Nil: the first page.
    extension NudgedServer {
        /// A page of the user's pending reminders.
        public func reminders(after: String? = nil, most: Int = 100) async throws -> String {
            try await page("list_reminders", after: after, most: most)
        }

        /// A page of the messages and reminders that wait for the user.
        public func waiting(after: String? = nil, most: Int = 100) async throws -> String {
            try await page("waiting", after: after, most: most)
        }

        /// A page of what became of a message or a reminder of the user, by device.
        public func outcome(of id: String, after: String? = nil, most: Int = 100) async throws -> String {
            try await page("outcome", of: id, after: after, most: most)
        }

        /// A page of the user's record, the newest first.
        public func history(after: String? = nil, most: Int = 100) async throws -> String {
            try await page("history", after: after, most: most)
        }

        /// A page of all that nudged holds of the user. It contains tokens: don't log it.
        public func export(after: String? = nil, most: Int = 100) async throws -> String {
            try await page("export", after: after, most: most)
        }

        /// Asks what would become of a message to the user if it were sent now. Nothing is sent or counted.
        ///
        /// - Returns: the question's id, a UUID, for `previewAnswer(to:)`.
        public func preview(title: String, body: String, urgent: Bool = false) async throws -> String {
            let answer = try await call(
                "preview_own",
                ["title": .string(title), "body": .string(body), "urgent": .bool(urgent)]
            )
            guard case .string(let id) = answer else {
                throw ServerAnswerError(function: "preview_own", wanted: "a UUID")
            }
            return id
        }

        /// The answer to a question of `preview(title:body:urgent:)`, usually after less than a second.
        ///
        /// - Returns: a JSON object (docs/SQL.md, "What would become of it"). Nil: not yet. Ask again a little later.
        public func previewAnswer(to id: String) async throws -> String? {
            switch try await call("preview_own_answer", ["id": .string(id)]) {
            case .null: return nil
            case .object(let object): return EncodableJSON(.object(object)).text
            default: throw ServerAnswerError(function: "preview_own_answer", wanted: "an object or null")
            }
        }

        private func page(_ function: String, of id: String? = nil, after: String?, most: Int) async throws -> String {
            let answer = try await call(
                function,
                ["id": id.map { .string($0) }, "after": after.map { .string($0) }, "most": .int(Int64(most))]
            )
            guard case .array = answer else { throw ServerAnswerError(function: function, wanted: "an array") }
            return EncodableJSON(answer).text
        }
    }
#endif
