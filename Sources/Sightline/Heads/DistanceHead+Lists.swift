import TensorFlowLite

/// Two outputs for each grid whose cells follow each other in a list, `[1, cells, classes]` and `[1, cells, 32]`: NanoDet and PP-PicoDet as
/// their own exporters write them.
extension DistanceHead {
    /// The distances of cells in pixels.
    private static let strides = [8, 16, 32, 64]

    /// Finds the outputs; nil if the outputs are others.
    init?(listed files: ModelFiles, _ input: ImageInput) throws(LocalModelError) {
        let shapes = files.outputShapes
        guard [6, 8].contains(shapes.count), shapes.allSatisfy({ $0.count == 3 && $0[0] == 1 && $0[1] > 0 }) else {
            return nil
        }
        var levels: [Level] = []
        var classCounts: Set<Int> = []
        var isGuess = false
        for stride in Self.strides.prefix(shapes.count / 2) {
            let size = input.statedSize
            let cells = ((size.width + stride - 1) / stride) * ((size.height + stride - 1) / stride)
            let outputs = shapes.indices.filter { shapes[$0][1] == cells }
            guard outputs.count == 2, let pair = Pair(outputs, of: files, kinds: [.picoDet]) else { return nil }
            classCounts.insert(shapes[pair.scores][2])
            isGuess = isGuess || pair.isGuess
            levels.append(
                Level(
                    input.format.size,
                    strides: (stride, stride),
                    scores: try Columns(pair.scores, of: files),
                    distances: try Columns(pair.distances, of: files)
                )
            )
        }
        guard let count = classCounts.first, classCounts.count == 1, count > 0 else { return nil }
        // NanoDet's exporter names its outputs cls_pred_stride_8 and dis_pred_stride_8.
        let isNanoDet = files.model.outputs.contains { $0.name.contains("dis_pred_stride") }
        (self.levels, classes, scoresAreGuess) = (levels, count, isGuess)
        family = isNanoDet ? .firstNanoDet : .picoDet
        (inputSize, model, unused) = (input.format.size, files.name, [])
        objectClass = try files.objectClass(among: count)
    }
}
