import Sightline

extension StreamHistory {
    /// The lines and zones for drawing, with the present counts.
    public var outlines: [AnnotatedScene.Outline] {
        lines.map { line in
            AnnotatedScene.Outline(
                points: [line.start, line.end],
                isClosed: false,
                caption: "\(line.totalIn) in, \(line.totalOut) out"
            )
        }
            + zones.map { zone in
                let (began, entered) = (zone.totalBeganInside, zone.totalEntered)
                let beginnings = began > 0 ? "\(entered) entered, \(began) began inside" : "\(entered) entered"
                return AnnotatedScene.Outline(
                    points: zone.vertices,
                    isClosed: true,
                    caption: "\(zone.occupants.count) inside, \(beginnings), \(zone.totalLeft) left"
                )
            }
    }
}
