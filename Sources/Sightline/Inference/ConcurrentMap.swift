extension Array where Element: Sendable {
    /// Transforms the elements with at most `limit` of them under way at once; results keep the order.
    ///
    /// - Throws: the first error that `transform` throws, after cancelling the rest.
    func concurrentMap<Value: Sendable>(
        limit: Int,
        _ transform: @escaping @Sendable (Element) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            var results = [Value?](repeating: nil, count: count)
            for (index, element) in enumerated() {
                if index >= limit, let (done, value) = try await group.next() { results[done] = value }
                group.addTask { (index, try await transform(element)) }
            }
            for try await (done, value) in group { results[done] = value }
            return results.compactMap(\.self)
        }
    }
}
