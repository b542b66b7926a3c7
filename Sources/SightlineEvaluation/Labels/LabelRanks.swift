/// The confidences of all pictures in each label, for average precision: eight bytes for each.
struct LabelRanks {
    private struct Entry {
        /// Twice the label, plus one if it is right.
        let labelAndTruth: UInt32
        let confidence: Float
    }

    private var entries: [Entry] = []

    /// Records the model's confidence in a label of a picture.
    mutating func add(_ label: Int, _ confidence: Float, isRight: Bool) {
        guard let label = UInt32(exactly: label), label <= UInt32.max / 2 else { return }
        entries.append(Entry(labelAndTruth: label << 1 | (isRight ? 1 : 0), confidence: confidence))
    }

    /// The average precision of each label that has pictures.
    ///
    /// - Parameter wanted: The number of pictures of each label.
    func averagePrecisions(wanted: [Int: Int]) -> [Int: Double] {
        let sorted = entries.sorted {
            ($0.labelAndTruth >> 1, $1.confidence) < ($1.labelAndTruth >> 1, $0.confidence)
        }
        var result = wanted.compactMapValues { $0 > 0 ? 0.0 : nil }
        var start = 0
        while start < sorted.count {
            let label = sorted[start].labelAndTruth >> 1
            let end = sorted[start...].firstIndex { $0.labelAndTruth >> 1 != label } ?? sorted.count
            if let count = wanted[Int(label)], count > 0 {
                result[Int(label)] = Self.averagePrecision(sorted[start..<end], wanted: count)
            }
            start = end
        }
        return result
    }

    /// The sum of precision × increase of recall. Entries with equal confidence count together.
    private static func averagePrecision(_ entries: ArraySlice<Entry>, wanted: Int) -> Double {
        var (sum, right, seen) = (0.0, 0, 0)
        var index = entries.startIndex
        while index < entries.endIndex {
            let confidence = entries[index].confidence
            let before = right
            while index < entries.endIndex, entries[index].confidence == confidence {
                right += Int(entries[index].labelAndTruth & 1)
                seen += 1
                index += 1
            }
            sum += Double(right - before) / Double(wanted) * Double(right) / Double(seen)
        }
        return sum
    }
}
