public import Sightline

/// The state of a camera that a dashboard shows: whether the camera works, the objects in sight, the counts of lines and zones, and
/// the states of things.
///
/// ```swift
/// await outbox.show(CameraState(camera: "door", history: history))
/// ```
public struct CameraState: Sendable, Hashable {
    /// The counts of a line. Each object counts once in each direction.
    public struct Line: Sendable, Hashable {
        /// The name of the line.
        public var name: String
        /// The number of objects that crossed inward.
        public var inward: Int
        /// The number of objects that crossed outward.
        public var outward: Int

        /// Creates the counts of a line.
        public init(name: String, inward: Int, outward: Int) {
            (self.name, self.inward, self.outward) = (name, inward, outward)
        }
    }

    /// The counts of a zone. Each object counts once among those that entered, and once among those that left.
    public struct Zone: Sendable, Hashable {
        /// The name of the zone.
        public var name: String
        /// The number of objects that are inside now.
        public var inside: Int
        /// The number of objects that entered.
        public var entered: Int
        /// The number of objects that left.
        public var left: Int

        /// Creates the counts of a zone.
        public init(name: String, inside: Int, entered: Int, left: Int) {
            (self.name, self.inside, self.entered, self.left) = (name, inside, entered, left)
        }
    }

    /// The state of a thing that the camera shows.
    public struct Thing: Sendable, Hashable {
        /// The name of the thing.
        public var name: String
        /// The state, one of ``labels``; nil while it is unknown.
        public var label: String?
        /// The states that the thing can have.
        public var labels: [String]

        /// Creates the state of a thing.
        public init(name: String, label: String?, labels: [String]) {
            (self.name, self.label, self.labels) = (name, label, labels)
        }
    }

    /// The name of the camera.
    public var camera: String
    /// Whether the camera gives pictures.
    public var isAvailable: Bool
    /// The number of objects that are in sight, or hidden for a moment.
    public var objects: Int
    /// Whether something moves; nil if nothing looks for motion.
    public var hasMotion: Bool?
    /// The counts of the lines.
    public var lines: [Line]
    /// The counts of the zones.
    public var zones: [Zone]
    /// The states of the things.
    public var things: [Thing]

    /// Creates a state from its parts.
    public init(
        camera: String,
        isAvailable: Bool = true,
        objects: Int = 0,
        hasMotion: Bool? = nil,
        lines: [Line] = [],
        zones: [Zone] = [],
        things: [Thing] = []
    ) {
        self.camera = camera
        self.isAvailable = isAvailable
        self.objects = objects
        self.hasMotion = hasMotion
        self.lines = lines
        self.zones = zones
        self.things = things
    }

    /// Creates the present state of a stream.
    ///
    /// - Parameters:
    ///   - camera: the name of the camera.
    ///   - history: the account of the stream.
    ///   - hasMotion: whether something moves; nil if nothing looks for motion.
    ///   - isAvailable: whether the camera gives pictures.
    ///   - things: the states of the things.
    public init(
        camera: String,
        history: StreamHistory,
        hasMotion: Bool? = nil,
        isAvailable: Bool = true,
        things: [Thing] = []
    ) {
        self.init(
            camera: camera,
            isAvailable: isAvailable,
            objects: history.presentCount,
            hasMotion: hasMotion,
            lines: history.lines.map { Line(name: $0.name, inward: $0.totalIn, outward: $0.totalOut) },
            zones: history.zones.map {
                Zone(name: $0.name, inside: $0.occupants.count, entered: $0.totalEntered, left: $0.totalLeft)
            },
            things: things
        )
    }
}
