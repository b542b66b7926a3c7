import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import SightlineMedia
import TextFormatting

/// Tracks several videos, one after another. Each is a separate stream with its own results.
struct VideoBatch {
    private let command: TrackCommand
    private let list: VideoList
    private let format: ResultFormat
    private let sheet: MomentSheet?

    /// - Throws: `InputError` if several videos have only one place for their results.
    init(_ command: TrackCommand, _ list: VideoList, _ sheet: MomentSheet?) throws(InputError) {
        (self.command, self.list, self.sheet) = (command, list, sheet)
        let output = command.output.output
        format = command.output.format?.format ?? (output == nil ? .table : .jsonLines)
        if output == nil, format != .table {
            throw InputError(
                reason: "--format \(format.name) has a file for each video; name a folder: --output results."
            )
        }
        for (option, path) in [
            ("output", output), ("annotate", command.drawing.annotate), ("events", command.events),
            ("counts", command.counts),
        ] {
            guard let path, !path.hasSuffix("/"), !InputSequence.isFolder(path) else { continue }
            if InputSequence.exists(path) || !path.lastComponent.fileType.isEmpty {
                throw InputError(
                    reason:
                        "--\(option) \(path) is the name of a file, but several videos need a folder; name a folder."
                )
            }
        }
        if command.preview != nil {
            throw InputError(reason: "--preview shows one video; name a single video, or leave out --preview.")
        }
    }

    /// Tracks all videos.
    ///
    /// - Throws: an exit code: 1 if some videos failed or end early, 2 if all failed.
    func run(_ detection: ObjectDetectorOptions) async throws {
        var (done, incomplete, failed) = (0, 0, 0)
        for (index, video) in list.videos.enumerated() {
            let status: ExitStatus
            if let failure = video.failure {
                StandardError.report("\(video.printedName): \(failure)")
                status = .failure
            } else {
                StandardOutput.write((index > 0 ? "\n" : "") + "\(TerminalText.printable(video.printedName))\n")
                let command = try reporting { try self.arguments(for: video) }
                status = try await VideoRun(command, video, sheet, isOneOfSeveral: list.videos.count > 1).run(detection)
            }
            switch status {
            case .success: done += 1
            case .incomplete: incomplete += 1
            default: failed += 1
            }
        }
        if list.skippedPictures > 0 {
            StandardError.report(
                "Skipped \(NumberText.count(list.skippedPictures, "picture")) beside the videos; "
                    + "`sightline detect` finds their objects."
            )
        }
        StandardOutput.write("\n" + summary(incomplete: incomplete, failed: failed) + "\n")
        if failed == list.videos.count { throw ExitStatus.failure.code }
        if failed + incomplete > 0 { throw ExitStatus.incomplete.code }
    }

    /// For example `3 videos, 1 cut off, 1 failed`.
    private func summary(incomplete: Int, failed: Int) -> String {
        var parts = [NumberText.count(list.videos.count, "video")]
        if incomplete > 0 { parts.append("\(incomplete) cut off") }
        if failed > 0 { parts.append("\(failed) failed") }
        return parts.joined(separator: ", ")
    }

    /// The command for one video, with the places of its results below the folders on the command line.
    private func arguments(for video: VideoList.Video) throws -> TrackCommand {
        var command = self.command
        if let folder = command.output.output {
            let type = format.needsFolder ? "" : "." + (format.fileExtensions.first ?? "txt")
            command.output.output = try path(video.relativePath + type, in: folder)
            command.output.format = FormatArgument(argument: format.name)
        }
        if let folder = command.events {
            command.events = try path(video.relativePath + ".events.jsonl", in: folder)
        }
        if let folder = command.counts { command.counts = try path(video.relativePath + ".counts.csv", in: folder) }
        if let folder = command.drawing.annotate {
            let isWritable = VideoOutput.isVideo(fileName: video.relativePath)
            command.drawing.annotate = try path(video.relativePath + (isWritable ? "" : ".mp4"), in: folder)
        }
        if let folder = command.cropping.crop { command.cropping.crop = try path(video.relativePath, in: folder) }
        return command
    }

    /// A path in a folder, which exists afterwards.
    private func path(_ relativePath: String, in folder: String) throws -> String {
        let path = folder.hasSuffix("/") ? folder + relativePath : "\(folder)/\(relativePath)"
        try DurableFile.makeFolder(URL(filePath: path).deletingLastPathComponent())
        return path
    }
}

extension String {
    /// The part of a path after its last slash.
    fileprivate var lastComponent: String { String(self[(lastIndex(of: "/").map(index(after:)) ?? startIndex)...]) }
}
