import ArgumentParser
import CommandLineSupport
import ModelCatalog
import Sightline
import SightlineMedia

/// Pictures of results: annotated pictures, and pictures of single objects.
struct DrawingArguments: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            """
            Draw results on pictures and write them to this .png or .jpg file, or to this folder. For a video: a .mp4 file, a \
            folder with a picture for each frame, or a .png or .jpg file with one picture of the whole video, which shows where objects \
            stood and for how long.
            """,
            valueName: "out"
        ),
        completion: .file()
    )
    var annotate: String?

    @Option(
        help: ArgumentHelp(
            "The marks that --annotate draws, separated by commas: --draw blur,trace (default: zone,mask,box,point,label; zone,heat for one picture of a video).",
            valueName: "names"
        )
    )
    var draw: AnnotatorArgument?

    @Flag(
        help: """
            Blur each object instead of drawing a box, with a margin (along its outline if the model gives masks), and in a video from half a second before it is found to half a \
            second after: --blur --allow person. With track --offline, an object stays covered throughout; without it, an \
            object that the detector misses for more than a second is visible meanwhile. Objects that the detector never finds stay visible, so \
            look at the result before you publish it, or lower --threshold. Short for --draw zone,blur.
            """
    )
    var blur = false

    @Flag(
        help: """
            Find the faces and blur them, as --blur does, also written --blur faces: the same as --blur --model faces. The model is that of the \
            catalog, \(ModelCatalog.faceDetector), which is installed on first use; the whole picture and overlapping slices are searched. With \
            --model, the faces that this model finds. It does not find every face: look at the result, and at the sheet of --check.
            """
    )
    var blurFaces = false

    /// Whether objects are hidden.
    var hides: Bool { blur || blurFaces || draw?.kinds.contains { $0.name == "blur" } ?? false }

    /// Refuses options that contradict each other.
    ///
    /// - Parameter hasPreview: whether the command shows annotated pictures without writing them.
    func check(hasPreview: Bool = false) throws {
        if blur || blurFaces, draw != nil { throw ValidationError("Give either --draw or --blur, not both.") }
        if blur, blurFaces { throw ValidationError("Give either --blur or --blur faces, not both.") }
        if annotate == nil, !hasPreview, hides || draw != nil {
            throw ValidationError("--\(draw == nil ? "blur" : "draw") changes annotated pictures; add --annotate.")
        }
    }

    /// Whether --annotate names one picture.
    var namesPicture: Bool {
        guard let annotate, !annotate.contains("%"), !InputSequence.isFolder(annotate) else { return false }
        return (try? ImageFormat(writingTo: annotate)) != nil
    }

    /// The annotators for one picture of a whole video.
    ///
    /// - Throws: `InputError` if the command line asks for marks of single frames.
    func annotatorsOfWholeVideo(trace: Bool) throws(InputError) -> [any Annotator] {
        let names = (draw?.kinds ?? [.zone, .heat]).map(\.name) + (trace ? ["trace"] : [])
        guard !blur, !blurFaces, names.allSatisfy(["zone", "heat", "trace"].contains) else {
            throw InputError(
                reason: """
                    --annotate \(annotate ?? "") is one picture of the whole video, for which only --draw heat, trace and zone make sense; name \
                    a .mp4 file or a folder to draw on each frame.
                    """
            )
        }
        return AnnotatorKind.all.filter { names.contains($0.name) }
            .map { $0.name == "trace" ? TraceAnnotator(duration: nil) : $0.makeAnnotator() }
    }

    /// The chosen annotators, in the order of `AnnotatorKind.all`.
    ///
    /// - Parameter others: further annotators that the command line asks for.
    func annotators(adding others: [AnnotatorKind] = []) -> [any Annotator] {
        let chosen = Set(
            ((draw?.kinds ?? (blur || blurFaces ? [.zone, .blur] : AnnotatorKind.standard)) + others).map(\.name)
        )
        return AnnotatorKind.all.filter { chosen.contains($0.name) }.map { $0.makeAnnotator() }
    }
}

/// The names of annotators, separated by commas.
struct AnnotatorArgument: ExpressibleByArgument, Sendable {
    let kinds: [AnnotatorKind]

    init?(argument: String) {
        let names = argument.split(separator: ",").map { $0.trimmingPrefix(" ") }
        kinds = names.compactMap { AnnotatorKind(name: String($0)) }
        guard !kinds.isEmpty, kinds.count == names.count else { return nil }
    }

    static var allValueStrings: [String] { AnnotatorKind.all.map(\.name) }

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    static var allValueDescriptions: [String: String] {
        Dictionary(AnnotatorKind.all.map { ($0.name, $0.summary) }, uniquingKeysWith: { first, _ in first })
    }
}

/// Pictures of single objects.
struct CropArguments: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            """
            Write each object as a JPEG of its own into this folder, for example crops/person/photo-1.jpg; for a video \
            crops/ID/000001.jpg, by id and frame.
            """,
            valueName: "folder"
        ),
        completion: .directory
    )
    var crop: String?

    @Flag(
        help: """
            With --crop: cut each object out along its outline, as a PNG that is transparent around it. The model has to give masks; \
            in a video, frames in which the object was not detected are left out.
            """
    )
    var cutOut = false

    /// The folder of pictures of single objects; nil for none.
    var folder: CropFolder? { crop.map { CropFolder(path: $0, cutsOut: cutOut) } }

    func validate() throws {
        if cutOut, crop == nil { throw ValidationError("--cut-out changes the pictures of --crop; add --crop FOLDER.") }
    }

    /// Refuses a detector without masks if objects shall be cut out.
    ///
    /// - Throws: `InputError`.
    func check(givesMasks: Bool, _ model: ModelSummary) throws(InputError) {
        guard cutOut, !givesMasks else { return }
        throw InputError(
            reason:
                "--cut-out needs masks, and \(model.name) gives none; leave it out, or give a model for segmentation."
        )
    }
}
