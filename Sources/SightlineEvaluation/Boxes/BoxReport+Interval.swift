import Sightline

extension BoxReport {
    /// The range in which AP at IoU .50 lies with a probability of 95 % for other pictures like these; nil if there are no objects.
    ///
    /// Pictures are drawn again and again from the same pictures, with those of a group together, and AP is computed each time (B. Efron,
    /// "Bootstrap Methods: Another Look at the Jackknife", 1979). A category whose few pictures are not drawn counts as in all pictures;
    /// without it, the mean would be that of the frequent categories, which are found better.
    ///
    /// - Parameters:
    ///   - groups: The group of each picture. Pictures with the same number are drawn together.
    ///   - rounds: The number of draws.
    package static func ap50Interval(
        _ annotations: BoxAnnotations,
        _ detections: BoxDetections,
        groups: [Int],
        rounds: Int = 200,
        using random: inout some RandomNumberGenerator
    ) -> ClosedRange<Double>? {
        let scoring = BoxScoring(annotations, detections, ignoresCategories: false)
        let categories = scoring.groups.map { RankedCategory($0, of: scoring) }
        let used = Array(Set(groups)).sorted()
        guard !used.isEmpty else { return nil }
        let whole = categories.map { $0.averagePrecision { _ in 1 } }
        var found: [Double] = []
        for _ in 0..<rounds {
            var weights: [Int: Double] = [:]
            for _ in used.indices { weights[used[Int.random(in: used.indices, using: &random)], default: 0] += 1 }
            let precisions = zip(categories, whole).compactMap { category, whole in
                category.averagePrecision { groups.indices.contains($0) ? weights[groups[$0]] ?? 0 : 0 } ?? whole
            }
            if !precisions.isEmpty { found.append(precisions.reduce(0, +) / Double(precisions.count)) }
        }
        guard !found.isEmpty else { return nil }
        found.sort()
        let (lower, upper) = (found.count / 40, found.count - 1 - found.count / 40)
        return found[lower]...found[max(lower, upper)]
    }

    /// The detections of a category at IoU .50, the most confident first.
    private struct RankedCategory {
        private struct Ranked {
            let score: Double
            let picture: Int
            let isRight: Bool
        }

        private var ranked: [Ranked] = []
        private var wanted: [(picture: Int, count: Int)] = []

        init(_ groups: [BoxScoring.Group], of scoring: BoxScoring) {
            for group in groups {
                let matches = scoring.matches(group, overlaps: scoring.overlaps(group), in: .all)
                wanted.append((group.picture, matches.wantedCount))
                for (place, box) in group.boxes.enumerated() where matches.ignored[place] & 1 == 0 {
                    let isRight = matches.matched[place] & 1 != 0
                    ranked.append(Ranked(score: scoring.boxes[box].score, picture: group.picture, isRight: isRight))
                }
            }
            ranked.sort { ($0.score, $1.picture) > ($1.score, $0.picture) }
        }

        /// AP with pictures that count more than once, or not; nil if there is nothing to find in them.
        func averagePrecision(_ weight: (Int) -> Double) -> Double? {
            let total = wanted.reduce(0) { $0 + weight($1.picture) * Double($1.count) }
            guard total > 0 else { return nil }
            var (right, all) = (0.0, 0.0)
            var (recalls, precisions): ([Double], [Double]) = ([], [])
            for box in ranked {
                let weight = weight(box.picture)
                guard weight > 0 else { continue }
                all += weight
                if box.isRight { right += weight }
                recalls.append(right / total)
                precisions.append(right / all)
            }
            for index in precisions.indices.dropFirst().reversed() where precisions[index] > precisions[index - 1] {
                precisions[index - 1] = precisions[index]
            }
            var (place, sum) = (0, 0.0)
            for recall in BoxScoring.recalls {
                while place < recalls.count, recalls[place] < recall { place += 1 }
                if place < precisions.count { sum += precisions[place] }
            }
            return sum / Double(BoxScoring.recalls.count)
        }
    }
}
