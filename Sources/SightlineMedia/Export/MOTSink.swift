import Sightline
import TextFormatting

extension ResultFormat {
    /// The result files of MOTChallenge: a line `frame,id,left,top,width,height,confidence,-1,-1,-1` for each object of each frame.
    ///
    /// The confidence is that of the box, since the format has no names. Frames count from 1. Coordinates are pixels with the origin at 0, 0. Source: "MOT16: A benchmark for multi-object
    /// tracking", Milan et al., 2016, section 3.3.
    public static let mot = ResultFormat(
        name: "mot",
        summary: "the result files of MOTChallenge, a line for each object of each frame; frames count from 1",
        kinds: [.frames]
    ) { _, write in MOTSink(write: write) }
}

/// Writes ``ResultFormat/mot``.
private struct MOTSink: ResultSink {
    let write: ResultFormat.Writer

    func append(_ result: StreamResult, events: [StreamEvent]) throws {
        guard !result.objects.isEmpty else { return }
        try write(
            result.objects.map { object in
                let frame = [object.frame.x, object.frame.y, object.frame.width, object.frame.height]
                    .map(CSVText.thousandths).joined(separator: ",")
                return "\(result.index + 1),\(object.id ?? -1),\(frame),\(object.objectConfidence),-1,-1,-1\n"
            }.joined()
        )
    }
}
