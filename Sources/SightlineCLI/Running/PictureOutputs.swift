import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import SightlineMedia
import Synchronization
import TextFormatting

/// The pictures that a run writes: annotated pictures and pictures of single objects.
final class PictureOutputs: Sendable {
    private let target: AnnotationTarget?
    private let cropFolder: CropFolder?
    /// The folder of pictures by their best labels.
    private let sortFolder: String?
    /// The folder of pictures in a data set for training.
    private let dataSetPictures: String?
    private let annotators: [any Annotator]
    private let names = TakenNames()
    private let counts = Mutex<(pictures: Int, crops: Int, uncut: Int, copies: Int, links: Int)>((0, 0, 0, 0, 0))

    /// - Parameters:
    ///   - crop: the folder for pictures of single objects.
    ///   - sort: the folder for copies of pictures by their best labels.
    ///   - isSingle: whether there is just one picture.
    ///   - dataSet: the folder of a data set for training, whose folder `images` gets links to the pictures.
    /// - Throws: `ImageError` or `InputError` if the place of annotated pictures makes no sense.
    init(
        _ drawing: DrawingArguments,
        crop: CropFolder? = nil,
        sort: String? = nil,
        isSingle: Bool,
        dataSet: String? = nil
    ) throws {
        target = try drawing.annotate.map { try AnnotationTarget($0, isSingle: isSingle) }
        cropFolder = crop
        sortFolder = sort.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        dataSetPictures = dataSet.map { $0.hasSuffix("/") ? $0 + "images" : "\($0)/images" }
        annotators = drawing.annotators()
    }

    /// The folders that receive pictures. They may lie in a folder of inputs.
    var folders: [String] { [target?.folder, cropFolder?.path, sortFolder, dataSetPictures].compactMap(\.self) }

    /// The path of an input's annotated picture; nil if there is none.
    func annotatedPath(for input: Input) -> String? { target?.path(for: input) }

    /// Writes the pictures for one input.
    func write(_ outcome: PictureResult.Outcome, on image: VisionImage, of input: Input) throws {
        var image = image
        if let cropFolder, case .objects(let result) = outcome {
            let name = cropFolder.name(input)
            try names.take(name + "-", for: input)
            // One decoding serves the crops and the annotated picture.
            let upright = try image.upright()
            image = VisionImage(pixels: upright)
            for (index, object) in result.objects.enumerated() {
                let path = "\(CropFolder.folder(of: object))/\(name)-\(index + 1)"
                if cropFolder.cutsOut, object.mask == nil { counts.withLock { $0.uncut += 1 } }
                if try cropFolder.write(object, of: upright, to: path, from: input) {
                    counts.withLock { $0.crops += 1 }
                }
            }
        }
        if let dataSetPictures {
            try names.take("\(dataSetPictures)/\(input.relativePath)", for: input)
            try PictureFile.link(input, in: dataSetPictures)
            counts.withLock { $0.links += 1 }
        }
        if let sortFolder, case .labels(let result) = outcome {
            let label = result.labels.first.map { CropFolder.folder(named: $0.className) } ?? "unlabeled"
            let path = "\(sortFolder)/\(label)/\(input.relativePath)"
            try names.take(path, for: input)
            try PictureFile.copy(input, to: path)
            counts.withLock { $0.copies += 1 }
        }
        guard let target else { return }
        let path = target.path(for: input)
        if InputSequence.isSame(path, input.name) {
            throw InputError(reason: "--annotate would overwrite the picture itself; name another file or folder.")
        }
        let scene =
            switch outcome {
            case .objects(let result): AnnotatedScene(objects: result.objects)
            case .labels(let result): AnnotatedScene(labels: result.labels)
            case .failure: AnnotatedScene(objects: [])
            }
        try names.take(path, for: input)
        var renderer = PictureRenderer(annotators)
        let data = try renderer.render(scene, on: image).encoded(as: ImageFormat(writingTo: path))
        try PictureFile.write(data, to: path, createsFolder: target.folder != nil)
        counts.withLock { $0.pictures += 1 }
    }

    /// The number of pictures in each folder, for example `15 pictures written to blurred/`; nil if there are no folders.
    var summary: String? {
        let counts = counts.withLock(\.self)
        func part(_ count: Int, _ noun: String, _ folder: String?) -> String? {
            let nouns = count == 1 ? noun : noun.hasSuffix("y") ? noun.dropLast() + "ies" : noun + "s"
            return folder.map { "\(count) \(nouns) written to \($0.hasSuffix("/") ? $0 : $0 + "/")" }
        }
        let parts = [
            part(counts.pictures, "picture", target?.folder), part(counts.crops, "crop", cropFolder?.path),
            counts.uncut > 0 ? "\(NumberText.count(counts.uncut, "object")) without a mask left out" : nil,
            part(counts.copies, "copy", sortFolder), part(counts.links, "link", dataSetPictures),
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

/// The names that one run has given to the pictures that it writes. Pictures of several folders may have the same names.
private final class TakenNames: Sendable {
    private let inputs = Mutex<[String: String]>([:])

    /// Takes a name for an input.
    ///
    /// - Throws: `InputError` if another input has the name.
    func take(_ name: String, for input: Input) throws(InputError) {
        let other = inputs.withLock { inputs in
            let other = inputs[name]
            if other == nil { inputs[name] = input.name }
            return other
        }
        if let other, other != input.name {
            throw InputError(
                reason:
                    "its new picture would overwrite that of \(FileName.printed(other)); analyze them in two runs, with two folders."
            )
        }
    }
}

/// A folder for pictures of single objects, with a folder for each label, as programs for training read them.
struct CropFolder: Sendable {
    let path: String
    /// Whether objects are cut out along their masks.
    let cutsOut: Bool

    private static func parent(of path: String) -> String {
        URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
    }

    /// The path of an input in the folder, without its extension.
    func name(_ input: Input) -> String {
        let name = input.relativePath
        let isExtension = ImageFormat.isReadable(fileName: name)
        return isExtension ? String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)]) : name
    }

    /// The name of the folder for an object's most confident label.
    static func folder(of object: DetectedObject) -> String {
        folder(named: object.className)
    }

    /// The name of the folder for a label.
    static func folder(named label: String) -> String {
        let name = label.map { $0 == "/" || $0 == "\\" || $0.isNewline || $0 == "\0" ? "_" : $0 }
        return name.first == "." ? "_" + String(name.dropFirst()) : String(name)
    }

    /// Writes an object, unless it lies outside the picture, or has no mask to cut it out.
    ///
    /// - Parameter name: the path of the file in the folder, without an extension.
    /// - Returns: whether the object was written.
    /// - Throws: `InputError` if the file would lie in the input's own folder, where it could overwrite another picture.
    @discardableResult
    func write(
        _ object: DetectedObject,
        of upright: PixelBuffer,
        to name: String,
        from input: Input? = nil
    ) throws -> Bool {
        let part =
            if cutsOut {
                try object.mask.flatMap { try ObjectCrop.cutOut(upright, along: $0) }
            } else {
                try ObjectCrop.crop(upright, to: object.frame)
            }
        guard let part else { return false }
        let format = cutsOut ? ImageFormat.png : .jpeg
        let file = (path.hasSuffix("/") ? path + name : "\(path)/\(name)") + (cutsOut ? ".png" : ".jpg")
        let folders = [path, Self.parent(of: file)]
        if let input, folders.contains(where: { InputSequence.isSame($0, Self.parent(of: input.name)) }) {
            throw InputError(reason: "--crop would mix objects with the pictures; name another folder.")
        }
        try PictureFile.write(part.encoded(as: format), to: file, createsFolder: true)
        return true
    }
}

/// Picture files of the commands.
enum PictureFile {
    /// Copies the file of a picture. A file at the path is replaced.
    static func copy(_ input: Input, to path: String) throws {
        guard case .file(let name) = input.content else {
            throw InputError(reason: "it has no file to copy; download it first.")
        }
        guard !InputSequence.isSame(path, name) else {
            throw InputError(reason: "--sort would replace the picture itself; name another folder.")
        }
        let descriptor = FileName.withPath(name) { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw DurableFileError(path: input.printedName, code: errno, operation: .read) }
        let data = try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readToEnd() ?? Data()
        try write(data, to: path, createsFolder: true)
    }

    /// Links a picture under its relative path into a folder, unless that has such a file. A picture without a file gets no link.
    static func link(_ input: Input, in folder: String) throws {
        guard case .file(let path) = input.content, FileName.isUTF8(path) else { return }
        let link = URL(filePath: "\(folder)/\(input.relativePath)")
        let target = URL(filePath: path).absoluteURL.standardizedFileURL.path(percentEncoded: false)
        try DurableFile.makeFolder(link.deletingLastPathComponent())
        let place = link.path(percentEncoded: false)
        guard symlink(target, place) != 0 else { return }
        if errno == EEXIST {
            guard !InputSequence.isSame(place, path) else { return }
            throw InputError(reason: "\(place) is another picture; name a new folder.")
        }
        throw InputError(
            reason: "\(place) cannot link to the picture (\(String(cString: strerror(errno)))); copy it there."
        )
    }

    /// Writes a file that is complete or absent, also if Ctrl-C ends the process.
    static func write(_ data: Data, to path: String, createsFolder: Bool) throws {
        let url = URL(filePath: path)
        if createsFolder { try DurableFile.makeFolder(url.deletingLastPathComponent()) }
        try Termination.whileWriting { () throws(ImageError) in try ImageFile.write(data, to: url) }
    }
}
