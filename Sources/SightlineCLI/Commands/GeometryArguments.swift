import ArgumentParser
import Sightline

/// A counting line as `x1,y1,x2,y2`.
struct LineArgument: ExpressibleByArgument, Sendable, Hashable {
    let start: PixelPoint
    let end: PixelPoint

    init?(argument: String) {
        guard let numbers = coordinates(argument, separatedBy: ","), numbers.count == 4 else { return nil }
        start = PixelPoint(x: numbers[0], y: numbers[1])
        end = PixelPoint(x: numbers[2], y: numbers[3])
        guard start != end else { return nil }
    }
}

/// A zone's corners as `x,y x,y x,y …`, at least three of them.
struct ZoneArgument: ExpressibleByArgument, Sendable, Hashable {
    let corners: [PixelPoint]

    init?(argument: String) {
        var corners: [PixelPoint] = []
        for corner in argument.split(separator: " ") {
            guard let numbers = coordinates(String(corner), separatedBy: ","), numbers.count == 2 else { return nil }
            corners.append(PixelPoint(x: numbers[0], y: numbers[1]))
        }
        guard corners.count >= 3 else { return nil }
        self.corners = corners
    }
}

/// A time in a video: seconds, `mm:ss` or `hh:mm:ss`, with decimals.
struct TimeArgument: ExpressibleByArgument, Sendable, Hashable {
    let time: Duration

    init?(argument: String) {
        guard let parts = coordinates(argument, separatedBy: ":"), parts.count <= 3,
            parts.allSatisfy({ $0 >= 0 }), parts.dropFirst().allSatisfy({ $0 < 60 })
        else { return nil }
        let seconds = parts.reduce(0) { $0 * 60 + $1 }
        // Longer than any video, and far below the limit of a duration.
        guard seconds < 1e9 else { return nil }
        time = .seconds(seconds)
    }
}

/// Finite numbers between separators; nil if a part is not a finite number.
func coordinates(_ text: String, separatedBy separator: Character) -> [Double]? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Double($0) }
    return numbers.count == parts.count && numbers.allSatisfy(\.isFinite) ? numbers : nil
}
