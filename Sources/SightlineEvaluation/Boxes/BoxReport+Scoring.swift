import Sightline

/// The counts for all boxes, with or without categories.
struct BoxScores {
    var summary: BoxReport.BoxSummary
    /// The result of each category over all areas; nil if there are no objects to find.
    var results: [BoxAccumulation.Result?]
    /// The matches of each group of each category over all areas.
    var matches: [[BoxScoring.Matches]]

    init(_ scoring: BoxScoring) {
        let overlaps = scoring.groups.map { $0.map { scoring.overlaps($0) } }
        let scores = scoring.groups.map { $0.map { $0.boxes.map { scoring.boxes[$0].score } } }
        func matches(_ range: BoxScoring.AreaRange) -> [[BoxScoring.Matches]] {
            zip(scoring.groups, overlaps).map { groups, overlaps in
                zip(groups, overlaps).map { scoring.matches($0, overlaps: $1, in: range) }
            }
        }
        func results(_ matches: [[BoxScoring.Matches]]) -> [BoxAccumulation.Result?] {
            zip(matches, scores).map { matches, scores in
                var accumulation = BoxAccumulation()
                for (matches, scores) in zip(matches, scores) { accumulation.add(matches, scores: scores) }
                return accumulation.result()
            }
        }
        self.matches = matches(.all)
        self.results = results(self.matches)
        let all = self.results
        let (small, medium, large) = (results(matches(.small)), results(matches(.medium)), results(matches(.large)))
        func mean(
            _ results: [BoxAccumulation.Result?],
            _ value: (BoxAccumulation.Result) -> Double
        ) -> Double? {
            let values = results.compactMap { $0.map(value) }
            return values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
        }
        summary = BoxReport.BoxSummary(
            ap: mean(all, \.averagePrecision),
            ap50: mean(all) { $0.averagePrecision(level: 0) },
            ap75: mean(all) { $0.averagePrecision(level: 5) },
            apSmall: mean(small, \.averagePrecision),
            apMedium: mean(medium, \.averagePrecision),
            apLarge: mean(large, \.averagePrecision),
            ar1: mean(all) { $0.averageRecall(count: 0) },
            ar10: mean(all) { $0.averageRecall(count: 1) },
            ar100: mean(all) { $0.averageRecall(count: 2) },
            arSmall: mean(small) { $0.averageRecall(count: 2) },
            arMedium: mean(medium) { $0.averageRecall(count: 2) },
            arLarge: mean(large) { $0.averageRecall(count: 2) }
        )
        guard scoring.comparesKeypoints else { return }
        // COCO's key points have ten numbers, and none for small objects.
        (summary.apSmall, summary.arSmall, summary.ar1, summary.ar10) = (nil, nil, nil, nil)
        (summary.ar20, summary.ar100) = (summary.ar100, nil)
        summary.ar50 = mean(all) { $0.recalls[2][0] }
        summary.ar75 = mean(all) { $0.recalls[2][5] }
    }

    /// The mean precision of all categories at recall 0, .01 … 1.
    var precisionAtRecall: BoxReport.PrecisionAtRecall {
        let known = results.compactMap(\.self)
        func mean(_ rows: [[Double]]) -> [Double] {
            BoxScoring.recalls.indices.map { place in
                rows.reduce(0) { $0 + $1[place] } / Double(max(rows.count, 1))
            }
        }
        return BoxReport.PrecisionAtRecall(
            iou50: mean(known.map { $0.precisions[0] }),
            iou75: mean(known.map { $0.precisions[5] }),
            mean: mean(known.flatMap(\.precisions))
        )
    }
}

extension BoxReport {
    /// Compares detections with annotations and counts matches.
    package init(
        _ annotations: BoxAnnotations,
        _ detections: BoxDetections,
        knowsCategories: Bool = true,
        skipped: SkippedPictures = SkippedPictures()
    ) {
        let clock = ContinuousClock()
        var scored: (BoxScoring, BoxScores)?
        let duration = clock.measure {
            if knowsCategories {
                let scoring = BoxScoring(annotations, detections, ignoresCategories: false)
                scored = (scoring, BoxScores(scoring))
            }
        }
        let agnosticScoring = BoxScoring(annotations, detections, ignoresCategories: true)
        let agnostic = BoxScores(agnosticScoring)
        let (scoring, scores) = scored ?? (agnosticScoring, agnostic)
        let curves = zip(scoring.groups, scores.matches).map { Counts($0, $1, of: scoring) }
        let overall = curves.reduce(into: Counts()) { $0.add($1) }.curve
        let categories = knowsCategories ? annotations.categories : []
        self.init(
            comparison: annotations.comparesKeypoints ? .keypoints : annotations.hasMasks ? .masks : nil,
            source: annotations.name,
            pictureCount: annotations.pictures.count - skipped.count,
            objectCount: annotations.objects.count { !$0.isCrowd },
            crowdCount: annotations.objects.count(where: \.isCrowd),
            detectionCount: detections.boxes.count { !knowsCategories || $0.category != nil },
            skipped: skipped,
            unknownLabels: UnknownLabels(count: 0, detectionCount: 0, names: []),
            summary: scored?.1.summary,
            classAgnostic: agnostic.summary,
            prominent: ProminentObjects(annotations, detections),
            categories: zip(categories, zip(curves, scores.results)).compactMap { category, found in
                guard found.0.wanted > 0 || found.0.hasAnswers else { return nil }
                return CategoryResult(
                    id: category.id,
                    name: category.name,
                    ap: found.1?.averagePrecision,
                    ap50: found.1?.averagePrecision(level: 0),
                    ap75: found.1?.averagePrecision(level: 5),
                    ar100: found.1?.averageRecall(count: 2),
                    curve: found.0.curve
                )
            },
            overall: overall,
            bestThreshold: overall.best?.threshold,
            precisionAtRecall: scores.precisionAtRecall,
            pictures: BoxMistakes(annotations, scoring, scores, threshold: overall.best?.threshold ?? 0.5).pictures,
            seconds: 0,
            scoringSeconds: duration / .seconds(1)
        )
    }

    /// Counts of detections by threshold.
    private struct Counts {
        var wanted = 0
        var hasAnswers = false
        private var all = ConfidenceCounts()
        private var right = ConfidenceCounts()

        init() {}

        init(_ groups: [BoxScoring.Group], _ matches: [BoxScoring.Matches], of scoring: BoxScoring) {
            for (group, matches) in zip(groups, matches) {
                wanted += matches.wantedCount
                for (place, box) in group.boxes.enumerated() where matches.ignored[place] & 1 == 0 {
                    let confidence = Float(scoring.boxes[box].score)
                    hasAnswers = true
                    all.add(confidence)
                    if matches.matched[place] & 1 != 0 { right.add(confidence) }
                }
            }
        }

        mutating func add(_ other: Counts) {
            wanted += other.wanted
            all.add(other.all)
            right.add(other.right)
        }

        var curve: ThresholdCurve { ThresholdCurve(wanted: wanted, answers: all, right: right) }
    }
}
