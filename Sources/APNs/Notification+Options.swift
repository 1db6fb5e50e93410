import JSON

extension Notification {
    /// Takes what an app gives as `apns` (docs/SQL.md, "What the phone shows"), without its member `data`.
    ///
    /// - Returns: False if `nudged.apns_fault` would refuse it: somebody wrote the row directly.
    package mutating func take(apns text: String) -> Bool {
        guard case .object(let object)? = try? JSONValue(parsing: text) else { return false }
        for member in object.members {
            guard take(member.key, member.value) else { return false }
        }
        localizedTitle = Self.localized(object, "title_loc")
        localizedSubtitle = Self.localized(object, "subtitle_loc")
        localizedBody = Self.localized(object, "loc")
        return true
    }

    private mutating func take(_ name: String, _ value: JSONValue) -> Bool {
        switch (name, value) {
        case ("subtitle", .string(let text)): subtitle = text
        case ("badge", .int(let number)): badge = Int(number)
        case ("sound", .string(let name)): sound = name == "none" ? nil : name
        case ("interruption_level", .string(let name)):
            interruptionLevel = InterruptionLevel(rawValue: name)
            return interruptionLevel != nil
        case ("relevance_score", .int(let number)): relevanceScore = Double(number)
        case ("relevance_score", .number(let number)): relevanceScore = number
        case ("category", .string(let name)): category = name
        case ("thread_id", .string(let name)): threadID = name
        case ("mutable_content", .bool(let isSet)): mutableContent = isSet
        case ("image_url", .string(let address)): imageURL = address
        case ("filter_criteria", .string(let text)): filterCriteria = text
        case ("target_content_id", .string(let name)): targetContentID = name
        case ("content_available", .bool(let isSet)): isBackground = isSet
        // Read together with their arguments.
        case ("title_loc_key", .string), ("subtitle_loc_key", .string), ("loc_key", .string): break
        case ("title_loc_args", .array), ("subtitle_loc_args", .array), ("loc_args", .array): break
        default: return false
        }
        return true
    }

    private static func localized(_ object: JSONObject, _ name: String) -> LocalizedText? {
        guard let key = object["\(name)_key"]?.text else { return nil }
        guard case .array(let list)? = object["\(name)_args"] else { return LocalizedText(key: key) }
        return LocalizedText(key: key, arguments: list.compactMap(\.text))
    }
}
