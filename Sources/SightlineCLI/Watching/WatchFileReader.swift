import ArgumentParser
import CommandLineSupport
import Foundation
import Sightline
import Yams

/// Reads the text of a ``WatchFile`` and notes all mistakes with their lines.
///
/// An entry of a camera is an option of `sightline track`, without dashes: `every: 3` is `--every 3`, `motion: true` is `--motion`, and
/// `zone: {yard: …}` is `--zone yard=…`. So an option has the same meaning, limits and messages in both.
struct WatchFileReader {
    private(set) var problems: [WatchFile.Problem] = []
    private var places: [WatchPlace] = []
    private let environment: [String: String]

    init(environment: [String: String]) { self.environment = environment }

    private static let options = OptionNames(TrackCommand.self)
    /// The options of `sightline track` that a camera may have.
    static let trackKeys = options.all.subtracting(otherOptions).subtracting(OptionNames(EventArguments.self).all)
    /// The options of `sightline track` that need an end of the video, make files of all frames, or belong to the whole command.
    static let otherOptions: Set = [
        "annotate", "blur", "blur-faces", "crop", "detections", "draw", "format", "frame-rate", "from", "help",
        "max-bytes",
        "no-optimize", "no-times", "offline", "output", "pixels", "preview", "stdin-format", "threads", "to", "trace",
        "workers",
    ]
    private static let cameraKeys = trackKeys.union(["input", "schedule", "pictures", "blur"])
    /// The options of `sightline track` for the destinations of events. A camera has its name from the file.
    static let deliveryKeys = OptionNames(EventArguments.self).all.subtracting(["help", "name"])
    private static let fileKeys = deliveryKeys.union(["cameras", "defaults", "metrics", "events"])
    /// The largest numbers of cameras, and of values of an entry.
    private static let (mostCameras, mostValues) = (256, 1000)

    /// An entry of a mapping.
    private struct Entry {
        let key: String
        let value: Node
        let line: Int
    }

    private mutating func note(_ line: Int, _ text: String) { problems.append(.init(line: line, text: text)) }

    /// Reads a file; nil after notes if there is nothing to use.
    mutating func read(_ yaml: String) -> WatchFile? {
        let root: Node?
        do {
            root = try YAMLText.root(of: yaml)
        } catch {
            note(error.line, error.text)
            return nil
        }
        guard let root, root.mapping != nil else {
            note(1, "The file has no entries; it needs the entry cameras.")
            return nil
        }
        let entries = self.entries(of: root, named: "the file", keys: Self.fileKeys)
        var defaults: [Entry] = []
        if let entry = entries.first(where: { $0.key == "defaults" }) {
            defaults = self.entries(of: entry.value, named: "defaults", keys: Self.cameraKeys)
        }
        var cameras: [WatchFile.Camera] = []
        if let entry = entries.first(where: { $0.key == "cameras" }) {
            cameras = self.cameras(entry, defaults)
        } else {
            note(1, "The file has no cameras; add the entry cameras, with a name and an input for each.")
        }
        let events = place(of: "events", in: entries, .file)
        let metrics = place(of: "metrics", in: entries, .file)
        _ = place(of: "queue", in: entries, .folder)
        let given = entries.filter { Self.deliveryKeys.contains($0.key) }
        guard let (delivery, words) = parsed(EventArguments.self, given, first: [], orAt: 1) else { return nil }
        for camera in cameras where camera.hidesFaces && camera.pictures == nil && !delivery.sendsPictures {
            note(
                camera.line,
                "The camera \(camera.name) has no pictures in which blur could hide faces; add the entry pictures."
            )
        }
        return WatchFile(
            cameras: cameras,
            delivery: delivery,
            deliveryWords: words,
            events: events,
            metrics: metrics,
            places: places.sorted { ($0.line, $0.path) < ($1.line, $1.path) }
        )
    }

    private mutating func cameras(_ entry: Entry, _ defaults: [Entry]) -> [WatchFile.Camera] {
        guard let mapping = entry.value.mapping, !mapping.isEmpty else {
            note(
                entry.line,
                "The entry cameras needs a name and an input for each camera, for example `door: {input: rtsp://door.local/}`."
            )
            return []
        }
        guard mapping.count <= Self.mostCameras else {
            note(entry.line, "The file has \(mapping.count) cameras, but \(Self.mostCameras) at most are allowed.")
            return []
        }
        return mapping.compactMap { key, value in
            let line = key.mark?.line ?? entry.line
            guard let name = key.string, Self.isName(name) else {
                note(line, "A camera's name has at most 64 characters: English letters, digits, - and _.")
                return nil
            }
            return camera(name, Entry(key: name, value: value, line: line), defaults)
        }
    }

    private static func isName(_ text: String) -> Bool { text.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil }

    private mutating func camera(_ name: String, _ entry: Entry, _ defaults: [Entry]) -> WatchFile.Camera? {
        let before = problems.count
        let own = entries(of: entry.value, named: "the camera \(name)", keys: Self.cameraKeys)
        let entries = own + defaults.filter { usual in !own.contains { $0.key == usual.key } }
        var schedule: WeeklySchedule?
        if let entry = entries.first(where: { $0.key == "schedule" }), let text = text(of: entry) {
            schedule = WeeklySchedule(text)
            if schedule == nil {
                note(entry.line, "A schedule has days and times, for example Mon-Fri 08:00-18:00, Sat 10:00-14:00.")
            }
        }
        var pictures: EventPictureFolder.Options?
        if let entry = entries.first(where: { $0.key == "pictures" }) { pictures = self.pictures(entry) }
        let blur = entries.first { $0.key == "blur" }
        if let blur, text(of: blur) != CatalogModel.faces {
            note(blur.line, "The entry blur hides faces in the pictures of events; write blur: faces.")
        }
        guard let given = entries.first(where: { $0.key == "input" }) else {
            note(entry.line, "The camera \(name) has no input; add its address, for example input: rtsp://door.local/.")
            return nil
        }
        guard let text = text(of: given), let input = expanded(text, at: given.line) else { return nil }
        for key in ["events", "counts"] { _ = place(of: key, in: entries, .file) }
        if let pictures, let entry = entries.first(where: { $0.key == "pictures" }) {
            places.append(WatchPlace(line: entry.line, path: pictures.folder, use: .folder))
        }
        places.append(WatchPlace(line: given.line, path: input, use: .input))
        guard !input.isEmpty, input != "-" else {
            note(given.line, "The camera \(name) needs an address, a device or a file as its input.")
            return nil
        }
        let options = entries.filter { Self.trackKeys.contains($0.key) }
        guard let (track, words) = parsed(TrackCommand.self, options, first: ["--", input], orAt: entry.line),
            problems.count == before
        else { return nil }
        return WatchFile.Camera(
            name: name,
            line: entry.line,
            words: words,
            track: track,
            schedule: schedule,
            pictures: pictures,
            hidesFaces: blur != nil
        )
    }

    private mutating func pictures(_ entry: Entry) -> EventPictureFolder.Options? {
        guard entry.value.mapping != nil else {
            return text(of: entry).map { EventPictureFolder.Options(folder: $0) }
        }
        var options: EventPictureFolder.Options?
        let entries = self.entries(of: entry.value, named: "pictures", keys: ["folder", "keep", "most"])
        if let folder = entries.first(where: { $0.key == "folder" }) {
            options = text(of: folder).map { EventPictureFolder.Options(folder: $0) }
        } else {
            note(entry.line, "The entry pictures needs a folder.")
        }
        for entry in entries where entry.key != "folder" {
            guard let text = text(of: entry) else { continue }
            if entry.key == "most", let most = Int(text), (1...1_000_000).contains(most) {
                options?.maximumCount = most
            } else if entry.key == "keep", let period = try? PeriodArgument(text) {
                options?.keepingTime = period.period
            } else {
                note(
                    entry.line,
                    entry.key == "most"
                        ? "The number of pictures must be a whole number from 1 to 1000000."
                        : "The time to keep pictures is a number with a unit, for example 12h or 7d."
                )
            }
        }
        return options
    }

    // MARK: Entries

    /// The entries of a mapping; notes unknown keys.
    private mutating func entries(of node: Node, named place: String, keys: Set<String>) -> [Entry] {
        guard let mapping = node.mapping else {
            note(node.mark?.line ?? 1, "\(Self.capitalized(place)) needs entries such as `key: value`.")
            return []
        }
        return mapping.compactMap { key, value in
            let line = key.mark?.line ?? 1
            guard let name = key.string, keys.contains(name) else {
                let word = key.string ?? "this"
                let near = Suggestion.nearest(to: word, among: keys.sorted()).first
                let advice = near.map { "; did you mean \($0)?" } ?? "."
                note(line, "\(Self.capitalized(place)) has no entry \(word.prefix(60))\(advice)")
                return nil
            }
            return Entry(key: name, value: value, line: line)
        }
    }

    /// The text of an entry; nil if there is none.
    private mutating func text(of key: String, in entries: [Entry]) -> String? {
        guard let entry = entries.first(where: { $0.key == key }) else { return nil }
        return text(of: entry)
    }

    /// The path in an entry, which is noted as a place.
    private mutating func place(of key: String, in entries: [Entry], _ use: WatchPlace.Use) -> String? {
        guard let entry = entries.first(where: { $0.key == key }), let path = text(of: entry) else { return nil }
        let place = WatchPlace(line: entry.line, path: path, use: use)
        if !places.contains(place) { places.append(place) }
        return path
    }

    private mutating func text(of entry: Entry) -> String? {
        if let text = entry.value.scalar?.string, !text.isEmpty, !text.contains("\0") { return text }
        note(
            entry.line,
            "The entry \(entry.key) needs a value\(entry.value.scalar?.string.isEmpty == false ? " without a zero character" : "")."
        )
        return nil
    }

    /// The text with values of the environment in place of `${NAME}`.
    private mutating func expanded(_ text: String, at line: Int) -> String? {
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "${"), let end = rest[start.upperBound...].firstIndex(of: "}") {
            let name = String(rest[start.upperBound..<end])
            guard let value = environment[name], !value.isEmpty else {
                note(line, "The variable \(name.prefix(60)) is not set; set it, or write the value into the file.")
                return nil
            }
            result += rest[..<start.lowerBound] + value
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    // MARK: Options

    /// Parses entries as options of a command line.
    ///
    /// - Parameters:
    ///   - first: the arguments of the command, which stand last.
    ///   - line: the line of mistakes that belong to no entry.
    private mutating func parsed<Arguments: ParsableArguments>(
        _ type: Arguments.Type,
        _ entries: [Entry],
        first: [String],
        orAt line: Int
    ) -> (Arguments, [String])? {
        var rest: [(entry: Entry, words: [String])] = []
        for entry in entries {
            guard let words = words(entry) else { continue }
            rest.append((entry, words))
        }
        let all = rest.flatMap(\.words) + first
        if let arguments = try? Arguments.parse(all) { return (arguments, all) }
        // An entry may need another one, so entries are added as long as one of them fits to those before.
        var accepted: [String] = []
        while let index = rest.firstIndex(where: { (try? Arguments.parse(accepted + $0.words + first)) != nil }) {
            accepted += rest.remove(at: index).words
        }
        func complaint(_ words: [String]) -> String? {
            do {
                _ = try Arguments.parse(accepted + words + first)
                return nil
            } catch {
                return Self.sentence(Arguments.message(for: error))
            }
        }
        for (index, (entry, words)) in rest.enumerated() {
            guard let own = complaint(words) else { continue }
            // A problem that a faulty entry causes elsewhere is not reported twice.
            let others = rest.enumerated().filter { $0.offset != index }.map(\.element.words)
            if others.allSatisfy({ complaint(words + $0) == own }) { note(entry.line, own) }
        }
        if rest.isEmpty, let own = complaint([]) { note(line, own) }
        return nil
    }

    /// The words of a command line for an entry; nil after a note.
    private mutating func words(_ entry: Entry) -> [String]? {
        let option = "--" + entry.key
        if Self.options.flags.contains(entry.key) {
            guard let isOn = entry.value.scalar.flatMap({ YAMLText.boolean($0.string) }) else {
                note(entry.line, "The entry \(entry.key) is true or false.")
                return nil
            }
            return isOn ? [option] : Self.options.flags.contains("no-" + entry.key) ? ["--no-" + entry.key] : []
        }
        if entry.key == "state" { return stateWords(entry) }
        switch entry.value {
        case .scalar:
            return text(of: entry).map { ["\(option)=\($0)"] }
        case .sequence(let sequence):
            guard sequence.count <= Self.mostValues else { break }
            let texts = sequence.compactMap { $0.scalar?.string }
            guard texts.count == sequence.count else { break }
            return texts.map { "\(option)=\($0)" }
        case .mapping(let mapping):
            guard mapping.count <= Self.mostValues else { break }
            let pairs = mapping.compactMap { key, value in
                key.scalar.flatMap { key in value.scalar.map { "\(option)=\(key.string)=\($0.string)" } }
            }
            guard pairs.count == mapping.count else { break }
            return pairs
        case .alias: break
        }
        note(
            entry.line,
            "The entry \(entry.key) needs a value, a list of values, or values with names, at most \(Self.mostValues)."
        )
        return nil
    }

    /// The words of the option --state for each thing; nil after a note.
    private mutating func stateWords(_ entry: Entry) -> [String]? {
        guard let things = entry.value.mapping, things.count <= Self.mostValues else {
            note(
                entry.line,
                "The entry state needs names with a region and a model, for example "
                    + "`state: {gate: {region: \"100,50,200,200\", model: gate}}`."
            )
            return nil
        }
        let before = problems.count
        var words: [String] = []
        for (key, value) in things {
            let name = key.scalar?.string ?? ""
            var parts: [String] = []
            for part in entries(of: value, named: "the state \(name)", keys: StateArgument.keys) {
                if let value = text(of: part) { parts.append("\(part.key)=\(value)") }
            }
            guard problems.count == before else { continue }
            let thing = "\(name): \(parts.joined(separator: "; "))"
            do {
                _ = try StateArgument(thing)
                words.append("--state=\(thing)")
            } catch {
                note(key.mark?.line ?? entry.line, (error as? ValidationError)?.message ?? "\(error)")
            }
        }
        return problems.count == before ? words : nil
    }

    // MARK: Text

    private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    private static func sentence(_ text: String) -> String {
        let line = text.split(separator: "\n").first.map(String.init) ?? text
        return line.hasSuffix(".") || line.hasSuffix("?") ? line : line + "."
    }
}
