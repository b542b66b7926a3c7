import ArgumentParser
import CommandLineSupport
import Sightline
import SightlineMedia

/// Refuses options that do not fit together, before anything is read.
extension TrackCommand {
    func validate() throws {
        if let stdinFormat = exchange.stdinFormat { return try checkFrames(stdinFormat) }
        if exchange.pixels, output.output != nil || output.resultFormat(default: .table) != .jsonLines {
            throw ValidationError(
                "--pixels writes pixels behind lines of JSON; add --format jsonl, and leave out --output."
            )
        }
        if detections == nil, inputs.isEmpty {
            throw ValidationError("Name a video, a camera or an address, or give --detections.")
        }
        if detections != nil, !inputs.isEmpty {
            throw ValidationError("Give either an input or --detections, not both.")
        }
        if detections != nil, needsPictures {
            throw ValidationError(
                """
                --detections has no pictures: leave out --model, --classifier, --appearance, --motion, --annotate, --crop, --pixels and --preview.
                """
            )
        }
        if detections != nil, try detector.scoreThresholds.hasLabels {
            throw ValidationError("--detections has no labels; give --threshold one value for all boxes.")
        }
        if detections != nil, !line.isEmpty || !zone.isEmpty || from != nil || to != nil || fps != nil || keyframes {
            throw ValidationError(
                "--line, --zone, --from, --to, --fps and --keyframes belong to a video; leave them out with --detections."
            )
        }
        if detections != nil, sending.isUsed {
            throw ValidationError("--mqtt and --webhook belong to a video; leave them out with --detections.")
        }
        if sending.queue != nil, !sending.isUsed {
            throw ValidationError("--queue belongs to --mqtt and --webhook; add one of them.")
        }
        if sending.name != nil, inputs.count > 1 {
            throw ValidationError("--name is the name of one camera; leave it out with several videos.")
        }
        if counts != nil, line.isEmpty, zone.isEmpty, state.isEmpty {
            throw ValidationError("--counts needs a --line, a --zone or a --state.")
        }
        if !state.isEmpty, detections != nil || offline {
            throw ValidationError(
                "--state looks at the pictures as they come; leave out \(offline ? "--offline" : "--detections")."
            )
        }
        if confirm != nil, line.isEmpty, zone.isEmpty {
            throw ValidationError("--confirm needs a --line or a --zone.")
        }
        try checkAnchor()
        if period != nil, counts == nil {
            throw ValidationError("--period belongs to --counts; name a file with --counts.")
        }
        if offline, let live = inputs.first(where: { !VideoInput($0).canBeReadAgain }) {
            throw ValidationError(
                """
                --offline needs a file, which has an end and can be read again; record \
                \(live == "-" ? "standard input" : FileName.printed(live)) into a file first, or leave out --offline.
                """
            )
        }
        if offline, detector.single {
            throw ValidationError(
                "--single chooses one object in each frame, and --offline joins frames; leave out one of them."
            )
        }
        try checkNames()
        if inputs.contains("") {
            throw ValidationError("The name of the input is empty; perhaps a variable on the command line is not set.")
        }
        try drawing.check(hasPreview: preview != nil)
        try checking.check(drawing)
        if drawing.namesPicture {
            do throws(InputError) {
                _ = try drawing.annotatorsOfWholeVideo(trace: trace)
            } catch {
                throw ValidationError(error.reason)
            }
        }
        try check(every, isIn: 1...100_000, name: "every")
        if let fps { try check(fps, isIn: 0.001...1_000, name: "fps") }
        if let preview { try check(preview, isIn: 0...65_535, name: "preview") }
        if let frameRate { try check(frameRate, isIn: 0.001...100_000, name: "frame-rate") }
        if let from, let to, to.time <= from.time { throw ValidationError("--to must be later than --from.") }
    }

    /// Refuses lines and zones with equal names.
    func checkNames() throws {
        let history = StreamHistory(self)
        for names in [history.lines.map(\.name), history.zones.map(\.name), state.map(\.name)] {
            if let name = names.first(where: { name in names.count { $0 == name } > 1 }) {
                throw ValidationError("Two lines, zones or states have the name \(name); give each a different one.")
            }
        }
    }

    private var needsPictures: Bool {
        detector.model.model != nil || detector.classifier != nil || appearance || motion || wantsPictures
    }
}
