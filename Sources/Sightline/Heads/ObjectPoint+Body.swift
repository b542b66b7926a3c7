/// The points of a body, in the names of COCO. Left and right are those of the person, as a doctor says them. The eyes are those of a face.
extension ObjectPoint.Name {
    /// The nose of a body, which a model for faces calls ``noseTip``.
    public static let nose = Self(rawValue: "nose")
    /// The person's left ear.
    public static let leftEar = Self(rawValue: "leftEar")
    /// The person's right ear.
    public static let rightEar = Self(rawValue: "rightEar")
    /// The joint of the person's left shoulder.
    public static let leftShoulder = Self(rawValue: "leftShoulder")
    /// The joint of the person's right shoulder.
    public static let rightShoulder = Self(rawValue: "rightShoulder")
    /// The joint of the person's left elbow.
    public static let leftElbow = Self(rawValue: "leftElbow")
    /// The joint of the person's right elbow.
    public static let rightElbow = Self(rawValue: "rightElbow")
    /// The joint of the person's left wrist.
    public static let leftWrist = Self(rawValue: "leftWrist")
    /// The joint of the person's right wrist.
    public static let rightWrist = Self(rawValue: "rightWrist")
    /// The joint of the person's left hip.
    public static let leftHip = Self(rawValue: "leftHip")
    /// The joint of the person's right hip.
    public static let rightHip = Self(rawValue: "rightHip")
    /// The joint of the person's left knee.
    public static let leftKnee = Self(rawValue: "leftKnee")
    /// The joint of the person's right knee.
    public static let rightKnee = Self(rawValue: "rightKnee")
    /// The joint of the person's left ankle.
    public static let leftAnkle = Self(rawValue: "leftAnkle")
    /// The joint of the person's right ankle.
    public static let rightAnkle = Self(rawValue: "rightAnkle")

    /// The 17 points of a body in the order of COCO, in which MoveNet and the YOLO models for poses give them.
    public static let body: [Self] = [
        .nose, .leftEye, .rightEye, .leftEar, .rightEar, .leftShoulder, .rightShoulder, .leftElbow, .rightElbow,
        .leftWrist, .rightWrist, .leftHip, .rightHip, .leftKnee, .rightKnee, .leftAnkle, .rightAnkle,
    ]

    /// The pairs of points that a skeleton joins, as COCO's annotations of people list them.
    package static let bones: [(start: Self, end: Self)] = [
        (.leftAnkle, .leftKnee), (.leftKnee, .leftHip), (.rightAnkle, .rightKnee), (.rightKnee, .rightHip),
        (.leftHip, .rightHip), (.leftShoulder, .leftHip), (.rightShoulder, .rightHip), (.leftShoulder, .rightShoulder),
        (.leftShoulder, .leftElbow), (.rightShoulder, .rightElbow), (.leftElbow, .leftWrist),
        (.rightElbow, .rightWrist), (.leftEye, .rightEye), (.nose, .leftEye), (.nose, .rightEye), (.leftEye, .leftEar),
        (.rightEye, .rightEar), (.leftEar, .leftShoulder), (.rightEar, .rightShoulder),
    ]
}

extension ObjectPoint.Name {
    /// The letters and digits in lower case, by which `left_eye`, `Left Eye` and `leftEye` are one name.
    package var key: String { rawValue.lowercased().filter { $0.isLetter || $0.isNumber } }

    /// The known name for a name of other programs, such as `left_eye`, otherwise that name.
    package init(foreign text: String) {
        let name = Self(rawValue: text)
        self = Self.known[name.key] ?? name
    }

    private static let known = Dictionary(
        (body + [.noseTip, .mouthCenter, .rightEarTragion, .leftEarTragion]).map { ($0.key, $0) },
        uniquingKeysWith: { first, _ in first }
    )
}

extension ObjectPoint {
    /// The confidence from which a point is taken for there, as the drawings of Ultralytics do it.
    public static let usualThreshold: Float = 0.25

    /// Whether the point is taken for there: its confidence is at least ``usualThreshold``, or the model gives none.
    public var isConfident: Bool { confidence.map { $0 >= Self.usualThreshold } ?? true }
}

extension ObjectPoint {
    /// The pairs of points that a skeleton joins, by their positions in a list; empty for objects that are not bodies, such as faces.
    package static func bones(among points: [ObjectPoint]) -> [(start: Int, end: Int)] {
        Name.bones(among: points.map(\.name))
    }
}

extension ObjectPoint.Name {
    /// The pairs of names that a skeleton joins, by their positions in a list; empty without a shoulder or a hip, as for faces.
    package static func bones(among names: [Self]) -> [(start: Int, end: Int)] {
        guard [.leftShoulder, .rightShoulder, .leftHip, .rightHip].contains(where: { names.contains($0) }) else {
            return []
        }
        return bones.compactMap { bone in
            guard let start = names.firstIndex(of: bone.start), let end = names.firstIndex(of: bone.end) else {
                return nil
            }
            return (start, end)
        }
    }

    /// The name as COCO writes it, with `_` between words in lower case: `left_ankle`.
    package var cocoName: String {
        rawValue.reduce(into: "") { text, letter in
            if letter.isUppercase, !text.isEmpty { text += "_" }
            text += letter.lowercased()
        }
    }
}
