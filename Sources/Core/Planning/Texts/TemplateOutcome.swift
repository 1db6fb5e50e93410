/// The result for a template when a text was chosen, for `nudged explain`. It names what is missing, never a value.
package enum TemplateOutcome: Sendable, Equatable {
    case chosen
    /// It could have been chosen, but another one was drawn.
    case notDrawn
    /// The user's context has another domain, or none.
    case otherDomain
    /// Another locale, or a less exact one than that of the chosen template.
    case otherLocale
    /// The members that the context lacks.
    case missing([String])
    /// The user's last check-in had this text.
    case last
    /// Too long to be sent when filled with this context.
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

    /// As text for an operator.
    package var text: String {
        switch self {
        case .chosen: "chosen"
        case .notDrawn: "was not drawn this time"
        case .otherDomain: "is for another domain"
        case .otherLocale: "is for another locale, or there is a closer one"
        case .missing(let names): "needs \(names.joined(separator: ", ")), which the context does not say"
        case .last: "was the last check-in's template"
        case .tooLong: "is too long for a push with what the context says"
        }
    }
}
