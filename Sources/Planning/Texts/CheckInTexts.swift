package import Configuration
import APNs
package import Store
import TimeZones

import struct FoundationEssentials.UUID

/// What check-ins say: the templates, and the configured words where none fits. A value: the same question has the same
/// answer on every daemon.
package struct CheckInTexts: Sendable {
    /// A check-in whose words are to be chosen.
    struct Question: Sendable {
        let user: UUID
        let slot: LocalDate
        /// The template of the last check-in that counts: its words don't come twice running.
        let last: Int32?
        let context: RecipientContext
    }

    /// What was chosen.
    struct Choice: Sendable, Equatable {
        /// nil: the configured words.
        let template: Int32?
        /// nil: the configured words as everyone gets them.
        let payload: [UInt8]?
    }

    /// The configured words; nil: whoever sends knows them, and nobody has a conversation.
    package var standard: Configuration.CheckIn?
    /// By their ids.
    private let templates: [Template]

    /// - Parameter stored: in any order.
    package init(standard: Configuration.CheckIn? = nil, templates stored: [StoredTemplate] = []) {
        self.standard = standard
        templates = stored.compactMap(Template.init).sorted { $0.id < $1.id }
    }

    /// Draws among the templates of the closest locale that the context can fill, each as often as its weight says.
    func choose(_ question: Question) -> Choice {
        guard let (template, payload) = draw(question) else { return standardChoice(question.context) }
        return Choice(template: template.id, payload: payload)
    }

    /// The words of the template again, for the devices that are left of a check-in that others have got.
    func again(_ template: Int32?, _ context: RecipientContext) -> Choice {
        guard let template = templates.first(where: { $0.id == template }), template.fault(for: context) == nil,
            let payload = template.payload(for: context)
        else { return standardChoice(context) }
        return Choice(template: template.id, payload: payload)
    }

    /// What became of each template.
    func fates(_ question: Question) -> [(template: Int32, fate: TemplateFate)] {
        let drawn = draw(question)?.template
        let last = question.last.flatMap { id in templates.first { $0.id == id } }
        let locales: [String?] = question.context.locales + [nil]
        return templates.map { template in
            if template.id == drawn?.id { return (template.id, .chosen) }
            guard locales.contains(template.locale) else { return (template.id, .otherLocale) }
            if let fault = fault(of: template, question, last) { return (template.id, fault) }
            if template.payload(for: question.context) == nil { return (template.id, .tooLong) }
            return (template.id, template.locale == drawn?.locale ? .notDrawn : .otherLocale)
        }
    }

    private func draw(_ question: Question) -> (template: Template, payload: [UInt8])? {
        guard !templates.isEmpty else { return nil }
        let hash = Self.hash(question.user, question.slot)
        let last = question.last.flatMap { id in templates.first { $0.id == id } }
        for locale in question.context.locales {
            if let drawn = draw(hash, of: locale, question, last) { return drawn }
        }
        return draw(hash, of: nil, question, last)
    }

    private func draw(
        _ hash: UInt64,
        of locale: String?,
        _ question: Question,
        _ last: Template?
    ) -> (template: Template, payload: [UInt8])? {
        var left: [Template] = []
        left.reserveCapacity(templates.count)
        for template in templates where template.locale == locale && fault(of: template, question, last) == nil {
            left.append(template)
        }
        var attempt: UInt64 = 0
        while !left.isEmpty {
            let place = Self.place(in: left, (hash &+ attempt).mixed)
            if let payload = left[place].payload(for: question.context) { return (left[place], payload) }
            left.remove(at: place)
            attempt += 1
        }
        return nil
    }

    /// Of `USER:DATE:template`, the user's id as PostgreSQL writes it.
    static func hash(_ user: UUID, _ slot: LocalDate) -> UInt64 {
        var hash = StableHash()
        hash.enter(user)
        hash.enter(":\(slot.iso):template".utf8)
        return hash.value
    }

    /// - Parameter last: the template of the question's `last`; nil: there is none any more.
    private func fault(of template: Template, _ question: Question, _ last: Template?) -> TemplateFate? {
        if template.id == question.last { return .last }
        if let last, last.hasWords(of: template) { return .last }
        return template.fault(for: question.context)
    }

    /// Whose part of all weights a number lies in.
    private static func place(in templates: [Template], _ number: UInt64) -> Int {
        let total = templates.reduce(0) { $0 + $1.weight }
        var rest = number.multipliedFullWidth(by: total).high
        for (place, template) in templates.enumerated() {
            if rest < template.weight { return place }
            rest -= template.weight
        }
        return 0
    }

    /// What a choice says, for the decision service to hear. nil: nobody knows it here.
    func content(of choice: Choice, _ context: RecipientContext) -> PushText? {
        if let template = templates.first(where: { $0.id == choice.template }) { return template.content(for: context) }
        return standard.map {
            PushText(
                title: $0.title,
                body: $0.body,
                conversationID: context.conversationID,
                domain: context.domain
            )
        }
    }

    /// The configured words, with the conversation where there is one and room for it.
    private func standardChoice(_ context: RecipientContext) -> Choice {
        guard let standard, context.conversationID != nil || context.domain != nil else {
            return Choice(template: nil, payload: nil)
        }
        var notification = Notification(title: standard.title, body: standard.body)
        notification.conversationID = context.conversationID
        notification.domain = context.domain
        return Choice(template: nil, payload: try? notification.rendered())
    }
}
