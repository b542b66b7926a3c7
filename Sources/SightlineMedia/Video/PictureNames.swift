import Foundation
import Sightline

/// The names of pictures that form a video.
enum PictureNames {
    /// The pictures of a folder, in the order of their names; numbers in names count as numbers.
    static func inFolder(_ folder: URL) throws(VideoError) -> [URL] {
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
                .filter { !$0.hasPrefix(".") && FileKind(of: folder.appending(path: $0)) == .picture }
            return sorted(names.map { folder.appending(path: $0) })
        } catch {
            throw .unreadable(input: folder.path(percentEncoded: false), reason: "the folder cannot be listed")
        }
    }

    /// Files in the order of their paths; numbers in names count as numbers.
    static func sorted(_ files: [URL]) -> [URL] {
        files.map { (file: $0, key: key(of: $0.path(percentEncoded: false))) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map(\.file)
    }

    /// The sort key of a name: numbers by their size, other text by its bytes.
    private static func key(of name: String) -> [NamePart] {
        var parts: [NamePart] = []
        var digits: [UInt8] = []
        func endNumber() {
            guard !digits.isEmpty else { return }
            let significant = digits.drop { $0 == UInt8(ascii: "0") }
            parts.append(NamePart(length: significant.count + 1, bytes: Array(significant)))
            parts.append(NamePart(length: 0, bytes: digits))
            digits = []
        }
        for byte in name.utf8 {
            if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                digits.append(byte)
            } else {
                endNumber()
                parts.append(NamePart(length: 0, bytes: [byte]))
            }
        }
        endNumber()
        return parts
    }

    private struct NamePart: Comparable {
        /// The number of digits plus 1, because longer numbers are larger; 0 for text.
        let length: Int
        let bytes: [UInt8]

        static func < (first: NamePart, second: NamePart) -> Bool {
            first.length != second.length
                ? first.length < second.length : first.bytes.lexicographicallyPrecedes(second.bytes)
        }
    }

    static func isPattern(_ name: String) -> Bool { PicturePattern(name) != nil }

    /// Whether a name has wildcards of a shell, such as `*.jpg`.
    static func isWildcard(_ name: String) -> Bool { name.contains { "*?[".contains($0) } }

    /// Whether a file has a name of a pattern with wildcards.
    static func matches(_ file: URL, _ wildcard: String) -> Bool {
        fnmatch(wildcard, file.lastPathComponent, FNM_PERIOD) == 0
    }
}

/// A file name with a place for a number, for example `img%06d.jpg` or `%d.png`. `%%` stands for a percent sign.
struct PicturePattern {
    private let prefix: String
    private let suffix: String
    /// The smallest number of digits.
    private let width: Int

    /// The pattern in a file name; nil if there is not exactly one place for a number.
    init?(_ name: String) {
        guard let place = name.firstRange(of: /%(?:0([0-9]{1,2}))?d/),
            let match = try? /%(?:0([0-9]{1,2}))?d/.wholeMatch(in: name[place])
        else { return nil }
        let (before, after) = (name[..<place.lowerBound], name[place.upperBound...])
        guard !after.contains(/%(?:0[0-9]{1,2})?d/) else { return nil }
        prefix = String(before).replacing("%%", with: "%")
        suffix = String(after).replacing("%%", with: "%")
        width = match.1.flatMap { Int($0) } ?? 1
    }

    func name(_ number: Int) -> String {
        let digits = String(number)
        return prefix + String(repeating: "0", count: max(width - digits.count, 0)) + digits + suffix
    }

    /// The number in a name that matches the pattern.
    func number(in name: String) -> Int? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix), name.count >= prefix.count + suffix.count + width else {
            return nil
        }
        let digits = name.dropFirst(prefix.count).dropLast(suffix.count)
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits), self.name(number) == name
        else {
            return nil
        }
        return number
    }
}
