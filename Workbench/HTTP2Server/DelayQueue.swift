/// Elements with a due time, the earliest first (a binary heap; equal times keep their order).
struct DelayQueue<Element> {
    private var heap: [(due: UInt64, order: UInt64, element: Element)] = []
    private var order: UInt64 = 0

    var nextDue: UInt64? { heap.first?.due }

    mutating func insert(_ element: Element, due: UInt64) {
        heap.append((due, order, element))
        order += 1
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard comesBefore(child, parent) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the earliest, if it is due.
    mutating func popDue(_ now: UInt64) -> Element? {
        guard let first = heap.first, first.due <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && comesBefore(child, least) {
                least = child
            }
            if least == parent { return first.element }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    private func comesBefore(_ one: Int, _ other: Int) -> Bool {
        (heap[one].due, heap[one].order) < (heap[other].due, heap[other].order)
    }
}
