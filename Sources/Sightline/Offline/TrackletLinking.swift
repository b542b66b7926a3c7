import Foundation

/// Joins the tracklets of one object: an object was lost, and came back with another identity.
///
/// The end of each tracklet is carried forward to the beginning of each later one, and that beginning back to the end, with a velocity that
/// lasts, fades, or anything between. Two tracklets fit if both ways lead near the other one, and the sizes are alike. The pairs that fit best are joined first, each
/// end and each beginning once, so that the parts of an object never overlap in time. The same idea with a trained network is AFLink (Y. Du
/// and others, "StrongSORT: Make DeepSORT Great Again", IEEE Transactions on Multimedia, 2023).
enum TrackletLinking {
    /// The longest time between two tracklets, in seconds.
    private static let longestGap = 2.0
    /// The time from whose detections the motion at an end is measured, in seconds.
    private static let motionWindow = 0.5
    /// The time over which detections are as sure about a velocity as the belief that the object stands still, in seconds: at most, and at
    /// least.
    private static let stillness = (most: 0.15, least: 0.05)
    /// The time after which a velocity has faded to a third, in seconds.
    private static let fading = 0.7
    /// The permitted distance between an expected and a found center, in sizes of the box: at once, and more for each second.
    private static let reach = (atOnce: 0.4, perSecond: 0.5)
    /// The permitted ratio of heights or of widths, as a logarithm.
    private static let sizeTolerance = 0.5
    /// The cost of a gap of the longest time. Pairs of cost 1 are refused.
    private static let gapCost = 0.3

    /// The state of an object at one end of its tracklet.
    private struct End {
        let frame: Int
        let time: Double
        let center: SIMD2<Double>
        let size: SIMD2<Double>
        /// In pixels a second, as measured.
        let velocity: SIMD2<Double>
        /// The time over which the velocity was measured, in seconds.
        let span: Double

        /// - Parameter places: the places from this end inward; at least one.
        init(_ places: some Collection<FinishedTrack.Place>, times: FrameTimes) {
            let first = places.first
            frame = first?.frame ?? 0
            time = times[frame]
            var (count, sumTime, sumTime2) = (0.0, 0.0, 0.0)
            var (sum, sumTimes, sumSize) = (SIMD2<Double>(), SIMD2<Double>(), SIMD2<Double>())
            var span = 0.0
            for place in places {
                let passed = times[place.frame] - time
                guard abs(passed) <= TrackletLinking.motionWindow else { break }
                let center = SIMD2(place.box.midX, place.box.midY)
                count += 1
                sumTime += passed
                sumTime2 += passed * passed
                sum += center
                sumTimes += center * passed
                sumSize += SIMD2(place.box.width, place.box.height)
                span = abs(passed)
            }
            let spread = count * sumTime2 - sumTime * sumTime
            velocity = spread > 0 ? (sumTimes * count - sum * sumTime) / spread : SIMD2()
            self.span = span
            size = sumSize / count
            center = SIMD2(first?.box.midX ?? 0, first?.box.midY ?? 0)
        }

        /// The distance in sizes between a center and the nearest of those where the object can be after some seconds, or before them if they
        /// are negative.
        func distance(to other: SIMD2<Double>, after seconds: Double, size: SIMD2<Double>) -> Double {
            let way = (other - center) / size
            let speed = velocity / size * (seconds < 0 ? -1 : 1)
            let faded = TrackletLinking.fading * (1 - exp(-abs(seconds) / TrackletLinking.fading))
            let least = faded * span / (span + TrackletLinking.stillness.most)
            let most = abs(seconds) * span / (span + TrackletLinking.stillness.least)
            let square = (speed * speed).sum()
            let nearest = square > 0 ? min(max((way * speed).sum() / square, least), most) : 0
            let rest = way - speed * nearest
            return (rest * rest).sum().squareRoot()
        }
    }

    private struct Pair {
        let cost: Double
        let earlier: Int
        let later: Int
    }

    /// Joins tracklets.
    ///
    /// - Returns: the objects in the order of their first frames. Only tracklets with an identity are joined.
    static func joined(_ tracklets: [Tracklet], times: FrameTimes) -> [Tracklet] {
        let sorted = tracklets.filter { !$0.places.isEmpty }
            .sorted { ($0.firstFrame, $0.id ?? .max) < ($1.firstFrame, $1.id ?? .max) }
        var next = [Int?](repeating: nil, count: sorted.count)
        var hasEarlier = [Bool](repeating: false, count: sorted.count)
        for pair in pairs(sorted, times: times) where next[pair.earlier] == nil && !hasEarlier[pair.later] {
            next[pair.earlier] = pair.later
            hasEarlier[pair.later] = true
        }
        return sorted.indices.filter { !hasEarlier[$0] }.map { first in
            var whole = sorted[first]
            var part = next[first]
            while let index = part {
                whole.append(sorted[index])
                part = next[index]
            }
            return whole
        }
    }

    /// The pairs that fit, the best first.
    private static func pairs(_ tracklets: [Tracklet], times: FrameTimes) -> [Pair] {
        let beginnings = tracklets.map { End($0.places, times: times) }
        var pairs: [Pair] = []
        for (earlier, tracklet) in tracklets.enumerated() where tracklet.id != nil {
            let end = End(tracklet.places.reversed(), times: times)
            // The first tracklet that begins after this end.
            var (low, high) = (0, tracklets.count)
            while low < high {
                let middle = (low + high) / 2
                if tracklets[middle].firstFrame > end.frame { high = middle } else { low = middle + 1 }
            }
            for later in low..<tracklets.count {
                guard beginnings[later].time - end.time <= longestGap else { break }
                guard tracklets[later].id != nil, tracklets[later].classIndex == tracklet.classIndex,
                    tracklets[later].segment == tracklet.segment, let cost = cost(end, beginnings[later])
                else { continue }
                pairs.append(Pair(cost: cost, earlier: earlier, later: later))
            }
        }
        return pairs.sorted { ($0.cost, $0.earlier, $0.later) < ($1.cost, $1.earlier, $1.later) }
    }

    /// The misfit of a beginning and an end, 0…1; nil if it does not fit.
    private static func cost(_ end: End, _ beginning: End) -> Double? {
        let passed = beginning.time - end.time
        let size = (end.size + beginning.size) / 2
        let forward = end.distance(to: beginning.center, after: passed, size: size)
        let back = beginning.distance(to: end.center, after: -passed, size: size)
        let reach = reach.atOnce + reach.perSecond * passed
        // The edge of the picture cuts off one of the two where an object comes in.
        let growth = min(abs(log(beginning.size.x / end.size.x)), abs(log(beginning.size.y / end.size.y)))
        let cost = (forward + back) / (2 * reach) + growth / sizeTolerance * 0.5 + gapCost * passed / longestGap
        return cost < 1 && growth < sizeTolerance ? cost : nil
    }
}
