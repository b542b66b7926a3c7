import DurableFiles
import Foundation

/// A reason why a text is not a manifest.
package enum ManifestFormatError: Error, Sendable, Hashable {
    /// The text has a version of the format that this program does not know.
    case unknownFormat(String)
    /// The text is not a manifest: the reason as a part of a sentence.
    case malformed(String)
}

extension ModelManifest {
    /// Reads the text of a manifest.
    ///
    /// - Throws: `ManifestFormatError` unless the text is exactly the canonical form of a manifest.
    package init(_ text: String) throws(ManifestFormatError) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard let first = lines.popFirst() else { throw .malformed("it is empty") }
        guard first == Self.format else {
            let isManifest = first.hasPrefix("sightline-model-manifest ") && first.utf8.count <= 40
            throw isManifest ? .unknownFormat(String(first)) : .malformed("its first line is not \"\(Self.format)\"")
        }
        func value(_ name: String) throws(ManifestFormatError) -> Substring {
            guard let line = lines.popFirst(), line.hasPrefix("\(name) ") else {
                throw .malformed("the field \"\(name)\" is missing or not in its place")
            }
            return line.dropFirst(name.utf8.count + 1)
        }
        func number(_ name: String, atMost most: Int64) throws(ManifestFormatError) -> Int64 {
            guard let number = Int64(try value(name)), (1...most).contains(number) else {
                throw .malformed("\"\(name)\" is not a number from 1 to \(most)")
            }
            return number
        }
        func time(_ name: String) throws(ManifestFormatError) -> Int64 {
            guard let time = ManifestTime.seconds(try value(name)) else {
                throw .malformed("\"\(name)\" is not a time")
            }
            return time
        }
        func digest(_ name: String) throws(ManifestFormatError) -> String {
            let text = try value(name)
            guard SHA256.isHexadecimalDigest(text) else { throw .malformed("\"\(name)\" is not a SHA-256") }
            return String(text)
        }
        let parts = try value("project").split(separator: " ")
        guard parts.count == 2, Self.isWord(parts[0], atMost: 64), let ofProject = Int64(parts[1]), ofProject >= 0
        else {
            throw .malformed("\"project\" is not an id and a number")
        }
        (project, projectNumber) = (String(parts[0]), ofProject)
        let name = try value("name")
        guard Self.isWord(name, atMost: 60) else { throw .malformed("\"name\" is not the name of a model") }
        self.name = String(name)
        alias = ModelAlias(rawValue: String(try value("alias")))
        guard alias.isValid else { throw .malformed("\"alias\" is not an alias") }
        version = Int(try number("version", atMost: Int64(Int32.max)))
        byteCount = Int(try number("size", atMost: Int64(DownloadResource.maximumByteCount)))
        hash = try digest("sha256")
        let labels = try value("labels")
        guard labels == "-" || SHA256.isHexadecimalDigest(labels) else {
            throw .malformed("\"labels\" is not a SHA-256")
        }
        self.labels = labels == "-" ? nil : String(labels)
        let threshold = try value("threshold")
        if threshold == "-" {
            confidenceThreshold = nil
        } else {
            guard let number = Double(threshold), (0...1).contains(number) else {
                throw .malformed("\"threshold\" is not a number from 0 to 1")
            }
            confidenceThreshold = number
        }
        serial = try number("serial", atMost: .max)
        (issued, expires) = (try time("issued"), try time("expires"))
        let key = try value("key")
        guard SigningKeyID.isValid(key) else { throw .malformed("\"key\" is not the id of a key") }
        self.key = String(key)
        // Leading zeros, other spellings of a number, and anything after the last line.
        guard self.text.utf8.elementsEqual(text.utf8) else { throw .malformed("it is not in the canonical form") }
    }

    /// Letters, digits, hyphens and underscores.
    private static func isWord(_ text: Substring, atMost count: Int) -> Bool {
        (1...count).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (97...122).contains($0) || (65...90).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 95
            }
    }
}
