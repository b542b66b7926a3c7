import TensorFlowLite

/// Two outputs for each grid: a list of cells, as NanoDet and PP-PicoDet write them, or a plane, as RTMDet does.
extension DistanceHead {
    /// The distances of cells in pixels.
    private static let strides = [8, 16, 32, 64]

    /// The outputs `[1, cells, classes]` and `[1, cells, 32]`; nil if the outputs are others.
    init?(listed files: ModelFiles, _ input: ImageInput) throws(LocalModelError) {
        let shapes = files.outputShapes
        guard [6, 8].contains(shapes.count), shapes.allSatisfy({ $0.count == 3 && $0[0] == 1 && $0[1] > 0 }) else {
            return nil
        }
        let size = input.statedSize
        let grids = Self.strides.prefix(shapes.count / 2).map { stride in
            let cells = ((size.width + stride - 1) / stride) * ((size.height + stride - 1) / stride)
            return (outputs: shapes.indices.filter { shapes[$0][1] == cells }, strides: (x: stride, y: stride))
        }
        guard let grids = try Grids(grids, of: files, input, kinds: [.picoDet]) else { return nil }
        // NanoDet's exporter names its outputs cls_pred_stride_8 and dis_pred_stride_8.
        let isNanoDet = files.model.outputs.contains { $0.name.contains("dis_pred_stride") }
        try self.init(grids, isNanoDet ? .firstNanoDet : .picoDet, of: files, input, unused: [])
    }

    /// The outputs `[1, height, width, n]`. Others, `[1, n]`, describe the whole picture. Nil if the outputs are others.
    init?(paired files: ModelFiles, _ input: ImageInput) throws(LocalModelError) {
        let shapes = files.outputShapes
        let planes = shapes.indices.filter { shapes[$0].count == 4 }
        guard [6, 8].contains(planes.count),
            planes.allSatisfy({ shapes[$0][0] == 1 && shapes[$0][1] > 0 && shapes[$0][2] > 0 }),
            shapes.allSatisfy({ [2, 4].contains($0.count) })
        else { return nil }
        let sizes = Set(planes.map { [shapes[$0][1], shapes[$0][2]] }).sorted { $0[0] > $1[0] }
        let grids = sizes.compactMap { size -> Grids.Outputs? in
            guard let x = Self.stride(of: size[1], over: input.statedSize.width),
                let y = Self.stride(of: size[0], over: input.statedSize.height)
            else { return nil }
            return (planes.filter { Array(shapes[$0][1...2]) == size }, (x, y))
        }
        guard grids.count * 2 == planes.count,
            let grids = try Grids(grids, of: files, input, kinds: [.picoDet, .rtmDet])
        else { return nil }
        let unused = shapes.indices.filter { !planes.contains($0) }
        try self.init(
            grids,
            grids.distances == Family.rtmDet.distanceCount ? .rtmDet : .picoDet,
            of: files,
            input,
            unused: unused.map { "the output \(files.model.outputs[$0].name)" }
        )
    }

    private init(
        _ grids: Grids,
        _ family: Family,
        of files: ModelFiles,
        _ input: ImageInput,
        unused: [String]
    ) throws(LocalModelError) {
        (levels, classes, scoresAreGuess) = (grids.levels, grids.classes, grids.isGuess)
        (self.family, self.unused) = (family, unused)
        (inputSize, model) = (input.format.size, files.name)
        objectClass = try files.objectClass(among: classes)
    }

    /// The distance of so many cells over an extent in pixels, as a network has it that halves its picture again and again; nil for the
    /// outputs of other models. The last cell may reach over the edge.
    private static func stride(of cells: Int, over extent: Int) -> Int? {
        [4, 8, 16, 32, 64, 128].first { (extent + $0 - 1) / $0 == cells }
    }

    /// Grids with two outputs each, which have the same columns in all grids.
    private struct Grids {
        /// The outputs with the cells of a grid, and the distances of the cells in pixels.
        typealias Outputs = (outputs: [Int], strides: (x: Int, y: Int))

        private(set) var levels: [Level] = []
        /// The columns of the scores and of the distances.
        let classes: Int
        let distances: Int
        /// Whether nothing but their order distinguished the outputs of a grid.
        private(set) var isGuess = false

        /// Finds out which outputs are the scores; nil if the outputs are not those of these kinds of models.
        init?(
            _ grids: [Outputs],
            of files: ModelFiles,
            _ input: ImageInput,
            kinds: [Family]
        ) throws(LocalModelError) {
            var columns: Set<[Int]> = []
            for (outputs, strides) in grids {
                guard outputs.count == 2, let pair = Pair(outputs, of: files, kinds: kinds) else { return nil }
                isGuess = isGuess || pair.isGuess
                let level = Level(
                    input.format.size,
                    strides: strides,
                    scores: try Columns(pair.scores, of: files),
                    distances: try Columns(pair.distances, of: files)
                )
                columns.insert([level.scores.rowLength, level.distances.rowLength])
                levels.append(level)
            }
            guard let only = columns.first, columns.count == 1, only[0] > 0 else { return nil }
            (classes, distances) = (only[0], only[1])
        }
    }

    /// Two outputs with the same cells: their scores, and their distances, which the number of columns identifies.
    struct Pair {
        let scores: Int
        let distances: Int
        /// Whether only their order told them apart.
        let isGuess: Bool

        /// Finds out which output is which; nil if neither has as many columns as the distances of these kinds of models.
        init?(_ outputs: [Int], of files: ModelFiles, kinds: [Family]) {
            let columns = outputs.map { files.outputShapes[$0].last ?? 0 }
            var places = [1, 0].filter { place in kinds.contains { $0.distanceCount == columns[place] } }
            // With 4 or 32 classes both outputs could be the distances by their shape. The number of labels may decide.
            if places.count == 2, columns[0] != columns[1], let labels = files.labels?.list.names.count,
                columns.contains(labels)
            {
                places.removeAll { columns[1 - $0] != labels }
            }
            guard let place = places.first else { return nil }
            (scores, distances, isGuess) = (outputs[1 - place], outputs[place], places.count > 1)
        }
    }
}
