/// The part of a detector with grids of cells before its last layers: for the cells that most likely hold an object, it gives the numbers
/// that describe them, and their boxes.
///
/// Each grid has an output of the distances from its cells to the edges of their boxes, `[1, height, width, 4]`, and an output of scores,
/// `[1, height, width, classes]`, of which one stands for an object of any kind. Both are computed from the *features* of a cell by a
/// convolution of 1 × 1. To these come the numbers at the cell's place in the maps of the network's body from which the model labels
/// the whole picture.
///
/// A new model is written from it: ``cells()`` has features and boxes as outputs, ``detector(_:exponent:_:)`` has a new last layer. Both have
/// all weights of the body, unchanged, and choose the same cells.
package struct CellTrunk: Sendable {
    /// The body of the network, which gives the features, the distances and the maps.
    let trunk: ModelTrunk
    /// The grids, the finest first.
    let grids: [Grid]
    /// The maps of the body.
    let maps: [Map]
    /// The size of the model's input in pixels.
    let width: Int
    let height: Int
    /// The class of the scores that stands for any object.
    let objectClass: Int

    /// So many cells of a picture count, those that most likely hold an object.
    package static let cellCount = 200
    /// So many objects are found in a picture, as in a model of AutoML Vision Edge.
    package static let maximumObjects = 40

    /// Cells over the whole picture.
    struct Grid: Sendable {
        let width: Int
        let height: Int
        /// The tensors of the features, of the distances as floats, and of the scores in bytes.
        let features: Int
        let distances: Int
        let scores: Int
        /// The weights and the bias of the convolution that gives the scores.
        let weights: Int
        let bias: Int
        var count: Int { width * height }
    }

    /// Numbers for each part of the picture.
    struct Map: Sendable {
        let tensor: Int
        let width: Int
        let height: Int
        let depth: Int
    }

    /// Numbers that describe a cell and come from one tensor.
    package struct Part: Sendable {
        /// The number of numbers.
        package let count: Int
        /// The scale and the zero point of the numbers, which are of the type int8.
        package let quantization: QuantizationParameters
    }

    /// The parts of a cell's features, in their order.
    package let parts: [Part]
    /// The number of numbers that describe a cell.
    package var featureCount: Int { parts.reduce(0) { $0 + $1.count } }

    /// Finds the grids and maps of a detector.
    ///
    /// - Parameters:
    ///   - objectClass: The class that stands for an object of any kind.
    ///   - inputShape: The shape of the picture, for a model that leaves it open; nil for the file's.
    /// - Throws: `ModelTrunkError`.
    package init(of model: Model, objectClass: Int, inputShape: [Int]? = nil) throws(ModelTrunkError) {
        guard let main = model.graph.subgraphs.first, let input = main.inputs.first,
            main.tensors[input].shape.count == 4
        else { throw .layout(reason: "it takes no picture") }
        let links = GraphLinks(model.graph, main)
        (height, width) = (main.tensors[input].shape[1], main.tensors[input].shape[2])
        self.objectClass = objectClass
        grids = links.grids(objectClass: objectClass)
        guard let first = grids.first, let feature = links.bytes(first.features),
            let score = links.bytes(first.scores), width > 0, height > 0,
            grids.allSatisfy({
                links.bytes($0.features) == feature && links.bytes($0.scores) == score
                    && main.tensors[$0.features].shape.last == main.tensors[first.features].shape.last
            }),
            grids.reduce(0, { $0 + $1.count }) >= Self.cellCount
        else { throw .layout(reason: "it has no grids of cells with 8-bit features of one scale") }
        let depth = main.tensors[first.features].shape.last ?? 0
        // The finest grid is too fine for what the body knows of a place.
        let maps = links.averagedMaps.filter {
            $0.depth != depth && $0.width < first.width && links.bytes($0.tensor) != nil
        }
        self.maps = maps
        parts =
            [Part(count: depth, quantization: feature)]
            + maps.compactMap { map in links.bytes(map.tensor).map { Part(count: map.depth, quantization: $0) } }
        trunk = try ModelTrunk(
            of: model,
            tensors: grids.flatMap { [$0.features, $0.distances] } + maps.map(\.tensor),
            inputShape: inputShape
        )
    }

    /// The distance of two cells in pixels. The last cell may reach over the edge.
    static func stride(of cells: Int, over extent: Int) -> Int {
        var stride = 1
        while stride < extent, (extent + stride - 1) / stride > cells { stride *= 2 }
        return stride
    }

    /// The centers of all cells in pixels, grid by grid.
    var centers: [(x: Int, y: Int)] {
        grids.flatMap { grid in
            let (across, down) = (Self.stride(of: grid.width, over: width), Self.stride(of: grid.height, over: height))
            return (0..<grid.count).map { (x: $0 % grid.width * across, y: $0 / grid.width * down) }
        }
    }

    /// The place of each cell in a map.
    func places(in map: Map) -> [Int] {
        centers.map { center in
            let column = min(center.x * map.width / width, map.width - 1)
            return min(center.y * map.height / height, map.height - 1) * map.width + column
        }
    }
}

/// The ways from the outputs of a model back to what they are computed from.
private struct GraphLinks {
    let graph: ModelGraph
    let main: ModelGraph.Subgraph
    private var producers: [Int: Int] = [:]

    init(_ graph: ModelGraph, _ main: ModelGraph.Subgraph) {
        (self.graph, self.main) = (graph, main)
        for (position, node) in main.operators.enumerated() {
            for output in node.outputs { producers[output] = position }
        }
    }

    /// The operator that computes a tensor, if it has a name.
    private func producer(of tensor: Int, named name: String) -> ModelGraph.OperatorNode? {
        guard let position = producers[tensor], graph.operatorCodes[main.operators[position].code].name == name else {
            return nil
        }
        return main.operators[position]
    }

    /// The scale of a tensor of int8.
    func bytes(_ tensor: Int) -> QuantizationParameters? {
        main.tensors[tensor].type == .int8 ? main.tensors[tensor].quantization : nil
    }

    /// The tensors of bytes that become the outputs, by their height and width.
    func grids(objectClass: Int) -> [CellTrunk.Grid] {
        struct Size: Hashable { let height: Int, width: Int }
        var distances: [Size: (tensor: Int, features: Int)] = [:]
        var scores: [Size: (tensor: Int, layer: ModelGraph.OperatorNode)] = [:]
        for output in main.outputs {
            let shape = main.tensors[output].shape
            guard shape.count == 4, shape[0] == 1, main.tensors[output].type == .float32,
                let stored = producer(of: output, named: "DEQUANTIZE")?.inputs.first,
                let layer = producer(of: stored, named: "CONV_2D"), layer.inputs.count == 3,
                layer.inputs.allSatisfy({ $0 >= 0 })
            else { continue }
            let size = Size(height: shape[1], width: shape[2])
            let weights = main.tensors[layer.inputs[1]]
            if shape[3] == 4 {
                distances[size] = (output, layer.inputs[0])
            } else if objectClass < shape[3], weights.type == .int8, weights.constant != nil,
                weights.shape == [shape[3], 1, 1, main.tensors[layer.inputs[0]].shape.last ?? 0],
                main.tensors[layer.inputs[2]].constant != nil, main.tensors[layer.inputs[2]].type == .int32
            {
                scores[size] = (stored, layer)
            }
        }
        return scores.compactMap { size, found in
            guard let distance = distances[size], distance.features == found.layer.inputs[0] else { return nil }
            return CellTrunk.Grid(
                width: size.width,
                height: size.height,
                features: distance.features,
                distances: distance.tensor,
                scores: found.tensor,
                weights: found.layer.inputs[1],
                bias: found.layer.inputs[2]
            )
        }
        .sorted { $0.count > $1.count }
    }

    /// The maps whose means the model computes, in its order.
    var averagedMaps: [CellTrunk.Map] {
        var maps: [CellTrunk.Map] = []
        for node in main.operators where graph.operatorCodes[node.code].name == "MEAN" {
            guard let tensor = node.inputs.first, tensor >= 0 else { continue }
            let shape = main.tensors[tensor].shape
            guard shape.count == 4, shape[0] == 1, !maps.contains(where: { $0.tensor == tensor }) else { continue }
            maps.append(CellTrunk.Map(tensor: tensor, width: shape[2], height: shape[1], depth: shape[3]))
        }
        return maps
    }
}
