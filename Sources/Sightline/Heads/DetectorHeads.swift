/// The kinds of detector heads that Sightline reads.
enum DetectorHeads {
    /// All kinds, in the order in which they are tried.
    private static let all: [any DetectorHead.Type] = [
        ProposalHead.self,
        SSDPostProcessHead.self,
        SSDAnchorHead.self,
        FaceHead.self,
        PoseHead.self,
        DecodedBoxesHead.self,
        DetectionListsHead.self,
        EndToEndHead.self,
        DistanceHead.self,
        YOLOHead.self,
        PixelClassHead.self,
        ForegroundHead.self,
    ]

    /// Finds the head of a detection model: of the kind that its sidecar names, otherwise the first kind that fits. A sidecar that
    /// chooses an output with scores describes a classifier.
    ///
    /// - Throws: `LocalModelError`.
    static func find(in files: ModelFiles) throws -> any DetectorHead {
        try checkName(in: files)
        if let index = files.sidecar.scoreOutput {
            throw LocalModelError.output(
                model: files.name,
                reason: "scoreOutput \(index) in its sidecar makes it a classifier"
            )
        }
        try files.checkOpenShapes()
        let name = files.sidecar.head
        for kind in all where name.map(kind.names.contains) ?? true {
            if let head = try kind.find(in: files) { return head }
        }
        let outputs = zip(files.model.outputs, files.outputShapes).map { "\($0.name) \($1)" }.joined(separator: ", ")
        throw LocalModelError.output(
            model: files.name,
            reason: name.map { "the sidecar file asks for \($0.rawValue), which its outputs (\(outputs)) are not" }
                ?? OtherTask.summary(of: files)
                    ?? """
                    its outputs (\(outputs)) are not those of a known detector; if it is a kind of YOLO, give the labels of its \
                    classes, or its head in a sidecar file
                    """
        )
    }

    /// Refuses a sidecar that names an unknown head, which is a mistake in a classifier's sidecar as well.
    static func checkName(in files: ModelFiles) throws(LocalModelError) {
        let known = all.flatMap { $0.names.map(\.rawValue) }
        guard let name = files.sidecar.head?.rawValue, !known.contains(name) else { return }
        throw .sidecar(
            path: files.sidecarPath,
            reason: "\"head\": " + Spelling.refusal(of: name, known: known)
        )
    }
}
