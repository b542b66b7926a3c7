/// Precision and recall of a category and a range of areas over all pictures.
struct BoxAccumulation {
    /// A detection in any picture.
    private struct Ranked {
        let score: Double
        /// Its rank in its picture.
        let rank: Int
        let matched: UInt16
        let ignored: UInt16
    }

    private var ranked: [Ranked] = []
    /// The number of objects that count.
    private(set) var wantedCount = 0

    /// Adds a picture.
    mutating func add(_ matches: BoxScoring.Matches, scores: [Double]) {
        wantedCount += matches.wantedCount
        for (place, score) in scores.enumerated() {
            ranked.append(
                Ranked(
                    score: score,
                    rank: place,
                    matched: matches.matched[place],
                    ignored: matches.ignored[place]
                )
            )
        }
    }

    /// The results.
    struct Result {
        /// Precision at each recall, for each IoU threshold.
        var precisions: [[Double]]
        /// The highest recall, for each number of detections and each IoU threshold.
        var recalls: [[Double]]

        /// The mean precision over IoU thresholds and recalls.
        var averagePrecision: Double { mean(precisions.flatMap(\.self)) }

        func averagePrecision(level: Int) -> Double { mean(precisions[level]) }

        func averageRecall(count: Int) -> Double { mean(recalls[count]) }

        private func mean(_ numbers: [Double]) -> Double { numbers.reduce(0, +) / Double(max(numbers.count, 1)) }
    }

    /// Precision and recall; nil if there are no objects to find.
    func result() -> Result? {
        guard wantedCount > 0 else { return nil }
        let order = ranked.indices.sorted { (-ranked[$0].score, $0) < (-ranked[$1].score, $1) }
        var result = Result(precisions: [], recalls: [])
        for level in BoxScoring.overlaps.indices {
            result.precisions.append(precisions(order, bit: 1 << UInt16(level)))
        }
        for count in BoxScoring.maximumCounts {
            result.recalls.append(
                BoxScoring.overlaps.indices.map { level in
                    let bit = UInt16(1) << UInt16(level)
                    let right = ranked.count { $0.rank < count && $0.matched & bit != 0 && $0.ignored & bit == 0 }
                    return Double(right) / Double(wantedCount)
                }
            )
        }
        return result
    }

    /// The highest precision at or beyond each recall.
    private func precisions(_ order: [Int], bit: UInt16) -> [Double] {
        var (right, wrong) = (0.0, 0.0)
        var (recalls, precisions): ([Double], [Double]) = ([], [])
        recalls.reserveCapacity(order.count)
        precisions.reserveCapacity(order.count)
        for index in order {
            let detection = ranked[index]
            if detection.ignored & bit == 0 {
                if detection.matched & bit != 0 { right += 1 } else { wrong += 1 }
            }
            recalls.append(right / Double(wantedCount))
            precisions.append(right / (wrong + right + Double.ulpOfOne))
        }
        for index in precisions.indices.dropFirst().reversed() where precisions[index] > precisions[index - 1] {
            precisions[index - 1] = precisions[index]
        }
        var place = 0
        return BoxScoring.recalls.map { recall in
            while place < recalls.count, recalls[place] < recall { place += 1 }
            return place < precisions.count ? precisions[place] : 0
        }
    }
}
