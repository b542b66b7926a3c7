import ArgumentParser
import Sightline

/// A thing whose state is read, as `name: region=x,y,width,height; model=file; every=1s; for=3s`.
struct StateArgument: Sendable, Hashable {
    /// The name of the thing.
    let name: String
    /// The part of the picture that shows the thing.
    let region: PixelRect
    /// The file, the folder or the name of the model.
    let model: String
    /// The shortest time between two readings.
    var interval = Duration.seconds(1)
    /// The time over which all readings must agree.
    var holdingTime = Duration.seconds(3)

    /// The names of the parts.
    static let keys: Set = ["region", "model", "every", "for"]
    private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]

    /// - Throws: `ValidationError`.
    init(_ text: String) throws {
        let example = "for example --state 'gate: region=100,50,200,200; model=gate; every=1s; for=3s'."
        guard let colon = text.firstIndex(of: ":") else {
            throw ValidationError("A state has a name and a colon in front, \(example)")
        }
        let name = text[..<colon].trimmingCharacters(in: .whitespaces)
        guard !name.isEmpty, name.count <= 64, !name.contains(where: \.isNewline) else {
            throw ValidationError("The name of a state has 1 to 64 characters, \(example)")
        }
        self.name = name
        var values: [String: String] = [:]
        for part in text[text.index(after: colon)...].split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard pair.count == 2, Self.keys.contains(pair[0]), !pair[1].isEmpty, values[pair[0]] == nil else {
                throw ValidationError(
                    "The state \(name) has the parts region, model, every and for, each at most once, not “\(part.trimmingCharacters(in: .whitespaces))”; \(example)"
                )
            }
            values[pair[0]] = pair[1]
        }
        guard let region = values["region"], let model = values["model"] else {
            let missing = values["region"] == nil ? "region" : "model"
            throw ValidationError("The state \(name) needs a \(missing), \(example)")
        }
        guard let found = Self.region(region) else {
            throw ValidationError(
                "The region of the state \(name) is neither x,y,width,height nor at least three corners 'x,y x,y x,y' around an area: \(region)."
            )
        }
        (self.region, self.model) = (found, model)
        if let text = values["every"] { interval = try Self.time(text, of: "every", from: 0.1, name) }
        if let text = values["for"] { holdingTime = try Self.time(text, of: "for", from: 0, name) }
    }

    /// The rectangle, or the box around corners, as a zone has them; nil for another text.
    private static func region(_ text: String) -> PixelRect? {
        if let region = RegionArgument(argument: text)?.rect { return region }
        guard let corners = try? ZoneArgument(text).corners, let first = corners.first else { return nil }
        var box = (left: first.x, top: first.y, right: first.x, bottom: first.y)
        for corner in corners {
            box.left = min(box.left, corner.x)
            box.top = min(box.top, corner.y)
            box.right = max(box.right, corner.x)
            box.bottom = max(box.bottom, corner.y)
        }
        guard box.right > box.left, box.bottom > box.top else { return nil }
        return PixelRect(x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top)
    }

    private static func time(_ text: String, of key: String, from least: Double, _ name: String) throws -> Duration {
        let unit = text.last.flatMap { units[$0] }
        guard let number = Double(unit == nil ? text : String(text.dropLast())),
            case let seconds = number * (unit ?? 1),
            (least...86_400).contains(seconds)
        else {
            throw ValidationError(
                "The time \(key) of the state \(name) is a number with a unit from \(least) s to 24 h, for example 3s or 1m, not \(text)."
            )
        }
        return .seconds(seconds)
    }
}
