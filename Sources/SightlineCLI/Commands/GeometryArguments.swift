import ArgumentParser
import Foundation
import Sightline

/// A counting line as `x1,y1,x2,y2` or `name=x1,y1,x2,y2`.
struct LineArgument: Sendable, Hashable {
    /// Nil if the line has no name of its own.
    let name: String?
    let start: PixelPoint
    let end: PixelPoint

    /// - Throws: `ValidationError`.
    init(_ text: String) throws {
        let text = try named(text)
        name = text.name
        guard let numbers = coordinates(text.rest, separatedBy: ","), numbers.count == 4 else {
            throw ValidationError("A line has two points of two numbers each, for example --line 0,400,1280,400.")
        }
        start = PixelPoint(x: numbers[0], y: numbers[1])
        end = PixelPoint(x: numbers[2], y: numbers[3])
        guard start != end else {
            throw ValidationError("Both points are the same; a line needs two, for example --line 0,400,1280,400.")
        }
    }
}

/// A zone's corners as `x,y x,y x,y …` or `name=x,y x,y x,y …`, at least three of them.
struct ZoneArgument: Sendable, Hashable {
    /// Nil if the zone has no name of its own.
    let name: String?
    let corners: [PixelPoint]

    /// - Throws: `ValidationError`.
    init(_ text: String) throws {
        let example = "for example --zone '0,300 640,300 640,480'."
        let text = try named(text)
        name = text.name
        corners = try text.rest.split(separator: " ").map { corner in
            guard let numbers = coordinates(String(corner), separatedBy: ","), numbers.count == 2 else {
                throw ValidationError("The corner \(corner) is not two numbers with a comma between them, \(example)")
            }
            return PixelPoint(x: numbers[0], y: numbers[1])
        }
        guard corners.count >= 3 else {
            throw ValidationError("A zone has at least three corners, with spaces between them, in quotes, \(example)")
        }
    }
}

/// A time in a video: seconds, `mm:ss` or `hh:mm:ss`, with decimals.
struct TimeArgument: Sendable, Hashable {
    let time: Duration

    /// - Throws: `ValidationError`.
    init(_ text: String) throws {
        // Longer than any video, and far below the limit of a duration.
        guard let parts = coordinates(text, separatedBy: ":"), parts.count <= 3,
            parts.allSatisfy({ $0 >= 0 }), parts.dropFirst().allSatisfy({ $0 < 60 }),
            case let seconds = parts.reduce(0, { $0 * 60 + $1 }), seconds < 1e9
        else {
            throw ValidationError(
                "A time is a number of seconds, mm:ss or hh:mm:ss, for example 90, 1:30 or 0:01:30.5."
            )
        }
        time = .seconds(seconds)
    }
}

/// The name in front of the last equals sign of a text, if there is one, and the rest.
///
/// - Throws: `ValidationError` if the name is empty.
private func named(_ text: String) throws -> (name: String?, rest: String) {
    guard let sign = text.lastIndex(of: "=") else { return (nil, text) }
    let name = text[..<sign].trimmingCharacters(in: .whitespaces)
    guard !name.isEmpty else {
        throw ValidationError(
            "The name in front of = is empty; write a name, as in door=320,0,320,480, or leave out the =."
        )
    }
    return (name, String(text[text.index(after: sign)...]))
}

/// Finite numbers between separators; nil if a part is not a finite number.
func coordinates(_ text: String, separatedBy separator: Character) -> [Double]? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Double($0) }
    return numbers.count == parts.count && numbers.allSatisfy(\.isFinite) ? numbers : nil
}
