extension PreferencesDraft {
    /// Every error, in the order of `PreferenceKey`. Empty if the draft can be written.
    public var problems: [PreferenceProblem] {
        var problems: [PreferenceProblem] = []
        if let timezone, !ZoneName.isWellFormed(timezone) {
            problems.append(PreferenceProblem(.timezone, wanted: "UTC or a name as Europe/Paris"))
        }
        check(weekday.map { Int64($0) }, .weekday, &problems)
        switch (quietHoursStart, quietHoursEnd) {
        case (_?, nil): problems.append(PreferenceProblem(missing: .quietHoursEnd, beside: .quietHoursStart))
        case (nil, _?): problems.append(PreferenceProblem(missing: .quietHoursStart, beside: .quietHoursEnd))
        default: break
        }
        check(maxPerHour, .maxPerHour, &problems)
        check(maxPerDay, .maxPerDay, &problems)
        check(Int64(maxAnalysesPerHour), .maxAnalysesPerHour, &problems)
        return problems
    }

    private func check(_ value: Int64?, _ key: PreferenceKey, _ problems: inout [PreferenceProblem]) {
        guard let value, let range = key.range, !range.contains(value) else { return }
        problems.append(PreferenceProblem(key))
    }
}
