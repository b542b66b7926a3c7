import ArgumentParser
import Foundation
import ModelHubProtocol
import ModelHubServer
import ProcessSandbox
import Sightline

/// Makes a picture of a photo of a data set for a page, and proposes boxes, in a separate process.
///
/// Standard output has a line of JSON: a ``ShownPhoto``, or `{"error": "…"}` and the exit code 2.
struct ShowPhotoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show-photo",
        abstract: "Make a picture of a photo, and propose boxes, in a sandbox."
    )

    @Argument(help: "The photo.")
    var photo: String

    @Flag(help: "Propose boxes with the built-in detector.")
    var propose = false

    func run() throws {
        let detector = LocalModel.builtInDetector
        if propose { try? ModelFormat.loadRuntime(forModelAt: detector.url) }
        var sandbox = ProcessSandbox(
            reading: [photo] + (propose ? [detector.url.deletingLastPathComponent().path] : [])
        )
        sandbox.processorSeconds = 30
        sandbox.enter()
        do {
            try Self.write(shown(detector))
        } catch {
            try Self.write(["error": "\(error)"])
            throw ExitCode(2)
        }
    }

    private func shown(_ model: LocalModel) throws -> ShownPhoto {
        let data = try Data(contentsOf: URL(filePath: photo))
        let image = try VisionImage(data: data, limits: ImageLimits(maximumPixels: PhotoLine.maximumPixels))
        let side = Double(max(image.size.width, image.size.height))
        let scale = min(Double(ShownPhoto.maximumSide) / side, 1)
        let size = PixelSize(
            width: max(Int(Double(image.size.width) * scale), 1),
            height: max(Int(Double(image.size.height) * scale), 1)
        )
        var shown = ShownPhoto(jpeg: try image.upright(in: size).encoded(as: .jpeg))
        guard propose else { return shown }
        var options = ObjectDetectorOptions(model: model)
        options.maximumObjects = PhotoLine.maximumProposals
        shown.proposals = try ObjectDetector(options: options).objects(in: image).compactMap { object in
            let frame = object.frame
            return PhotoBox(
                label: "",
                x: frame.x,
                y: frame.y,
                width: frame.width,
                height: frame.height,
                confidence: Double(object.objectConfidence)
            ).clipped(toWidth: image.size.width, height: image.size.height)
        }
        return shown
    }

    private static func write(_ line: some Encodable) throws {
        try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(line) + Data("\n".utf8))
    }
}
