/// What became of a template when words were chosen, for `nudged explain`. It names what is missing, never what is
/// there.
package enum TemplateFate: Sendable, Equatable {
    case chosen
    /// It could have been taken; the draw took another.
    case notDrawn
    /// The user's context says another domain, or none.
    case otherDomain
    /// Another language, or a less exact one than that of templates that can be taken.
    case otherLocale
    /// What the context lacks.
    case missing([String])
    /// The user's last check-in had these words.
    case last
    /// Filled with what the context says it is too long to be sent.
    case tooLong

    /// For JSON.
    package var name: String {
        switch self {
        case .chosen: "chosen"
        case .notDrawn: "not_drawn"
        case .otherDomain: "other_domain"
        case .otherLocale: "other_locale"
        case .missing: "missing"
        case .last: "last"
        case .tooLong: "too_long"
        }
    }

    /// For a person.
    package var words: String {
        switch self {
        case .chosen: "chosen"
        case .notDrawn: "was not drawn this time"
        case .otherDomain: "is for another domain"
        case .otherLocale: "is for another locale, or there is a closer one"
        case .missing(let names): "needs \(names.joined(separator: ", ")), which the context does not say"
        case .last: "had the last check-in's words"
        case .tooLong: "is too long for a push with what the context says"
        }
    }
}
