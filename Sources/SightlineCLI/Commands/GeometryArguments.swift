import ArgumentParser
import Sightline

/// A counting line as `x1,y1,x2,y2`.
struct LineArgument: ExpressibleByArgument, Sendable, Hashable {
    let numbers: [Double]

    init?(argument: String) {
        guard let numbers = coordinates(argument, separatedBy: ","), numbers.count == 4,
            numbers[0] != numbers[2] || numbers[1] != numbers[3]
        else { return nil }
        self.numbers = numbers
    }
}

/// A zone's corners as `x,y x,y x,y …`, at least three of them.
struct ZoneArgument: ExpressibleByArgument, Sendable, Hashable {
    let corners: [(x: Double, y: Double)]

    init?(argument: String) {
        var corners: [(x: Double, y: Double)] = []
        for corner in argument.split(separator: " ") {
            guard let numbers = coordinates(String(corner), separatedBy: ","), numbers.count == 2 else { return nil }
            corners.append((numbers[0], numbers[1]))
        }
        guard corners.count >= 3 else { return nil }
        self.corners = corners
    }

    static func == (one: Self, other: Self) -> Bool {
        one.corners.elementsEqual(other.corners) { $0 == $1 }
    }

    func hash(into hasher: inout Hasher) {
        for corner in corners {
            hasher.combine(corner.x)
            hasher.combine(corner.y)
        }
    }
}

/// A place in a video: seconds, `mm:ss` or `hh:mm:ss`, with decimals.
struct TimeArgument: ExpressibleByArgument, Sendable, Hashable {
    let time: Duration

    init?(argument: String) {
        guard let parts = coordinates(argument, separatedBy: ":"), parts.count <= 3,
            parts.allSatisfy({ $0 >= 0 }), parts.dropFirst().allSatisfy({ $0 < 60 })
        else { return nil }
        let seconds = parts.reduce(0) { $0 * 60 + $1 }
        // Longer than any video, and far from what a duration cannot hold.
        guard seconds < 1e9 else { return nil }
        time = .seconds(seconds)
    }
}

/// Finite numbers between separators; nil if one is none.
private func coordinates(_ text: String, separatedBy separator: Character) -> [Double]? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Double($0) }
    return numbers.count == parts.count && numbers.allSatisfy(\.isFinite) ? numbers : nil
}
