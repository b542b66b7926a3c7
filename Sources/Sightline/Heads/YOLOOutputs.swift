/// The outputs of a YOLO model by their shapes: boxes in three dimensions, and for segmentation prototypes in four.
struct YOLOOutputs {
    /// The position of the boxes among the outputs.
    let boxes: Int
    /// The shape of the boxes.
    let shape: [Int]
    /// The number of prototypes for masks; nil if there is no such output.
    let prototypeCount: Int?
    /// The position of the prototypes among the outputs; nil if there are none.
    let prototypes: Int?
    /// The other outputs, in words.
    let unused: [String]

    /// The number of prototypes in the models of Ultralytics.
    private static let usualPrototypeCount = 32

    /// Nil if the outputs are others.
    init?(_ files: ModelFiles) {
        let shapes = files.outputShapes
        let candidates = shapes.indices.filter { shapes[$0].count == 3 && shapes[$0][0] == 1 }
        let others = shapes.indices.filter { !candidates.contains($0) }
        guard let boxes = candidates.first, candidates.count == 1, others.count <= 1,
            others.allSatisfy({ shapes[$0].count == 4 && shapes[$0][0] == 1 })
        else { return nil }
        self.boxes = boxes
        shape = shapes[boxes]
        prototypes = others.first
        prototypeCount = others.first.map { other in
            // The prototypes lie along the last axis, or before their rows and columns.
            let ends = [shapes[other][3], shapes[other][1]]
            return ends.contains(Self.usualPrototypeCount) ? Self.usualPrototypeCount : min(ends[0], ends[1])
        }
        unused = others.map { "the prototypes of masks in \(files.model.outputs[$0].name) \(shapes[$0])" }
    }
}
