/// Rewrites the stem of YOLO models that is called Focus as a single convolution, which computes the same sums.
///
/// The stem takes every second row and column of the picture, four times with other beginnings, stacks the four results
/// and convolves them with k × k weights. A convolution of stride 2 with 2k × 2k weights, in which the four groups of
/// channels take turns, does the same without the slices, for which the runtime has only a slow loop.
enum FocusStem {
    /// Rewrites each such stem.
    ///
    /// - Returns: The number of rewritten stems.
    static func apply(to draft: inout ModelDraft) throws -> Int {
        let links = DraftLinks(draft)
        var replacements: [Int: [ModelDraft.Operator]] = [:]
        for position in draft.operators.indices {
            guard let stem = try Stem(endingAt: position, of: draft, links) else { continue }
            replacements[position] = [try rewritten(stem, in: &draft, links)]
        }
        draft.replace(replacements)
        return replacements.count
    }

    private struct Stem {
        let convolution: ModelDraft.Operator
        /// The sliced picture.
        let picture: Int
        /// The first row and column of each slice.
        let beginnings: [(row: Int, column: Int)]

        /// Nil if the operator is not the convolution at the end of a stem.
        init?(endingAt position: Int, of draft: ModelDraft, _ links: DraftLinks) throws(FlatBufferError) {
            let convolution = draft.operators[position]
            guard draft.codes[convolution.code].name == "CONV_2D", convolution.inputs.count >= 2,
                let options = try convolution.table?.table(4),
                // Strides and dilations.
                try options.integer(1, default: Int32(0)) == 1, try options.integer(2, default: Int32(0)) == 1,
                try options.integer(4, default: Int32(1)) == 1, try options.integer(5, default: Int32(1)) == 1,
                links.isUsedOnce(convolution.inputs[0]),
                let stacking = links.producer(of: convolution.inputs[0], named: "CONCATENATION", in: draft),
                let slices = try Self.slices(stackedBy: stacking, of: draft, links)
            else { return nil }
            var beginnings: [(row: Int, column: Int)] = []
            for slice in slices {
                if let beginning = try Self.beginning(of: slice, in: draft) { beginnings.append(beginning) }
            }
            let pictures = Set(slices.map { $0.inputs[0] })
            guard beginnings.count == 4, Set(beginnings.map { $0.row * 2 + $0.column }).count == 4,
                let picture = pictures.first, pictures.count == 1
            else { return nil }
            let (image, weights) = (draft.tensors[picture], draft.tensors[convolution.inputs[1]])
            guard image.type == .float32, image.shape.count == 4, weights.type == .float32, weights.constant != nil,
                weights.shape.count == 4, weights.isPlain, weights.shape[3] == 4 * image.shape[3],
                image.shape[1] % 2 == 0, image.shape[2] % 2 == 0, image.hasFixedShape
            else { return nil }
            // With padding SAME, number 0, weights of even size have more padding on one side.
            let isSame = try options.integer(0, default: Int8(0)) == 0
            guard !isSame || (weights.shape[1] % 2 == 1 && weights.shape[2] % 2 == 1) else { return nil }
            self.convolution = convolution
            self.picture = picture
            self.beginnings = beginnings
        }

        /// The four slices that an operator stacks along the channels.
        private static func slices(
            stackedBy stacking: ModelDraft.Operator,
            of draft: ModelDraft,
            _ links: DraftLinks
        ) throws(FlatBufferError) -> [ModelDraft.Operator]? {
            guard stacking.inputs.count == 4, let options = try stacking.table?.table(4),
                [3, -1].contains(try options.integer(0, default: Int32(0))),
                try options.integer(1, default: Int8(0)) == 0
            else { return nil }
            let slices = stacking.inputs.compactMap { links.producer(of: $0, named: "STRIDED_SLICE", in: draft) }
            return slices.count == 4 ? slices : nil
        }

        /// The first row and column of a slice that takes every second row and column of the whole picture.
        private static func beginning(
            of slice: ModelDraft.Operator,
            in draft: ModelDraft
        ) throws(FlatBufferError) -> (row: Int, column: Int)? {
            guard let options = try slice.table?.table(4), slice.inputs.count == 4 else { return nil }
            // Masks of ellipses, of new and of removed dimensions, and whether ends are offsets.
            for slot in 2...4 where try options.integer(slot, default: Int32(0)) != 0 { return nil }
            guard try options.integer(5, default: UInt8(0)) == 0 else { return nil }
            let (beginMask, endMask) = (
                try options.integer(0, default: Int32(0)), try options.integer(1, default: Int32(0))
            )
            let shape = draft.tensors[slice.inputs[0]].shape
            guard shape.count == 4, var begins = try draft.int32s(slice.inputs[1]),
                let ends = try draft.int32s(slice.inputs[2]), let strides = try draft.int32s(slice.inputs[3]),
                begins.count == 4, ends.count == 4, strides == [1, 2, 2, 1]
            else { return nil }
            for dimension in 0..<4 where beginMask >> Int32(dimension) & 1 == 1 { begins[dimension] = 0 }
            let isWhole = (0..<4).allSatisfy { endMask >> Int32($0) & 1 == 1 || ends[$0] >= shape[$0] }
            guard isWhole, begins[0] == 0, begins[3] == 0, (0...1).contains(begins[1]), (0...1).contains(begins[2])
            else { return nil }
            return (begins[1], begins[2])
        }
    }

    /// The convolution that computes the same as the stem.
    private static func rewritten(
        _ stem: Stem,
        in draft: inout ModelDraft,
        _ links: DraftLinks
    ) throws -> ModelDraft.Operator {
        var convolution = stem.convolution
        let weights = convolution.inputs[1]
        guard let constant = draft.tensors[weights].constant, let options = try convolution.table?.table(4) else {
            return convolution
        }
        let (shape, old) = (draft.tensors[weights].shape, try draft.bytes(of: constant))
        let (count, height, width, depth) = (shape[0], shape[1], shape[2], shape[3] / 4)
        var new = [UInt8](repeating: 0, count: old.count)
        // A group of `depth` channels moves as a whole.
        let size = depth * 4
        for filter in 0..<count {
            for row in 0..<height {
                for column in 0..<width {
                    for (group, beginning) in stem.beginnings.enumerated() {
                        let from = (((filter * height + row) * width + column) * 4 + group) * size
                        let newRow = filter * 2 * height + 2 * row + beginning.row
                        let to = (newRow * 2 * width + 2 * column + beginning.column) * size
                        new.replaceSubrange(to..<to + size, with: old[from..<from + size])
                    }
                }
            }
        }
        var index = weights
        if draft.ownsData(weights), links.isUsedOnce(weights) {
            try draft.patch(constant, with: new)
        } else {
            let buffer = try draft.addBuffer(new)
            index = draft.addTensor(like: weights, suffix: "_focus", .float32, nil, buffer: buffer)
        }
        draft.reshape(index, to: [count, 2 * height, 2 * width, depth])
        convolution.inputs[0] = stem.picture
        convolution.inputs[1] = index
        convolution.options = (
            1,
            .table([
                0: .uint8(try options.integer(0, default: UInt8(0))), 1: .uint32(2), 2: .uint32(2),
                3: .uint8(try options.integer(3, default: UInt8(0))), 4: .uint32(1), 5: .uint32(1),
            ])
        )
        convolution.isChanged = true
        return convolution
    }
}
