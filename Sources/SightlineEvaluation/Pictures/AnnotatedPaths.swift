import Foundation

/// Finds the files of annotated pictures in a folder or an archive.
///
/// Annotations are often made on another machine: names begin with `./` or with the path of a folder there, have Windows'
/// backslashes, another case, or the other Unicode form of a letter with an accent. A file counts as found only if it is the only
/// one that the name can mean.
package struct AnnotatedPaths {
    private enum PictureOrigin {
        case folder(URL)
        /// The folder of the annotations, with a slash at the end unless it is empty.
        case archive(beside: String)
    }

    private let place: PictureOrigin
    /// The files by their paths. Equal text may have different bytes: Swift compares letters with accents by their meaning. A
    /// folder is listed when a name is not a path.
    private var known: [String: String]?
    /// The files by their paths in lower case, and by their names.
    private var (byCase, byName): ([String: [String]], [String: [String]]) = ([:], [:])

    /// The files of a folder.
    package init(_ folder: URL) { place = .folder(folder) }

    /// The files of an archive.
    package init(_ paths: [String], beside annotations: String) {
        place = .archive(beside: String(annotations.dropLast(Self.name(of: annotations).count)))
        index(paths)
    }

    /// The path of a picture's file; if there is none, the name in the annotations.
    package mutating func path(of name: String) -> String {
        for candidate in candidates(name) {
            if let path = file(candidate) { return path }
        }
        return name
    }

    /// The paths that a name can mean, the likeliest first.
    private func candidates(_ name: String) -> [String] {
        var texts = [name]
        if name.lowercased().hasPrefix("file://"), let url = URL(string: name) {
            texts.append(url.path(percentEncoded: false))
        }
        let trimmed = name.trimmingCharacters(in: .whitespacesAndNewlines)
        texts += [trimmed, trimmed.replacing("\\", with: "/")]
        var (found, endings) = ([String](), [String]())
        for text in texts {
            let parts = text.split(separator: "/").filter { $0 != "." }
            guard !parts.isEmpty, !parts.contains(".."), !text.contains("\0") else { continue }
            let path = parts.joined(separator: "/")
            switch place {
            case .archive(let folder):
                found += ["\(folder)images/\(path)", folder + path]
                let ending = byName[Self.name(of: path), default: []].filter { $0 == path || $0.hasSuffix("/\(path)") }
                if ending.count == 1 { endings += ending }
            case .folder(let folder):
                if text.hasPrefix("/") {
                    let roots = [folder.absoluteURL.standardizedFileURL, folder.resolvingSymlinksInPath()]
                    for root in roots.map({ $0.path(percentEncoded: false).trimmingSlash + "/" })
                    where text.hasPrefix(root) {
                        found.append(String(text.dropFirst(root.count)))
                    }
                } else {
                    found.append(path)
                }
                // The folder's name may be a part of the path, as in `/data/birds/images/a.png`.
                let folderName = folder.absoluteURL.standardizedFileURL.lastPathComponent
                for (place, part) in parts.enumerated() where part == folderName && place + 1 < parts.count {
                    found.append(parts[(place + 1)...].joined(separator: "/"))
                }
            }
        }
        return found + endings
    }

    /// The file with a path, or the only file whose path differs from it in the case of letters.
    private mutating func file(_ path: String) -> String? {
        if case .folder(let folder) = place {
            if FileManager.default.fileExists(atPath: folder.appending(path: path).path(percentEncoded: false)) {
                return path
            }
            if known == nil { index(Self.files(in: folder)) }
        }
        if let path = known?[path] { return path }
        let similar = byCase[path.lowercased(), default: []]
        return similar.count == 1 ? similar[0] : nil
    }

    private mutating func index(_ paths: [String]) {
        known = Dictionary(paths.map { ($0, $0) }, uniquingKeysWith: { first, _ in first })
        byCase = Dictionary(grouping: paths) { $0.lowercased() }
        byName = Dictionary(grouping: paths, by: Self.name)
    }

    private static func files(in folder: URL) -> [String] {
        let root = folder.path(percentEncoded: false)
        guard let paths = FileManager.default.enumerator(atPath: root) else { return [] }
        return paths.compactMap { $0 as? String }
    }

    private static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
}

extension String {
    fileprivate var trimmingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
