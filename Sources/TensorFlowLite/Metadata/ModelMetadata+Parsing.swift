extension ModelMetadata {
    /// Reads the metadata buffer of a model.
    init(_ bytes: UnsafeRawBufferPointer) throws(ModelError) {
        let buffer = FlatBuffer(bytes: bytes, budget: FlatBufferBudget(maximumElements: 1_000_000))
        guard buffer.identifier == "M001" else {
            throw .corrupted(reason: "its metadata does not have the identifier M001")
        }
        do {
            self = try Self.read(try buffer.root())
        } catch {
            throw .corrupted(reason: "in its metadata \(error.reason)")
        }
    }

    private static func read(_ root: FlatBufferTable) throws(FlatBufferError) -> ModelMetadata {
        let subgraphs = try root.tables(3)
        let main = subgraphs.count > 0 ? try subgraphs.table(at: 0) : nil
        var files = try AssociatedFile.read(root, 6)
        if let main { files += try AssociatedFile.read(main, 4) }
        return ModelMetadata(
            name: try root.string(0),
            description: try root.string(1),
            version: try root.string(2),
            author: try root.string(4),
            license: try root.string(5),
            inputs: try main?.tables(2).map(TensorMetadata.read) ?? [],
            outputs: try main?.tables(3).map(TensorMetadata.read) ?? [],
            associatedFiles: files,
            detector: try main.flatMap(detector)
        )
    }
}

extension ModelMetadata {
    /// The custom metadata with the name that MediaPipe gives its description of a detector.
    private static func detector(_ subgraph: FlatBufferTable) throws(FlatBufferError) -> DetectorMetadata? {
        let entries = try subgraph.tables(9)
        for index in 0..<entries.count {
            let entry = try entries.table(at: index)
            guard try entry.string(0) == DetectorMetadata.name, let bytes = try entry.byteVector(1) else { continue }
            return try DetectorMetadata(bytes)
        }
        return nil
    }
}

extension AssociatedFile {
    fileprivate static func read(_ table: FlatBufferTable, _ field: Int) throws(FlatBufferError) -> [AssociatedFile] {
        try table.tables(field).map { _, file throws(FlatBufferError) in
            let code: Int8 = try file.integer(2, default: 0)
            let locale = try file.string(3)
            return AssociatedFile(
                name: try file.string(0) ?? "",
                kind: Kind(code),
                locale: locale?.isEmpty == true ? nil : locale,
                description: try file.string(1)
            )
        }
    }
}

extension AssociatedFile.Kind {
    /// Source: enum AssociatedFileType of the metadata schema.
    fileprivate init(_ code: Int8) {
        self =
            switch code {
            case 1: .descriptions
            case 2: .axisLabels
            case 3: .valueLabels
            case 4: .axisScoreCalibration
            case 5: .vocabulary
            case 6: .searchIndex
            default: .unknown(Int(code))
            }
    }
}

extension TensorMetadata {
    fileprivate static func read(_ index: Int, _ table: FlatBufferTable) throws(FlatBufferError) -> TensorMetadata {
        var normalization: Normalization?
        var threshold: Float?
        let units = try table.tables(4)
        for index in 0..<units.count {
            let unit = try units.table(at: index)
            guard let options = try unit.table(1) else { continue }
            switch try unit.integer(0, default: UInt8(0)) {
            case 1: normalization = try Normalization(options)
            case 3:
                let value = try options.float(0, default: 0)
                if value.isFinite { threshold = value }
            default: break
            }
        }
        let content = try table.table(3)
        let stats = try table.table(5)
        return TensorMetadata(
            name: try table.string(0),
            description: try table.string(1),
            normalization: normalization,
            scoreThreshold: threshold,
            content: try content.map(Content.read) ?? .unknown,
            contentRange: try content?.table(2).flatMap(range),
            minimumValues: try stats?.floats(1) ?? [],
            maximumValues: try stats?.floats(0) ?? [],
            associatedFiles: try AssociatedFile.read(table, 6)
        )
    }

    private static func range(_ table: FlatBufferTable) throws(FlatBufferError) -> ClosedRange<Int>? {
        let lower = Int(try table.integer(0, default: Int32(0)))
        let upper = Int(try table.integer(1, default: Int32(0)))
        return lower <= upper ? lower...upper : nil
    }
}

extension TensorMetadata.Normalization {
    /// Nil if the numbers are unusable: missing, not finite, or a division by 0.
    fileprivate init?(_ table: FlatBufferTable) throws(FlatBufferError) {
        let mean = try table.floats(0) ?? []
        let deviation = try table.floats(1) ?? []
        guard !mean.isEmpty, !deviation.isEmpty, (mean + deviation).allSatisfy(\.isFinite),
            !deviation.contains(0)
        else { return nil }
        self.init(mean: mean, standardDeviation: deviation)
    }
}

extension TensorMetadata.Content {
    fileprivate static func read(_ table: FlatBufferTable) throws(FlatBufferError) -> Self {
        let kind: UInt8 = try table.integer(0, default: 0)
        guard let properties = try table.table(1) else { return .unknown }
        switch kind {
        case 1: return .feature
        case 2:
            let size = try properties.table(1)
            return .image(
                try properties.integer(0, default: Int8(0)).colorSpace,
                width: try size.map { size throws(FlatBufferError) in Int(try size.integer(0, default: UInt32(0))) },
                height: try size.map { size throws(FlatBufferError) in Int(try size.integer(1, default: UInt32(0))) }
            )
        case 3:
            return .boundingBox(
                try properties.integer(1, default: Int8(0)).boundingBox,
                coordinates: try properties.integer(2, default: Int8(0)) == 1 ? .pixel : .ratio,
                order: try properties.integers(0, of: UInt32.self)?.map(Int.init) ?? []
            )
        case 4: return .audio
        default: return .unknown
        }
    }
}

extension Int8 {
    fileprivate var colorSpace: TensorMetadata.ColorSpace {
        switch self {
        case 1: .rgb
        case 2: .grayscale
        default: .unknown
        }
    }

    fileprivate var boundingBox: TensorMetadata.BoundingBox {
        switch self {
        case 1: .boundaries
        case 2: .upperLeft
        case 3: .center
        default: .unknown
        }
    }
}
