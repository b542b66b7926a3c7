import CommandLineSupport
import Crypto
import Foundation
import Sightline
import TensorFlowLite
import TextFormatting

/// A rewritten, faster form of a model that is about to be published, and its comparison with the original.
struct FasterForm {
    /// The bytes of the form.
    let data: Data
    private let rewrites: [String]
    private let comparison: ModelComparison

    /// The SHA-256 of the bytes, in lower-case hexadecimal digits.
    var sha256: String { SHA256.hash(data: data).hexadecimalText }

    /// - Parameters:
    ///   - package: The original with its labels.
    ///   - local: The original's files.
    ///   - pictures: Pictures on which both forms are compared; with none, generated pictures are used.
    /// - Throws: `ModelOptimizerError` if the model cannot become faster, otherwise an error of reading or running it.
    init(of package: ModelPackage, _ local: LocalModel, pictures: [URL]) throws {
        // The runtime prints its only line here; from then on, standard error shows the progress.
        let optimized = try withStandardErrorSilenced {
            try ModelOptimizer().optimized(try Model(data: package.data))
        }
        data = optimized.model.data
        rewrites = optimized.plan.rewrites.map(\.description)
        var line = PictureProgress()
        defer { line.clear() }
        comparison = try ModelComparison(of: local, with: optimized.model, pictures: pictures) {
            if !pictures.isEmpty { line.show(done: $0, of: pictures.count, failed: 0) }
        }
    }

    /// The comparison for people.
    var text: String {
        var list = FactList(indent: 12)
        list.add("Rewritten", rewrites)
        list.add("Time", comparison.speed.lines)
        list.add("Answers", comparison.agreement?.lines ?? ["not compared: the model is not for pictures"])
        list.add("Unreadable", comparison.unreadable)
        return list.text
    }
}
