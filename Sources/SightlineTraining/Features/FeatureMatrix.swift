import Foundation
import Sightline
import TensorFlowLite

/// The features of pictures, a row for each: centered, and scaled to a mean length of 1.
///
/// Each row has a multiple of eight numbers; those beyond the features are 0. All sums have a fixed order, and nothing depends on the
/// machine, so the same pictures give the same numbers everywhere.
struct FeatureMatrix: Sendable {
    /// The rows, one after another, eight numbers at a time.
    let values: [SIMD8<Float>]
    let rowCount: Int
    /// The number of features.
    let columnCount: Int
    /// The eights of a row.
    let stride: Int
    /// The mean of each feature.
    let means: [Float]
    /// The number by which the differences from the mean were divided.
    let scale: Float

    /// - Parameters:
    ///   - stored: The features of each picture, as the network stores them.
    ///   - other: A matrix whose means and scale to use; nil for those of these pictures.
    init(_ stored: [Data], of trunk: ModelTrunk, like other: FeatureMatrix? = nil) {
        self.init(stored.count, columns: trunk.featureCount, like: other) { trunk.values(of: stored[$0]) }
    }

    /// - Parameters:
    ///   - rows: The number of rows.
    ///   - columns: The number of features.
    ///   - other: A matrix whose means and scale to use; nil for those of these rows.
    ///   - values: The features of a row; nil for a row like the mean.
    init(_ rows: Int, columns: Int, like other: FeatureMatrix? = nil, _ values: (Int) -> [Float]?) {
        let stride = (columns + 7) / 8
        let means = other?.means ?? Self.means(rows, columns, values)
        let features = values
        var values: [SIMD8<Float>] = []
        values.reserveCapacity(rows * stride)
        var length = 0.0
        for number in 0..<rows {
            let row = features(number) ?? means
            var square = SIMD8<Float>()
            for eight in 0..<stride {
                var part = SIMD8<Float>()
                for lane in 0..<min(8, columns - 8 * eight) {
                    part[lane] = row[8 * eight + lane] - means[8 * eight + lane]
                }
                square += part * part
                values.append(part)
            }
            length += Double(square.sum()).squareRoot()
        }
        let scale = other?.scale ?? Float(max(length / Double(max(rows, 1)), 1e-6))
        for index in values.indices { values[index] /= scale }
        (self.values, rowCount, columnCount, self.stride) = (values, rows, columns, stride)
        (self.means, self.scale) = (means, scale)
    }

    private static func means(_ rows: Int, _ columns: Int, _ values: (Int) -> [Float]?) -> [Float] {
        var sums = [Double](repeating: 0, count: columns)
        for number in 0..<rows {
            guard let row = values(number) else { continue }
            for column in row.indices { sums[column] += Double(row[column]) }
        }
        return sums.map { Float($0 / Double(max(rows, 1))) }
    }
}
