import Foundation
import TimeZones

@testable import Core

/// Values as text.
enum Shown {
    static func line(_ value: Any, _ members: [String]) -> String {
        if members.isEmpty, let user = value as? ClaimedUser { return text(user.userID) ?? "" }
        guard !members.isEmpty, !(value is Refusal) else { return text(value) ?? "nothing" }
        let shown = members.compactMap { path in
            let found = member(value, path.split(separator: "."))
            // What came at the same instant is in any order. `messages.0.title` shows the first one.
            let list = (found as? [Any])?.map { (text($0) ?? "-").replacing(/id: [0-9a-f-]{36}/, with: "id: (id)") }
                .sorted()
            return text(list ?? found).map { "\(path): \($0)" }
        }
        let user = (value as? ClaimedUser).flatMap { text($0.userID) }
        return (([user].compactMap(\.self)) + shown).joined(separator: ", ")
    }

    private static func member(_ value: Any, _ path: some Collection<Substring>) -> Any {
        guard let name = path.first else { return value }
        let mirror = Mirror(reflecting: (value as? ClaimedUser)?.values ?? value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.map { member($0.value, path) } ?? Optional<Int>.none as Any
        case .collection:
            if name == "count" { return mirror.children.count }
            if let place = Int(name) {
                return mirror.children.dropFirst(place).first.map { member($0.value, path.dropFirst()) } ?? "none"
            }
            return mirror.children.map { member($0.value, path) }
        default:
            if name == "registeredAt", let device = value as? Device { return device.registeredAt as Any }
            guard let child = mirror.children.first(where: { $0.label.map { $0 == name } ?? false }) else {
                return "no member \(name)"
            }
            return member(child.value, path.dropFirst())
        }
    }

    /// nil: there is nothing to be shown.
    static func text(_ value: Any) -> String? {
        switch value {
        case let id as UUID: return id.uuidString.lowercased()
        case let instant as Instant:
            let seconds = instant.seconds - Int64(Date().timeIntervalSince1970)
            let days = (seconds + 43_200) / 86_400
            guard abs(seconds - days * 86_400) < 60, 0...99 ~= days else { return instant.rfc3339 }
            return days == 0 ? "(now)" : "(in \(days) days)"
        case let date as LocalDate: return date.iso
        case let user as ClaimedUser: return text(user.values)
        case let text as String: return text.isEmpty ? nil : text
        case let flag as Bool: return flag ? "true" : nil
        case let number as any BinaryInteger: return "\(number)" == "0" ? nil : "\(number)"
        default: break
        }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case nil: return "\(value)"
        case .optional: return mirror.children.first.flatMap { text($0.value) }
        case .collection:
            let all = mirror.children.map { text($0.value) ?? "-" }
            return all.isEmpty ? nil : "[\(all.joined(separator: ", "))]"
        case .set, .dictionary:
            let all = mirror.children.map { text($0.value) ?? "-" }.sorted()
            return all.isEmpty ? nil : "[\(all.joined(separator: ", "))]"
        case .enum:
            guard let content = mirror.children.first else { return "\(value)" }
            return "\(content.label ?? "") \(text(content.value) ?? "-")"
        default:
            let all = mirror.children.compactMap { child -> String? in
                // The clock, and what is in whole seconds, too.
                guard let label = child.label, label != "clock", !label.hasSuffix("Microseconds") else { return nil }
                return text(child.value).map { $0 == "true" ? label : label.hasPrefix(".") ? $0 : "\(label): \($0)" }
            }
            return all.isEmpty ? nil : "{\(all.joined(separator: ", "))}"
        }
    }
}
