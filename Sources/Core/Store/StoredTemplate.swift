package import Postgres

/// The text of a check-in: an active row of `nudged.template`.
package struct StoredTemplate: Sendable, Equatable {
    /// The record refers to it.
    package let id: Int32
    /// Only for users whose context has this domain; nil: for all.
    package var domain: String?
    /// A language (`de`), or one of a region (`pt-BR`); nil: for users whose own has no template.
    package var locale: String?
    /// With placeholders; may be empty.
    package let title: String
    /// With placeholders; may be empty.
    package let body: String
    /// 1 to 1,000.
    package var weight: Int32 = 1
    /// `open_conversation` or `new_conversation`; nil: the one that fits the user.
    package var action: String?
    /// How the phone shows it: a JSON object; nil: nothing is set.
    package var apns: String?
    /// A JSON object of members beside `aps`; nil: none.
    package var data: String?

    /// At most so many templates are read.
    static let most: Int64 = 1_000
}

extension Store {
    /// The active templates, sorted by id.
    package func templates() async throws(PostgresError) -> [StoredTemplate] {
        try await one(claims, .templates, [.int8(StoredTemplate.most)]).decoded(StoredTemplate.init)
    }
}
