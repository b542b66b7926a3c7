/// The operators that choose the cells of a detector.
extension TrunkWriter {
    /// The tensors of the chosen cells, a row for each.
    struct ChosenCells {
        /// The parts of the features, as bytes.
        let features: [Int]
        /// Top, left, bottom and right as fractions of the picture, inside it.
        let boxes: Int
        /// The probability that the cell holds an object.
        let confidence: Int
    }

    /// Appends the choice of the cells that most likely hold an object.
    ///
    /// - Throws: `ModelTrunkError.layout` or `FlatBufferError`.
    mutating func append(_ cells: CellTrunk) throws -> ChosenCells {
        let all = cells.grids.reduce(0) { $0 + $1.count }
        let kept = CellTrunk.cellCount
        var (objects, features, distances): ([Int], [Int], [Int]) = ([], [], [])
        for grid in cells.grids {
            let object = try objectScores(of: grid, cells.objectClass)
            objects.append(reshape(object, to: [grid.count]))
            features.append(reshape(index(of: grid.features), to: [grid.count, cells.parts[0].count]))
            distances.append(reshape(index(of: grid.distances), to: [grid.count, 4]))
        }
        // Which cells.
        let scores = computed("cells/objects", .float32, [all])
        add(.dequantize(2), [joined(objects, [all])], scores)
        let count = addIntegers("cells/count", [kept], [])
        let (largest, chosen) = (
            computed("cells/scores", .float32, [kept]), computed("cells/chosen", .int32, [kept])
        )
        add(New.largest.code, inputs: [scores, count], outputs: [largest, chosen], options: New.largest.options)
        let confidence = computed("cells/confidence", .float32, [kept])
        add(.logistic, [largest], confidence)
        // Their features.
        var parts = [gathered(joined(features, [all, cells.parts[0].count]), chosen, depth: cells.parts[0].count)]
        for map in cells.maps {
            let rows = reshape(index(of: map.tensor), to: [map.width * map.height, map.depth])
            let places = addIntegers("cells/places", cells.places(in: map), [all])
            let place = computed("cells/place", .int32, [kept])
            add(.gather(1), [places, chosen], place)
            parts.append(gathered(rows, place, depth: map.depth))
        }
        return ChosenCells(
            features: parts,
            boxes: boxes(of: cells, joined(distances, [all, 4]), chosen),
            confidence: reshape(confidence, to: [kept, 1])
        )
    }

    /// The corners of the chosen cells' boxes.
    private mutating func boxes(of cells: CellTrunk, _ distances: Int, _ chosen: Int) -> Int {
        let kept = CellTrunk.cellCount
        let (width, height) = (Float(cells.width), Float(cells.height))
        let centers = cells.centers.map { (x: Float($0.x) / width, y: Float($0.y) / height) }
        let points = addFloats(
            "cells/centers",
            centers.flatMap { [$0.y, $0.x, $0.y, $0.x] },
            [centers.count, 4]
        )
        // From the distances to the left, the top, the right and the bottom.
        let steps = multiplied(
            gathered(distances, chosen, depth: 4),
            by: [[0, -1 / height, 0, 0], [-1 / width, 0, 0, 0], [0, 0, 0, 1 / height], [0, 0, 1 / width, 0]]
        )
        let corners = computed("cells/corners", .float32, [kept, 4])
        add(.sum, [gathered(points, chosen, depth: 4), steps], corners)
        let limited = computed("cells/corners", .float32, [kept, 4])
        add(.minimum, [corners, addFloats("cells/one", [1], [1])], limited)
        let boxes = computed("cells/boxes", .float32, [kept, 4])
        add(.maximum, [limited, addFloats("cells/zero", [0], [1])], boxes)
        return boxes
    }

    /// Appends the part of a grid's last layer that gives the score of an object of any kind.
    private mutating func objectScores(of grid: CellTrunk.Grid, _ channel: Int) throws -> Int {
        guard let main = trunk.model.graph.subgraphs.first,
            let scores = main.tensors[grid.scores].quantization
        else { throw ModelTrunkError.layout(reason: "its scores have no scale") }
        let depth = main.tensors[grid.weights].shape.last ?? 0
        let weights = try addChannel(channel, of: grid.weights, main, [1, 1, 1, depth], byteCount: depth)
        let bias = try addChannel(channel, of: grid.bias, main, [1], byteCount: 4)
        let object = addTensor(
            "cells/object",
            .int8,
            [1, grid.height, grid.width, 1],
            TensorScales(scores.scale, zeroPoint: scores.zeroPoint)
        )
        add(.convolution(3), [index(of: grid.features), weights, bias], object)
        return object
    }

    /// Adds a constant with one channel of another, which has a scale for each channel.
    private mutating func addChannel(
        _ channel: Int,
        of original: Int,
        _ main: ModelGraph.Subgraph,
        _ shape: [Int],
        byteCount: Int
    ) throws -> Int {
        let node = main.tensors[original]
        guard let constant = node.constant, constant.count >= (channel + 1) * byteCount,
            let scales = try tables.table(at: original).table(4)?.floats(2), !scales.isEmpty
        else { throw ModelTrunkError.layout(reason: "its tensor \"\(node.name)\" has no scale for each class") }
        let bytes = try file.bytes(at: constant.lowerBound + channel * byteCount, count: byteCount)
        return addTensor(
            "cells/object",
            node.type,
            shape,
            TensorScales(perChannel: [scales.count > channel ? scales[channel] : scales[0]], dimension: 0),
            constant: Array(bytes)
        )
    }

    // MARK: - Steps

    /// Adds a tensor that is computed.
    mutating func computed(
        _ name: String,
        _ type: ElementType,
        _ shape: [Int],
        like other: Int? = nil
    ) -> Int {
        addTensor(name, type, shape, other.flatMap { scales(of: $0) })
    }

    mutating func reshape(_ tensor: Int, to shape: [Int]) -> Int {
        let result = computed("cells/rows", type(of: tensor), shape, like: tensor)
        add(.reshape(shape), [tensor, addIntegers("cells/shape", shape, [shape.count])], result)
        return result
    }

    /// All rows of some tensors of one scale.
    mutating func joined(_ tensors: [Int], _ shape: [Int]) -> Int {
        guard let first = tensors.first else { return 0 }
        let result = computed("cells/all", type(of: first), shape, like: first)
        add(.concatenation(along: 0, type(of: first) == .int8 ? 2 : 1), tensors, result)
        return result
    }

    /// Rows of a tensor by their numbers.
    mutating func gathered(_ rows: Int, _ numbers: Int, depth: Int) -> Int {
        let result = computed("cells/chosen", type(of: rows), [CellTrunk.cellCount, depth], like: rows)
        add(.gather(type(of: rows) == .int8 ? 2 : 1), [rows, numbers], result)
        return result
    }

    /// Rows of floats, each multiplied by a matrix of constants.
    mutating func multiplied(_ rows: Int, by matrix: [[Float]]) -> Int {
        let weights = addFloats("cells/matrix", matrix.flatMap(\.self), [matrix.count, matrix.first?.count ?? 0])
        let result = computed("cells/product", .float32, [CellTrunk.cellCount, matrix.count])
        add(.fullyConnected(1), [rows, weights, -1], result)
        return result
    }
}
