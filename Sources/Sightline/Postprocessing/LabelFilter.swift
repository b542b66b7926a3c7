/// Chooses the labels among a model's scores: by threshold, by allowed and denied names, and by number.
struct LabelFilter: Sendable, Hashable {
    /// Scores below these are dropped.
    let thresholds: ClassThresholds
    /// Only these names, if there are any.
    let allowed: Set<String>?
    /// Never these names.
    let denied: Set<String>
    /// At most this many.
    let maximumCount: Int

    /// The labels of a score vector, the most confident first; of equal scores the lower index first.
    func labels(from scores: UnsafeBufferPointer<Float>, names: ClassNames) -> [Label] {
        var best: [(index: Int, score: Float)] = []
        for (index, score) in scores.enumerated() where score >= thresholds.least && index != names.backgroundIndex {
            guard score >= thresholds[index] else { continue }
            // Few labels of many classes are wanted: keep the best in order instead of sorting them all.
            if best.count == maximumCount {
                guard let last = best.last, score > last.score else { continue }
            }
            guard permits(names[index]) else { continue }
            if best.count == maximumCount { best.removeLast() }
            let place = best.firstIndex { $0.score < score } ?? best.endIndex
            best.insert((index, score), at: place)
        }
        return best.map { Label(text: names[$0.index], index: $0.index, confidence: $0.score) }
    }

    /// The most confident label that may be reported, independent of the thresholds; nil if its score is not positive.
    func best(from scores: UnsafeBufferPointer<Float>, names: ClassNames) -> Label? {
        var best: (index: Int, score: Float)?
        for (index, score) in scores.enumerated() where score > best?.score ?? 0 && index != names.backgroundIndex {
            if permits(names[index]) { best = (index, score) }
        }
        return best.map { Label(text: names[$0.index], index: $0.index, confidence: $0.score) }
    }

    /// Whether a name may be reported.
    func permits(_ name: String) -> Bool {
        if let allowed, !allowed.contains(name) { return false }
        return !denied.contains(name)
    }
}
