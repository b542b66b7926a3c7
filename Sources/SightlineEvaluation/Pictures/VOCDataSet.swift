import DurableFiles
import Foundation
import Sightline

/// Boxes in the XML files of Pascal VOC, one for each picture, and in the one XML file of CVAT ("CVAT for images 1.1").
///
/// ```
/// Annotations/1.xml      or 1.xml in the folder itself
/// JPEGImages/1.jpg       or images/1.jpg, or beside the XML file
/// ```
///
/// Corners are pixels of the picture. Sources: host.robots.ox.ac.uk/pascal/VOC, docs.cvat.ai ("CVAT for image").
struct VOCDataSet {
    let annotations: BoxAnnotations
    /// The folder of the pictures.
    let folder: URL

    /// Recognizes a folder with XML files, or an XML file; nil for anything else.
    ///
    /// - Parameter pictures: The folder of the pictures; nil to look for it.
    /// - Throws: `EvaluationError.malformedAnnotations` or `.unreadable`.
    init?(contentsOf url: URL, pictures: URL?) throws(EvaluationError) {
        if YOLODataSet.isFolder(url) {
            guard let (place, names) = Self.files(in: url) else { return nil }
            folder = pictures ?? Self.usualFolder(for: place)
            var boxes = DrawnBoxes(name: url.absoluteURL.standardizedFileURL.lastPathComponent)
            var paths = AnnotatedPaths(folder)
            for name in names {
                let file = place.appending(path: name)
                let root = try Self.root(of: file)
                guard root.name == "annotation" else {
                    throw Self.malformed(file, "its element is <\(root.name.prefix(40))>, expected <annotation>")
                }
                try Self.add(root, of: file, in: folder, &paths, to: &boxes)
            }
            annotations = boxes.annotations
            return
        }
        guard url.pathExtension.lowercased() == "xml" else { return nil }
        let root = try Self.root(of: url)
        folder = pictures ?? Self.usualFolder(for: url.deletingLastPathComponent())
        var boxes = DrawnBoxes(name: url.lastPathComponent)
        var paths = AnnotatedPaths(folder)
        switch root.name {
        case "annotation": try Self.add(root, of: url, in: folder, &paths, to: &boxes)
        case "annotations": try Self.addImages(of: root, of: url, &paths, to: &boxes)
        default:
            throw Self.malformed(
                url,
                "its element is <\(root.name.prefix(40))>, expected <annotation> (Pascal VOC) or <annotations> (CVAT)"
            )
        }
        annotations = boxes.annotations
    }

    /// The folder with XML files, and their names; nil if there are none.
    private static func files(in url: URL) -> (folder: URL, names: [String])? {
        for folder in [url.appending(path: "Annotations"), url.appending(path: "annotations"), url] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
            let files = names.filter { $0.lowercased().hasSuffix(".xml") && !$0.hasPrefix(".") }.sorted()
            if !files.isEmpty { return (folder, files) }
        }
        return nil
    }

    private static func usualFolder(for folder: URL) -> URL {
        let above = folder.deletingLastPathComponent()
        let candidates = [
            above.appending(path: "JPEGImages"), folder.appending(path: "JPEGImages"), above.appending(path: "images"),
            folder.appending(path: "images"),
        ]
        return candidates.first { YOLODataSet.isFolder($0) } ?? folder
    }

    private static func root(of url: URL) throws(EvaluationError) -> XMLElement {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw .unreadable(path: url.path(percentEncoded: false), reason: SystemReason.of(error))
        }
        do throws(XMLElement.Mistake) {
            return try XMLElement.root(of: data)
        } catch {
            throw malformed(url, error.reason)
        }
    }

    private static func malformed(_ url: URL, _ reason: String) -> EvaluationError {
        .malformedAnnotations(path: url.path(percentEncoded: false), reason: reason)
    }

    /// Adds a picture of Pascal VOC.
    private static func add(
        _ root: XMLElement,
        of file: URL,
        in folder: URL,
        _ paths: inout AnnotatedPaths,
        to boxes: inout DrawnBoxes
    ) throws(EvaluationError) {
        guard let name = root["filename"]?.text, !name.isEmpty else { throw malformed(file, "<filename> is missing") }
        let size = PixelSize(
            width: root["size"]?["width"].flatMap { Int($0.text) } ?? 0,
            height: root["size"]?["height"].flatMap { Int($0.text) } ?? 0
        )
        var found: [DrawnBoxes.Box] = []
        for (number, object) in root.children.filter({ $0.name == "object" }).enumerated() {
            let corners = ["xmin", "ymin", "xmax", "ymax"].map { object["bndbox"]?[$0].flatMap { Double($0.text) } }
            guard let frame = PixelRect(corners: corners), let label = object["name"]?.text, !label.isEmpty else {
                throw malformed(
                    file,
                    "object \(number + 1) has no <name> or no <bndbox> with the numbers xmin, ymin, xmax and ymax"
                )
            }
            found.append(.init(label: label, frame: frame))
        }
        boxes.add(path(of: name, in: folder, &paths), size, found)
    }

    /// The file of a picture: by its path, otherwise by its name, since labelImg writes the path on the machine where it ran.
    private static func path(of name: String, in folder: URL, _ paths: inout AnnotatedPaths) -> String {
        let path = paths.path(of: name)
        guard !FileManager.default.fileExists(atPath: folder.appending(path: path).path(percentEncoded: false)),
            let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last
        else { return path }
        return paths.path(of: String(last))
    }

    /// Adds the pictures of CVAT.
    private static func addImages(
        of root: XMLElement,
        of file: URL,
        _ paths: inout AnnotatedPaths,
        to boxes: inout DrawnBoxes
    ) throws(EvaluationError) {
        let images = root.children.filter { $0.name == "image" }
        guard !images.isEmpty else {
            throw malformed(file, "it has no <image>; export from CVAT as \"CVAT for images 1.1\"")
        }
        for image in images {
            guard let name = image.attributes["name"] else { throw malformed(file, "an <image> has no name") }
            let size = PixelSize(
                width: image.attributes["width"].flatMap { Int($0) } ?? 0,
                height: image.attributes["height"].flatMap { Int($0) } ?? 0
            )
            var found: [DrawnBoxes.Box] = []
            for box in image.children where box.name == "box" {
                let corners = ["xtl", "ytl", "xbr", "ybr"].map { box.attributes[$0].flatMap { Double($0) } }
                guard let frame = PixelRect(corners: corners), let label = box.attributes["label"], !label.isEmpty
                else {
                    throw malformed(file, "a <box> of \(name) has no label, or no numbers xtl, ytl, xbr and ybr")
                }
                found.append(.init(label: label, frame: frame))
            }
            boxes.add(paths.path(of: name), size, found)
        }
    }
}
