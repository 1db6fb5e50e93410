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

        /// The user's record, the newest first. Or what became of one message or reminder, by device.
        ///
        /// - Parameters:
        ///   - id: that of a message, of a reminder or of one of its occurrences. Nil: all.
        ///   - after: the member `place` of the last page's last object. Nil: the first page.
        ///   - most: how many a page has, 1 to 1,000.
        /// - Returns: a JSON array. With an id, the first page also has what waits or is being sent. With fewer objects
        ///   than `most`, it is the last page.
        public func history(of id: String? = nil, after: String? = nil, most: Int = 100) async throws -> String {
            try await page("history", of: id, after: after, most: most)
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

        /// What would become of a message to the user if it were sent now. Nothing is sent or counted.
        ///
        /// - Returns: a JSON object (docs/SQL.md, "Preview a message"). Nil: not yet. Call it again with the same
        ///   arguments after a few hundred milliseconds; the answer is usually there within a second.
        /// - Throws: the client's error. ND030: the user has asked ten times in five minutes. ND031: too many
        ///   questions wait.
        public func preview(title: String, body: String, urgent: Bool = false) async throws -> String? {
            let text = try await answer(
                "preview",
                ["title": .string(title), "body": .string(body), "urgent": .bool(urgent)]
            )
            switch try value(of: text, "preview") {
            case .null: return nil
            case .object: return text
            default: throw ServerAnswerError(function: "preview", wanted: "an object or null")
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
