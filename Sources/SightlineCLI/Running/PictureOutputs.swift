import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import SightlineMedia
import Synchronization

/// The pictures that a run writes: annotated pictures and pictures of single objects.
struct PictureOutputs: Sendable {
    private let target: AnnotationTarget?
    private let cropFolder: CropFolder?
    private let annotators: [any Annotator]
    private let names = TakenNames()

    /// - Parameters:
    ///   - crop: the folder for pictures of single objects.
    ///   - isSingle: whether there is just one picture.
    /// - Throws: `ImageError` or `InputError` if the place of annotated pictures makes no sense.
    init(_ drawing: DrawingArguments, crop: String?, isSingle: Bool) throws {
        target = try drawing.annotate.map { try AnnotationTarget($0, isSingle: isSingle) }
        cropFolder = crop.map(CropFolder.init)
        annotators = drawing.annotators()
    }

    /// The folders that receive pictures. They may lie in a folder of inputs.
    var folders: [String] { [target?.folder, cropFolder?.path].compactMap(\.self) }

    /// Writes the pictures for one input.
    func write(_ findings: PictureResult.Findings, on image: VisionImage, of input: Input) throws {
        var image = image
        if let cropFolder, case .objects(let objects, _) = findings {
            try cropFolder.check(input)
            try names.take(cropFolder.name(input) + "-", for: input)
            // One decoding serves the crops and the annotated picture.
            let upright = try image.upright()
            image = VisionImage(pixels: upright)
            let name = cropFolder.name(input)
            for (index, object) in objects.enumerated() {
                try cropFolder.write(object, of: upright, to: "\(name)-\(index + 1).jpg")
            }
        }
        guard let target else { return }
        let path = target.path(for: input)
        if InputSequence.isSame(path, input.name) {
            throw InputError(reason: "--annotate would overwrite the picture itself; name another file or folder.")
        }
        let scene =
            switch findings {
            case .objects(let objects, _): AnnotatedScene(objects: objects)
            case .labels(let labels, _): AnnotatedScene(labels: labels)
            }
        try names.take(path, for: input)
        var renderer = PictureRenderer(annotators)
        let data = try renderer.render(scene, on: image).encoded(as: ImageFormat(writingTo: path))
        try PictureFile.write(data, to: path, createsFolder: target.folder != nil)
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

/// A folder for pictures of single objects.
struct CropFolder: Sendable {
    let path: String

    /// Refuses the input's own folder, where a crop could overwrite another picture.
    func check(_ input: Input) throws {
        let folder = URL(filePath: input.name).deletingLastPathComponent().path(percentEncoded: false)
        if InputSequence.isSame(path, folder) {
            throw InputError(reason: "--crop would mix objects with the pictures; name another folder.")
        }
    }

    /// The path of an input in the folder, without its extension.
    func name(_ input: Input) -> String {
        let name = input.relativePath
        let isExtension = ImageFormat.isReadable(fileName: name)
        return isExtension ? String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)]) : name
    }

    /// Writes an object, unless it lies outside the picture.
    func write(_ object: DetectedObject, of upright: PixelBuffer, to name: String) throws {
        guard let part = try ObjectCrop.crop(upright, to: object.frame) else { return }
        let file = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
        try PictureFile.write(part.encoded(as: .jpeg), to: file, createsFolder: true)
    }
}

/// Picture files of the commands.
enum PictureFile {
    /// Writes a file that is whole or absent, also if Ctrl-C ends the process.
    static func write(_ data: Data, to path: String, createsFolder: Bool) throws {
        let url = URL(filePath: path)
        if createsFolder { try DurableFile.makeFolder(url.deletingLastPathComponent()) }
        try Termination.whileWriting { () throws(ImageError) in try ImageFile.write(data, to: url) }
    }
}
