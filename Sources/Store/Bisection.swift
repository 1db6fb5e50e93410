/// Finds what the database refuses among many: a list that is refused is tried again by halves, until one element is left. A value: it says what to try next.
struct Bisection<Element> {
    /// The next one last.
    private var pieces: [[Element]]
    /// Whether anything was halved: then pieces are tried with less patience.
    private(set) var isSearching = false

    init(_ all: [Element]) {
        pieces = all.isEmpty ? [] : [all]
    }

    /// What to try next; nil: nothing is left.
    mutating func next() -> [Element]? { pieces.popLast() }

    /// Puts a piece that was refused back as two halves.
    ///
    /// - Returns: nil, or the element that is refused by itself.
    mutating func refused(_ piece: [Element]) -> Element? {
        isSearching = true
        guard piece.count > 1 else { return piece.first }
        let middle = piece.count / 2
        pieces.append(Array(piece[middle...]))
        pieces.append(Array(piece[..<middle]))
        return nil
    }

    /// Puts a piece back, to be tried as it is.
    mutating func again(_ piece: [Element]) {
        isSearching = true
        if !piece.isEmpty { pieces.append(piece) }
    }

    /// Gives up. Returns what was not tried.
    mutating func giveUp() -> [Element] {
        defer { pieces = [] }
        return pieces.reversed().flatMap(\.self)
    }
}
