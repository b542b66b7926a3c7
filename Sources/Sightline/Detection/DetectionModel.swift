import TensorFlowLite

/// A detection model: its input, the way its outputs are read, and the names of its classes.
struct DetectionModel: Sendable {
    private(set) var files: ModelFiles
    let input: ImageInput
    private(set) var head: any DetectorHead
    /// The second, smaller input, if the sidecar asks for one.
    private(set) var overview: Overview?
    let names: ClassNames
    /// Names for objects that could be one of several classes.
    let groups: [ClassGroup]
    /// The detector whose boxes this model names; nil for a model that finds boxes itself.
    private(set) var proposer: Proposer?

    /// Reads a model's files and checks that it is a detector, without running it.
    ///
    /// - Parameter threads: the number of threads with which the model will run.
    /// - Throws: `LocalModelError`.
    init(_ local: LocalModel, threads: Int = 1) throws {
        try self.init(files: ModelFiles(local, threads: threads))
    }

    /// Checks that a model whose files were read is a detector, without running it.
    ///
    /// - Throws: `LocalModelError`.
    init(files: ModelFiles) throws {
        self.files = files
        do {
            head = try DetectorHeads.find(in: files)
        } catch {
            guard files.sidecar.scoreOutput == nil, (try? ClassifierHead(files)) != nil else { throw error }
            throw LocalModelError.output(
                model: files.name,
                reason: "it names pictures instead of finding objects: use ImageLabeler or `sightline label`"
            )
        }
        input = try ImageInput(files, floatRange: head.floatRange, channels: head.channels)
        overview = try Overview(of: files, input)
        proposer = try files.sidecar.proposals.map { (description) throws(LocalModelError) in try Proposer(description)
        }
        // A classifier counts the background among its classes.
        let given =
            if proposer != nil, let count = head.classCount {
                try files.classNames(classifierWith: count)
            } else {
                try files.classNames(detectorWith: head.classCount)
            }
        let known = given.names.isEmpty ? ClassNames(names: head.classNames ?? [], backgroundIndex: nil) : given
        names = head.objectClass == nil ? known : known.hidingLast
        do {
            groups = try files.sidecar.classGroups(among: names)
        } catch {
            throw LocalModelError.sidecar(path: files.sidecarPath, reason: error.reason)
        }
    }

    /// The fit of pictures: as the sidecar asks for it, otherwise as this kind of model is trained.
    var fit: ImageFit { files.sidecar.fit(preferred: head.fit) }

    /// Names of a single class that say nothing about its objects.
    private static let namesOfAnything: Set = ["", "entity", "object"]

    /// Whether the model finds objects of any kind and knows no classes: it has a single class, and no label that names the objects.
    var isClassAgnostic: Bool {
        head.classCount == 1 && Self.namesOfAnything.contains(names[0].lowercased())
    }

    /// Whether the model is the built-in localizer, or a copy of it, for example on a hub: they are known by their label.
    var isBuiltInLocalizer: Bool { isClassAgnostic && names.names == BuiltInModel.localizerLabels }

    /// Whether the model finds objects of any kind and names those that it can.
    var namesSomeObjects: Bool { head.objectClass != nil }

    /// The groups by the classes in them.
    var groupsByClass: [Int: ClassGroup] {
        Dictionary(groups.flatMap { group in group.classes.map { ($0, group) } }) { first, _ in first }
    }

    /// Whether names choose the wanted objects, since boxes have no classes.
    var isChosenByNames: Bool { isClassAgnostic || namesSomeObjects }

    /// Lets a faster form of the model run in its place, if there is one.
    ///
    /// - Parameter scoreThreshold: the score below which the caller ignores all boxes.
    mutating func optimize(scoreThreshold: Float) {
        guard let proposer else {
            files = files.optimized(scoreThreshold: scoreThreshold)
            return
        }
        files = files.optimized()
        self.proposer = proposer.optimized()
    }

    /// The model with a rewritten form that runs in its place.
    func running(_ executable: any InferenceModel) -> DetectionModel {
        var model = self
        model.files = files.running(executable)
        return model
    }

    /// A compiled copy of the model for one owner.
    func makeRunner(threads: Int) throws -> DetectionRunner {
        DetectionRunner(
            full: try ModelRunner(files: files, input: input, threads: threads),
            overview: try overview.map { try ModelRunner(files: files, input: $0.input, threads: threads) },
            proposers: try proposer.map { [try $0.model.makeRunner(threads: threads)] } ?? []
        )
    }

    /// The model, with the meaning of its outputs. Runs it on a gray picture if its file does not give that meaning.
    ///
    /// - Parameter runner: a compiled copy of the model.
    func probed(with runner: inout DetectionRunner) throws -> DetectionModel {
        guard head.needsProbe else { return self }
        var model = self
        model.head = try runner.full.probed(head, input)
        if let overview, let head = try runner.overview?.probed(overview.head, overview.input) {
            model.overview?.head = head
        }
        return model
    }
}
