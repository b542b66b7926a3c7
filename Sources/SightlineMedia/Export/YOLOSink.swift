import DurableFiles
import Foundation
import Sightline
import TextFormatting

extension ResultFormat {
    /// Labels for training YOLO, in the layout of Ultralytics (docs.ultralytics.com, "Object Detection Datasets Overview").
    ///
    /// The folder gets `labels/PATH.txt` for each picture, with a line `class cx cy width height` for each object, in fractions of
    /// the picture. The class is the index of the object's most confident label. Objects without labels have one more class,
    /// "object". `classes.txt` and `data.yaml` name the classes. The pictures belong into the folder `images` beside `labels`; the command puts links
    /// to them there.
    public static let yolo = ResultFormat(
        name: "yolo",
        summary: "a folder with YOLO labels: labels/*.txt, classes.txt and data.yaml; needs --output",
        kinds: [.objects, .frames],
        makeFolderSink: { try YOLOSink($0, folder: $1, writesConfidence: false) }
    )

    /// As ``yolo``, with the confidence as a sixth number. Ultralytics writes such files for predictions and does not train with them.
    public static let yoloWithConfidence = ResultFormat(
        name: "yolo-confidence",
        summary: "as yolo, with the confidence as a sixth number; not for training",
        kinds: [.objects, .frames],
        makeFolderSink: { try YOLOSink($0, folder: $1, writesConfidence: true) }
    )

    /// As ``yolo``, for training segmentation: a line is `class x1 y1 x2 y2 …` with the corners of the object's outline. The parts of a mask and its holes are
    /// joined by lines that lead there and back. An object without a mask has the corners of its box.
    public static let yoloOutlines = ResultFormat(
        name: "yolo-seg",
        summary: "as yolo, with the outlines of masks, for training segmentation",
        kinds: [.objects, .frames],
        makeFolderSink: { try YOLOSink($0, folder: $1, writesOutlines: true) }
    )
}

/// Writes ``ResultFormat/yolo``.
private struct YOLOSink: ResultSink {
    private let folder: URL
    private let writesConfidence: Bool
    private let writesOutlines: Bool
    private var classes: ClassList
    private var files = TakenPaths()
    private var frameCount = 0

    init(
        _ options: ResultSinkOptions,
        folder: URL,
        writesConfidence: Bool = false,
        writesOutlines: Bool = false
    ) throws {
        self.folder = folder
        self.writesOutlines = writesOutlines
        self.writesConfidence = writesConfidence
        classes = ClassList(try options.classNames())
        try Self.createFolder(folder.appending(path: "labels"))
    }

    func begin() throws { try writeClasses() }

    mutating func append(_ picture: PictureResult) throws {
        if let size = picture.size { try append(picture.objects, in: size, picture.path) }
    }

    mutating func append(_ frame: StreamResult, events: [StreamEvent]) throws {
        try append(frame.objects, in: frame.size, frame.path)
    }

    private mutating func append(_ objects: [DetectedObject], in size: PixelSize, _ picture: String) throws {
        let known = classes.names
        let lines = objects.compactMap { line($0, size) }
        if classes.names != known { try writeClasses() }
        let path = URL(filePath: "/labels/\(picture)").deletingPathExtension().path(percentEncoded: false)
        let file = folder.appending(path: "\(path.dropFirst()).txt")
        frameCount += 1
        guard files.take(file.path(percentEncoded: false), for: "\(frameCount)") else {
            throw MediaError.unsupportedResults(
                format: "yolo",
                reason: "two pictures have the same label file, \(file.path(percentEncoded: false)); rename one of them"
            )
        }
        try Self.createFolder(file.deletingLastPathComponent())
        try Self.write(lines.joined(), to: file)
    }

    /// The line of an object; nil if the object lies outside the picture.
    private mutating func line(_ object: DetectedObject, _ size: PixelSize) -> String? {
        // Ultralytics rejects coordinates outside 0…1.
        guard let frame = object.frame.intersection(PixelRect(size)) else { return nil }
        let (width, height) = (Double(size.width), Double(size.height))
        let numbers =
            writesOutlines
            ? object.outline(in: size).flatMap { [$0.x / width, $0.y / height] }
            : [frame.midX / width, frame.midY / height, frame.width / width, frame.height / height]
        var fields = ["\(classes.index(of: object))"] + numbers.map { String(format: "%.6f", $0) }
        if writesConfidence { fields.append(String(format: "%.6f", object.confidence)) }
        return fields.joined(separator: " ") + "\n"
    }

    /// Writes the names of all classes. A new class replaces both files, which happens at most once for each class.
    private func writeClasses() throws {
        let names = classes.names.map { String($0.map { $0.isNewline ? " " : $0 }) }
        try Self.write(names.map { $0 + "\n" }.joined(), to: folder.appending(path: "classes.txt"))
        // A string of JSON is a string of YAML.
        let entries = names.enumerated().map { index, name in
            var text = JSONText()
            text.string(name)
            return "  \(index): \(text.text)\n"
        }
        try Self.write(
            "train: images\nval: images\nnames:\(entries.isEmpty ? " {}\n" : "\n" + entries.joined())",
            to: folder.appending(path: "data.yaml")
        )
    }

    private static func createFolder(_ url: URL) throws(MediaError) {
        do throws(DurableFileError) {
            try DurableFile.makeFolder(url)
        } catch {
            throw MediaError(writing: error.path, error)
        }
    }

    private static func write(_ text: String, to url: URL) throws(MediaError) {
        do throws(DurableFileError) {
            try DurableFile.write(Data(text.utf8), to: url, permissions: 0o666, isSynchronized: false)
        } catch {
            throw MediaError(writing: url.path(percentEncoded: false), error)
        }
    }
}

/// The numbered classes of a data set. Numbers have no gaps, because YOLO requires a name for each number.
private struct ClassList {
    /// A larger index is a damaged model's.
    private static let maximumCount = 100_000

    private(set) var names: [String]
    /// The class of objects without labels.
    private var objectIndex: Int?

    init(_ names: [String]) { self.names = names }

    /// The class of an object's most confident label.
    mutating func index(of object: DetectedObject) -> Int {
        guard let label = object.labels.first, (0..<Self.maximumCount).contains(label.index) else {
            if let objectIndex { return objectIndex }
            objectIndex = names.count
            names.append("object")
            return names.count - 1
        }
        let index = objectIndex.map { label.index < $0 ? label.index : label.index + 1 } ?? label.index
        while names.count <= index { names.append("class \(names.count)") }
        if !label.text.isEmpty, names[index] == "class \(index)" { names[index] = label.text }
        return index
    }
}
