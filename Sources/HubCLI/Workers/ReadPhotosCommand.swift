import ArgumentParser
import Foundation
import ModelHubProtocol
import ModelHubServer
import ProcessSandbox
import Sightline
import SightlineEvaluation
import SightlineTraining

/// Reads the photos of an upload for a data set, in a separate process.
///
/// FILE is a picture, or a zip archive of pictures. Standard output has lines of JSON, of ``PhotoLine``: first the number and the size of all
/// photos, then a line for each photo, followed by the bytes of its file, or for each file that cannot be used, and at last the number of
/// these. If nothing can be read, there is one line with an error, and the exit code is 2.
struct ReadPhotosCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read-photos",
        abstract: "Read the photos of an upload, in a sandbox."
    )

    @Argument(help: "A picture, or a zip archive of pictures.")
    var file: String

    @Option(help: "The name of the file in errors, and of a picture.")
    var name: String

    @Option(help: "The label of all pictures (default: those that the archive gives).")
    var label: String?

    private static var limits: LabeledPictures.Limits {
        var limits = LabeledPictures.Limits()
        limits.maximumPictures = 20_000
        limits.maximumFolders = 2000
        limits.maximumFileBytes = PhotoLine.maximumBytes
        limits.maximumTotalBytes = PhotoLine.maximumTotalBytes
        limits.image = ImageLimits(maximumPixels: PhotoLine.maximumPixels)
        return limits
    }

    func run() throws {
        var sandbox = ProcessSandbox(reading: [file])
        sandbox.processorSeconds = 1200
        sandbox.enter()
        do {
            let url = URL(filePath: file)
            if AnnotatedPictures.isArchive(url) {
                try readArchive(url)
            } else {
                try readPicture(url)
            }
        } catch let error as WriteError {
            throw error.code
        } catch {
            var line = PhotoLine()
            line.error = "\(error)".replacing(file, with: name)
            try Self.write(line)
            throw ExitCode(2)
        }
    }

    /// The hub closed the pipe.
    private struct WriteError: Error {
        var code: ExitCode
    }

    private func readArchive(_ url: URL) throws {
        let listing = try PhotoListing(archive: url, label: label, limits: Self.limits)
        guard !listing.photos.isEmpty else {
            throw CommandError(
                listing.skipped.pictures.first.map { "\(name) has no photo that can be used. \($0.path): \($0.reason)" }
                    ?? "\(name) has no photos."
            )
        }
        var first = PhotoLine()
        first.summary = .init(
            count: listing.photos.count,
            byteCount: listing.files.byteCount(of: listing.photos.map(\.path))
        )
        try Self.write(first)
        var skipped = listing.skipped.count
        var leftOut = 0
        for picture in listing.skipped.pictures { try Self.skip(picture.path, picture.reason) }
        for photo in listing.photos {
            do {
                let data = try listing.files.data(at: photo.path)
                var line = try Self.line(photo.path, photo.label, data)
                leftOut += try Self.add(photo, to: &line)
                try Self.write(line, data)
            } catch let error as WriteError {
                throw error
            } catch {
                skipped += 1
                try Self.skip(photo.path, "\(error)")
            }
        }
        var last = PhotoLine()
        last.skippedCount = skipped
        last.leftOutBoxCount = leftOut
        try Self.write(last)
    }

    /// Adds the drawn boxes of a photo.
    ///
    /// - Returns: The number of boxes that are left out, because they lie outside of the photo or have no area.
    /// - Throws: `EvaluationError.otherSize`, because boxes in pixels of another size are all wrong; ``CommandError`` if there are too many.
    private static func add(_ known: PhotoListing.Photo, to line: inout PhotoLine) throws -> Int {
        guard let boxes = known.boxes, var photo = line.photo else { return 0 }
        let size = PixelSize(width: photo.width, height: photo.height)
        if let annotated = known.size, annotated != size {
            throw EvaluationError.otherSize(
                path: known.path,
                annotated: annotated,
                found: size,
                isTurned: size.transposed == annotated
            )
        }
        guard boxes.count <= PhotoLine.maximumBoxes else {
            throw CommandError("It has \(boxes.count) boxes, and the limit is \(PhotoLine.maximumBoxes).")
        }
        let usable = boxes.compactMap { box in
            PhotoBox(
                label: box.label,
                x: box.frame.x,
                y: box.frame.y,
                width: box.frame.width,
                height: box.frame.height,
                isGroup: box.isGroup ? true : nil
            ).clipped(toWidth: size.width, height: size.height)
        }
        photo.boxes = usable
        line.photo = photo
        return boxes.count - usable.count
    }

    private func readPicture(_ url: URL) throws {
        let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
        guard let size, size <= PhotoLine.maximumBytes else {
            throw CommandError("\(name) has more than \(PhotoLine.maximumBytes) bytes; make the photo smaller.")
        }
        let data = try Data(contentsOf: url)
        let line: PhotoLine
        do {
            line = try Self.line(name, label, data)
        } catch {
            throw CommandError("\(name) cannot be used: \(error)")
        }
        try Self.write(line, data)
        var last = PhotoLine()
        last.skippedCount = 0
        try Self.write(last)
    }

    private static func line(_ path: String, _ label: String?, _ data: Data) throws -> PhotoLine {
        let image = try VisionImage(data: data, limits: limits.image)
        let side = max(image.size.width, image.size.height)
        let scale = min(Double(PhotoLine.thumbnailSide) / Double(side), 1)
        let size = PixelSize(
            width: max(Int(Double(image.size.width) * scale), 1),
            height: max(Int(Double(image.size.height) * scale), 1)
        )
        var line = PhotoLine()
        line.photo = .init(
            path: path,
            label: label,
            width: image.size.width,
            height: image.size.height,
            byteCount: data.count,
            thumbnail: try image.upright(in: size).encoded(as: .jpeg)
        )
        return line
    }

    private static func skip(_ path: String, _ reason: String) throws {
        var line = PhotoLine()
        line.skipped = .init(path: path, reason: reason)
        try write(line)
    }

    private static func write(_ line: PhotoLine, _ bytes: Data = Data()) throws {
        let text = try JSONEncoder().encode(line) + Data("\n".utf8)
        do {
            try FileHandle.standardOutput.write(contentsOf: text)
            try FileHandle.standardOutput.write(contentsOf: bytes)
        } catch {
            throw WriteError(code: ExitCode(2))
        }
    }
}
