import Foundation

/// Smooths the boxes of an object over time.
///
/// Together with ``GapFilling`` this is Gaussian-smoothed interpolation (GSI: Y. Du and others, "StrongSORT: Make DeepSORT Great Again",
/// IEEE Transactions on Multimedia, 2023). A straight line with Gaussian weights is fitted around each place (W. S. Cleveland, "Robust Locally Weighted
/// Regression and Smoothing Scatterplots", JASA 74, 1979) in place of their Gaussian process, whose cost grows with the cube of a
/// track's length.
enum PathSmoothing {
    /// The standard deviation of the weights, in seconds.
    private static let deviation = 0.05
    /// Places further away than this many deviations do not count.
    private static let reach = 3.0

    /// Smooths the boxes. A filled gap stays between its ends.
    static func smooth(_ places: inout [FinishedTrack.Place], times: FrameTimes) {
        let original = places
        var (low, high) = (0, 0)
        for index in original.indices {
            let time = times[original[index].frame]
            while times[original[low].frame] < time - reach * deviation { low += 1 }
            while high < original.count, times[original[high].frame] <= time + reach * deviation { high += 1 }
            places[index].edges = fitted(original[low..<high], at: time, times) ?? original[index].edges
        }
        keepGapsBetweenTheirEnds(&places)
    }

    /// The value at a time of the line through places around it; nil if that is not a box.
    private static func fitted(
        _ places: ArraySlice<FinishedTrack.Place>,
        at time: Double,
        _ times: FrameTimes
    ) -> SIMD4<Float>? {
        var (weights, firstMoment, secondMoment) = (0.0, 0.0, 0.0)
        var (sum, moment) = (SIMD4<Double>(), SIMD4<Double>())
        for place in places {
            let distance = (times[place.frame] - time) / deviation
            let weight = exp(-distance * distance / 2)
            let edges = SIMD4<Double>(place.edges)
            weights += weight
            firstMoment += weight * distance
            secondMoment += weight * distance * distance
            sum += edges * weight
            moment += edges * (weight * distance)
        }
        let spread = weights * secondMoment - firstMoment * firstMoment
        let value = spread > 1e-9 ? (sum * secondMoment - moment * firstMoment) / spread : sum / weights
        return value[2] > value[0] && value[3] > value[1] ? SIMD4<Float>(value) : nil
    }

    private static func keepGapsBetweenTheirEnds(_ places: inout [FinishedTrack.Place]) {
        var before = 0
        for after in places.indices where places[after].isDetected {
            let low = pointwiseMin(places[before].edges, places[after].edges)
            let high = pointwiseMax(places[before].edges, places[after].edges)
            for index in places.indices[before...].dropFirst().prefix(max(after - before - 1, 0)) {
                places[index].edges.clamp(lowerBound: low, upperBound: high)
            }
            before = after
        }
    }
}
