import Sightline

/// The pictures with the most mistakes at a threshold.
struct BoxMistakes {
    /// The pictures, worst first.
    let pictures: [BoxReport.PictureResult]

    init(_ annotations: BoxAnnotations, _ scoring: BoxScoring, _ scores: BoxScores, threshold: Double) {
        var boxes: [Int: [BoxReport.PictureBox]] = [:]
        for (groups, matches) in zip(scoring.groups, scores.matches) {
            for (group, matches) in zip(groups, matches) {
                boxes[group.picture, default: []] += Self.boxes(annotations, scoring, group, matches, threshold)
            }
        }
        let order = boxes.map { (picture: $0.key, wrong: $0.value.count { $0.outcome != .right }) }
            .filter { $0.wrong > 0 }
            .sorted { (-$0.wrong, $0.picture) < (-$1.wrong, $1.picture) }
        pictures = order.prefix(BoxReport.maximumPictures).map { picture, _ in
            // Mistakes come first; of these, the most confident and largest come first.
            let sorted = (boxes[picture] ?? []).sorted { first, second in
                (first.outcome == .right ? 1 : 0, -(first.confidence ?? 0), -first.frame.area)
                    < (second.outcome == .right ? 1 : 0, -(second.confidence ?? 0), -second.frame.area)
            }
            return BoxReport.PictureResult(
                path: annotations.pictures[picture].path,
                size: annotations.pictures[picture].size,
                boxes: Array(sorted.prefix(BoxReport.PictureResult.maximumBoxes))
            )
        }
    }

    private static func boxes(
        _ annotations: BoxAnnotations,
        _ scoring: BoxScoring,
        _ group: BoxScoring.Group,
        _ matches: BoxScoring.Matches,
        _ threshold: Double
    ) -> [BoxReport.PictureBox] {
        // In single precision, like the curve.
        let isReported = group.boxes.map { Float(scoring.boxes[$0].score) >= Float(threshold) }
        var result: [BoxReport.PictureBox] = []
        for (place, index) in group.boxes.enumerated() where isReported[place] && matches.ignored[place] & 1 == 0 {
            let box = scoring.boxes[index]
            result.append(
                BoxReport.PictureBox(
                    frame: box.frame,
                    label: box.category.map { annotations.categories[$0].name } ?? "object",
                    confidence: box.score,
                    outcome: matches.matched[place] & 1 != 0 ? .right : .wrong
                )
            )
        }
        for (place, index) in group.objects.enumerated() where !scoring.objects[index].isCrowd {
            let box = matches.boxOfObject[place]
            guard box < 0 || !isReported[box] else { continue }
            result.append(
                BoxReport.PictureBox(
                    frame: scoring.objects[index].frame,
                    label: annotations.categories[scoring.objects[index].category].name,
                    confidence: nil,
                    outcome: .missed
                )
            )
        }
        return result
    }
}
