/// A recurrence rule of `Tests/Reference/recurrence-rules.txt`, and what SQL's `nudged.recurrence_fault` says of it.
package struct TabledRule: Sendable {
    package let text: String
    /// What is wrong with it; nil: it is right.
    package let error: String?

    package static let good = all.filter { $0.error == nil } + [TabledRule(text: ones(238), error: nil)]
    package static let bad =
        all.filter { $0.error != nil }
        + [TabledRule(text: ones(239), error: "recurrence: found more than 500 bytes, wanted a shorter rule")]

    private static let all: [TabledRule] = {
        var (all, error) = ([TabledRule](), String?.none)
        let lines = (try? Checkout.text("Tests/Reference/recurrence-rules.txt"))?.split(separator: "\n") ?? []
        for line in lines {
            if line.hasPrefix("## ") { error = line == "## right" ? nil : String(line.dropFirst(3)) }
            guard line.hasPrefix("`") else { continue }
            let text = String(line.dropFirst().dropLast()).replacing("⏎", with: "\n")
            all.append(TabledRule(text: text, error: error))
        }
        return all
    }()

    private static func ones(_ count: Int) -> String {
        "FREQ=MONTHLY;BYMONTHDAY=" + Array(repeating: "1", count: count).joined(separator: ",")
    }
}
