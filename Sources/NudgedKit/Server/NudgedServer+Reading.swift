#if !hasFeature(Embedded)
    import JSON

    /// What nudged knows of the signed-in user, in pages (docs/SQL.md, "Read what became of it").
    extension NudgedServer {
        /// The user's pending reminders.
        ///
        /// - Parameters:
        ///   - after: the member `place` of the last page's last object. Nil: the first page.
        ///   - most: how many a page has, 1 to 1,000.
        /// - Returns: a JSON array. With fewer objects than `most`, it is the last page.
        public func reminders(after: String? = nil, most: Int = 100) async throws -> String {
            try await page("list_reminders", after: after, most: most)
        }

        /// The messages and reminders that wait for the user.
        ///
        /// - Parameters:
        ///   - after: the member `place` of the last page's last object. Nil: the first page.
        ///   - most: how many a page has, 1 to 1,000.
        /// - Returns: a JSON array. With fewer objects than `most`, it is the last page.
        public func waiting(after: String? = nil, most: Int = 100) async throws -> String {
            try await page("waiting", after: after, most: most)
        }

        /// What became of a message or a reminder of the user, by device.
        ///
        /// - Parameters:
        ///   - id: that of a message, of a reminder or of one of its occurrences.
        ///   - after: the member `place` of the last page's last object. Nil: the first page.
        ///   - most: how many rows of the record a page has, 1 to 1,000.
        /// - Returns: a JSON array. The first page also has what waits or is being sent. With fewer objects than
        ///   `most`, it is the last page.
        public func outcome(of id: String, after: String? = nil, most: Int = 100) async throws -> String {
            try await page("outcome", of: id, after: after, most: most)
        }

        /// The user's record, the newest first.
        ///
        /// - Parameters:
        ///   - after: the member `place` of the last page's last object. Nil: the first page.
        ///   - most: how many a page has, 1 to 1,000.
        /// - Returns: a JSON array. With fewer objects than `most`, it is the last page.
        public func history(after: String? = nil, most: Int = 100) async throws -> String {
            try await page("history", after: after, most: most)
        }

        /// All that nudged holds of the user. It contains tokens: don't log it.
        ///
        /// - Parameters:
        ///   - after: the member `place` of the last page's last object. Nil: the first page.
        ///   - most: how many a page has, 1 to 1,000.
        /// - Returns: a JSON array. With fewer objects than `most`, it is the last page.
        public func export(after: String? = nil, most: Int = 100) async throws -> String {
            try await page("export", after: after, most: most)
        }

        /// Asks what would become of a message to the user if it were sent now. Nothing is sent or counted.
        ///
        /// - Returns: the question's id, a UUID, for `previewAnswer(to:)`.
        /// - Throws: the client's error. ND030: the user has asked ten times in five minutes. ND031: too many
        ///   questions wait.
        public func preview(title: String, body: String, urgent: Bool = false) async throws -> String {
            let answer = try await call(
                "preview",
                ["title": .string(title), "body": .string(body), "urgent": .bool(urgent)]
            )
            guard case .string(let id) = answer else {
                throw ServerAnswerError(function: "preview", wanted: "a UUID")
            }
            return id
        }

        /// The answer to a question of `preview(title:body:urgent:)`, usually there after less than a second.
        ///
        /// - Returns: a JSON object (docs/SQL.md, "Preview a message"). Nil: not yet. Ask again after a few
        ///   hundred milliseconds.
        /// - Throws: the client's error. ND032: the question is unknown, or it is too old. One without an answer is
        ///   kept for a minute, an answer for five.
        public func previewAnswer(to id: String) async throws -> String? {
            let text = try await answer("preview_answer", ["id": .string(id)])
            switch try value(of: text, "preview_answer") {
            case .null: return nil
            case .object: return text
            default: throw ServerAnswerError(function: "preview_answer", wanted: "an object or null")
            }
        }

        /// The server's own text: a `JSONValue` would round long numbers.
        private func page(_ function: String, of id: String? = nil, after: String?, most: Int) async throws -> String {
            let text = try await answer(
                function,
                ["id": id.map { .string($0) }, "after": after.map { .string($0) }, "most": .int(Int64(most))]
            )
            guard case .array = try value(of: text, function) else {
                throw ServerAnswerError(function: function, wanted: "an array")
            }
            return text
        }
    }
#endif
