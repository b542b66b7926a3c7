/// The answers for the pictures of each label, with some of the pictures.
struct ConfusionCounts {
    private struct Key: Hashable {
        let truth: Int?
        let answer: Int?
    }

    private var cells: [Key: BestOf<LabelReport.Answer>] = [:]
    /// The number of pictures in all cells.
    private var kept = 0

    /// Counts a picture.
    mutating func add(truth: Int?, answer: Int?, path: String, confidence: Float) {
        let key = Key(truth: truth, answer: answer)
        var cell = cells[key] ?? BestOf(LabelReport.maximumPicturesOfCell)
        let before = cell.keptCount
        if kept < LabelReport.maximumPicturesOfCells {
            cell.add(confidence) { LabelReport.Answer(path: path, confidence: confidence) }
            kept += cell.keptCount - before
        } else {
            cell.countOnly()
        }
        cells[key] = cell
    }

    /// The cells, most frequent first.
    ///
    /// - Parameter positions: The positions of the labels in the report.
    func cells(_ positions: [Int: Int]) -> [LabelReport.ConfusionCell] {
        cells.map { key, cell in
            LabelReport.ConfusionCell(
                truth: key.truth.flatMap { positions[$0] },
                answer: key.answer.flatMap { positions[$0] },
                count: cell.count,
                pictures: cell.values
            )
        }.sorted {
            ($1.count, $0.truth ?? .max, $0.answer ?? .max) < ($0.count, $1.truth ?? .max, $1.answer ?? .max)
        }
    }
}

/// Keeps the few values with the highest rank; for equal ranks, the earliest.
struct BestOf<Value: Sendable>: Sendable {
    /// The number of counted values.
    private(set) var count = 0
    private let maximum: Int
    private var kept: [(rank: Float, value: Value)] = []

    init(_ maximum: Int) {
        self.maximum = maximum
    }

    var keptCount: Int { kept.count }

    /// The values, highest rank first.
    var values: [Value] { kept.map(\.value) }

    /// Counts a value, and keeps it if it belongs to the best. The closure runs only then.
    mutating func add(_ rank: Float, _ value: () -> Value) {
        count += 1
        if kept.count == maximum {
            guard let last = kept.last, rank > last.rank else { return }
            kept.removeLast()
        }
        let place = kept.firstIndex { $0.rank < rank } ?? kept.endIndex
        kept.insert((rank, value()), at: place)
    }

    /// Counts a value without keeping it.
    mutating func countOnly() { count += 1 }
}
