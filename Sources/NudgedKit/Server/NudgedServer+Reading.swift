#if !hasFeature(Embedded)
    import JSON

    /// What nudged knows of the signed-in user (docs/SQL.md, "Read what became of it"). A page with fewer rows than
    /// `most` (1 to 1,000) is the last one.
    extension NudgedServer {
        /// The user's pending reminders.
        ///
        /// - Parameter last: the last page's last row. Nil: the first page.
        public func reminders(after last: ReminderEntry? = nil, most: Int = 100) async throws -> [ReminderEntry] {
            try await read("list_reminders", page(after: last?.place, most))
        }

        /// The messages and reminders that wait for the user.
        ///
        /// - Parameter last: the last page's last row. Nil: the first page.
        public func waiting(after last: WaitingEntry? = nil, most: Int = 100) async throws -> [WaitingEntry] {
            try await read("waiting", page(after: last?.place, most))
        }

        /// The user's record, the newest first. Or what became of one message or reminder, by device.
        ///
        /// - Parameters:
        ///   - id: that of a message, of a reminder or of one of its occurrences. Nil: all. With an id, the first page
        ///     also has what waits or is being sent.
        ///   - last: the last page's last row. Nil: the first page.
        public func history(
            of id: NudgeID? = nil,
            after last: HistoryEntry? = nil,
            most: Int = 100
        ) async throws -> [HistoryEntry] {
            try await read("history", page(of: id, after: last?.place, most))
        }

        /// All that nudged holds of the user. It contains tokens: don't log it.
        ///
        /// - Parameter last: the last page's last row. Nil: the first page.
        public func export(after last: ExportEntry? = nil, most: Int = 100) async throws -> [ExportEntry] {
            let failure = ServerAnswerError(function: "export", wanted: "rows")
            guard case .array(let rows) = try await call("export", page(after: last?.place, most)) else {
                throw failure
            }
            return try rows.map { row in
                guard let place = row["place"]?.text, let source = row["source"]?.text, let content = row["content"]
                else {
                    throw failure
                }
                return ExportEntry(place: place, source: source, content: EncodableJSON(content))
            }
        }

        /// What would become of a message to the user if it were sent now. Nothing is sent or counted.
        ///
        /// - Returns: nil: not yet. Call it again with the same arguments after a few hundred milliseconds; the answer is
        ///   usually there within a second.
        /// - Throws: the client's error. ND030: the user has asked ten times in five minutes. ND031: too many
        ///   questions wait.
        public func preview(title: String, body: String, urgent: Bool = false) async throws -> MessagePreview? {
            try await read("preview", ["title": .string(title), "body": .string(body), "urgent": .bool(urgent)])
        }

        private func page(
            of id: NudgeID? = nil,
            after place: String?,
            _ most: Int
        ) -> KeyValuePairs<String, JSONValue?> {
            [
                "id": id.map { .string($0.rawValue) }, "after": place.map { .string($0) }, "most": .int(Int64(most)),
            ]
        }
    }
#endif
