import JSON

/// Where a push can show beside the list of notifications. Each surface has tokens of its own.
package enum Surface: Sendable, Equatable {
    case activity(LiveActivity)
    case widgets
    case controls

    /// Names its tokens, as `nudged.surface` has them.
    package var name: String {
        switch self {
        case .activity(let activity):
            activity.event == .start ? "start:\(activity.attributesType ?? "")" : "activity:\(activity.id)"
        case .widgets: "widgets"
        case .controls: "controls"
        }
    }
}

/// What a push says about a Live Activity.
package struct LiveActivity: Sendable, Equatable {
    package enum Event: String, Sendable { case start, update, end }

    package let event: Event
    /// The app's own name of the activity.
    package let id: String
    /// The app's Swift type. Only for a start.
    let attributesType: String?
    /// What stays while it runs: a JSON object. Only for a start.
    let attributes: String?
    /// A JSON object.
    let state: String
    /// Seconds since 1970, as the dates below. The phone ignores a state that is older than what it shows.
    package var timestamp: Int64 = 0
    let staleDate: Int64?
    let dismissalDate: Int64?
    let isUrgent: Bool

    /// Reads what `nudged.stored_apns` writes. Objects are texts in it, so that numbers keep all their digits.
    /// - Returns: nil: somebody wrote the row directly.
    init?(_ object: JSONObject) {
        func json(_ key: String) -> String? {
            guard let text = object[key]?.text, case .object? = try? JSONValue(parsing: text) else { return nil }
            return text
        }
        guard let event = object["event"]?.text.flatMap(Event.init), let id = object["id"]?.text,
            let state = json("content_state")
        else { return nil }
        (self.event, self.id, self.state) = (event, id, state)
        attributesType = object["attributes_type"]?.text
        attributes = json("attributes")
        staleDate = object["stale_date"]?.integer
        dismissalDate = object["dismissal_date"]?.integer
        isUrgent = object["priority"]?.integer != 5
        guard event != .start || attributesType != nil && attributes != nil else { return nil }
    }

    /// Appends the members of `aps` but the alert.
    func render(into out: inout [UInt8]) {
        JSONText.append(literal: "\"timestamp\":", raw: timestamp, to: &out)
        JSONText.append(literal: ",\"event\":", event.rawValue, to: &out)
        JSONText.append(literal: ",\"content-state\":", raw: state, to: &out)
        if let attributesType, let attributes {
            JSONText.append(literal: ",\"attributes-type\":", attributesType, to: &out)
            JSONText.append(literal: ",\"attributes\":", raw: attributes, to: &out)
            // The app gets a token to update it with.
            JSONText.append(literal: ",\"input-push-token\":1", to: &out)
        }
        JSONText.append(literal: ",\"stale-date\":", raw: staleDate, to: &out)
        JSONText.append(literal: ",\"dismissal-date\":", raw: dismissalDate, to: &out)
    }
}
