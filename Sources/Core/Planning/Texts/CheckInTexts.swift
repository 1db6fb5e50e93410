import Base
import TimeZones

import struct FoundationEssentials.UUID

/// The texts of check-ins: the active templates. Every daemon chooses the same text for the same question.
package struct CheckInTexts: Sendable {
    struct Question: Sendable {
        let user: UUID
        let slot: LocalDate
        /// The template of the last check-in that counts. Its text comes again only if no other fits.
        var last: Int32?
        let context: RecipientContext
    }

    typealias Choice = (text: Template, payload: [UInt8])

    private let templates: [Template]

    package init(templates stored: [StoredTemplate] = []) {
        templates = stored.compactMap(Template.init).sorted { $0.id < $1.id }
    }

    /// Draws one of the templates of the closest locale that the context can fill, by their weights. nil: none fits.
    func choose(_ question: Question) -> Choice? {
        draw(question, after: template(question.last)) ?? draw(question, after: nil)
    }

    private func template(_ id: Int32?) -> Template? { templates.first { $0.id == id } }

    /// The same template again, for devices that are left of a check-in. nil: it doesn't fit any more.
    func again(_ id: Int32?, _ context: RecipientContext) -> Choice? {
        guard let template = template(id), template.fault(for: context) == nil,
            let payload = template.payload(for: context)
        else { return nil }
        return (template, payload)
    }

    /// The result for each template, for `nudged explain`.
    func templateOutcomes(_ question: Question) -> [(template: Int32, outcome: TemplateOutcome)] {
        let (drawn, last) = (choose(question)?.text, template(question.last))
        let locales: [String?] = question.context.locales + [nil]
        return templates.map { template in
            if template.id == drawn?.id { return (template.id, .chosen) }
            guard locales.contains(template.locale) else { return (template.id, .otherLocale) }
            if let fault = fault(of: template, question, after: last) { return (template.id, fault) }
            if template.payload(for: question.context) == nil { return (template.id, .tooLong) }
            return (template.id, template.locale == drawn?.locale ? .notDrawn : .otherLocale)
        }
    }

    private func draw(_ question: Question, after last: Template?) -> Choice? {
        guard !templates.isEmpty else { return nil }
        let hash = Self.hash(question.user, question.slot)
        for locale in question.context.locales {
            if let drawn = draw(hash, of: locale, question, last) { return drawn }
        }
        return draw(hash, of: nil, question, last)
    }

    private func draw(_ hash: UInt64, of locale: String?, _ question: Question, _ last: Template?) -> Choice? {
        var left: [Template] = []
        left.reserveCapacity(templates.count)
        for template in templates where template.locale == locale {
            if fault(of: template, question, after: last) == nil { left.append(template) }
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

    /// The hash of `USER:DATE:template`, with the user's id as PostgreSQL writes it.
    static func hash(_ user: UUID, _ slot: LocalDate) -> UInt64 {
        var hash = FNV1a(user)
        hash.add(UInt8(ascii: ":"))
        hash.add(slot.iso.utf8)
        return hash.adding(":template")
    }

    private func fault(of template: Template, _ question: Question, after last: Template?) -> TemplateOutcome? {
        last?.hasText(of: template) == true ? .last : template.fault(for: question.context)
    }

    /// The index of the template whose share of the total weight contains the number.
    private static func place(in templates: [Template], _ number: UInt64) -> Int {
        let total = templates.reduce(0) { $0 + $1.weight }
        var rest = number.multipliedFullWidth(by: total).high
        for (place, template) in templates.enumerated() {
            if rest < template.weight { return place }
            rest -= template.weight
        }
        return 0
    }
}
