public import Seeded

extension SplitMix64 {
    /// A number of the range.
    public mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// True so often in a hundred.
    public mutating func chance(_ percent: Int) -> Bool { int(0...99) < percent }

    /// One of them; there must be one.
    public mutating func pick<Element>(_ elements: [Element]) -> Element { elements[int(0...elements.count - 1)] }
}
