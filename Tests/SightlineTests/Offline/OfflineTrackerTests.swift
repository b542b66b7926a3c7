import Sightline
import SightlineTestSupport
import Testing

/// Results of an online tracker, as a video gives them.
struct OnlineResults {
    private(set) var results: [StreamResult] = []
    private var tracker: ObjectTracker

    init(options: ObjectTrackerOptions = ObjectTrackerOptions()) { tracker = ObjectTracker(options: options) }

    /// The results for a generated scene.
    init(_ scene: GeneratedScene) {
        self.init()
        for frame in scene.frames { add(frame.detections, at: frame.time) }
    }

    mutating func add(
        _ detections: [DetectedObject],
        at time: Duration,
        size: PixelSize = PixelSize(width: 640, height: 480)
    ) {
        if let last = results.last, last.size != size { tracker.reset() }
        let known = tracker.identities
        let objects = tracker.update(detections, at: time)
        results.append(
            StreamResult(
                timestamp: time,
                index: results.count,
                size: size,
                objects: objects.filter { $0.id != nil },
                tentative: objects.filter { $0.id == nil },
                ended: known.subtracting(tracker.identities).sorted()
            )
        )
    }

    /// Adds a frame without the detector.
    mutating func advance(to time: Duration) {
        let objects = tracker.advance(to: time)
        let size = PixelSize(width: 640, height: 480)
        results.append(
            StreamResult(timestamp: time, index: results.count, size: size, objects: objects, isDetected: false)
        )
    }

    var finished: FinishedStream {
        var offline = OfflineTracker()
        for result in results { offline.append(result) }
        return offline.finish()
    }

    var identities: Set<Int> { Set(results.flatMap { $0.objects.compactMap(\.id) }) }
}

private func person(
    at x: Double,
    _ y: Double = 200,
    confidence: Float = 0.9,
    classIndex: Int = 0,
    label: String = "person"
) -> DetectedObject {
    DetectedObject(
        frame: PixelRect(x: x, y: y, width: 40, height: 100),
        confidence: confidence,
        classIndex: classIndex,
        labels: [Label(text: label, index: classIndex, confidence: confidence)]
    )
}

private func time(_ frame: Int) -> Duration { .milliseconds(40 * frame) }

/// The promises of an offline tracker for any scene.
@Suite(.hangLimit) struct OfflineTrackerPropertyTests {
    private static let scenes: [(seed: UInt64, objects: Int)] = [(1, 3), (2, 12), (3, 40), (4, 80)]

    private func online(_ scene: (seed: UInt64, objects: Int)) -> OnlineResults {
        OnlineResults(GeneratedScene(seed: scene.seed, objects: scene.objects, frames: 150))
    }

    @Test(arguments: scenes) func `No detection is lost`(scene: (seed: UInt64, objects: Int)) {
        let online = online(scene)
        for (before, after) in zip(online.results, online.finished) {
            let detected = after.objects.filter { $0.track?.isDetected == true }
            #expect(detected.count + after.tentative.count == before.objects.count + before.tentative.count)
            for object in before.objects + before.tentative {
                #expect((detected + after.tentative).contains { $0.frame.iou(object.frame) > 0.7 })
            }
        }
    }

    @Test(arguments: scenes) func `An identity is in a frame once`(scene: (seed: UInt64, objects: Int)) {
        let finished = online(scene).finished
        for result in finished {
            let ids = result.objects.compactMap(\.id)
            #expect(ids.count == result.objects.count && Set(ids).count == ids.count && ids == ids.sorted())
        }
        for track in finished.tracks {
            #expect(zip(track.places, track.places.dropFirst()).allSatisfy { $0.frame < $1.frame })
        }
    }

    @Test(arguments: scenes) func `A filled gap lies between its ends`(scene: (seed: UInt64, objects: Int)) {
        var filled = 0
        for track in online(scene).finished.tracks {
            var before = track.places[0]
            for (index, place) in track.places.enumerated() {
                guard !place.isDetected else {
                    before = place
                    continue
                }
                filled += 1
                guard let after = track.places[index...].first(where: \.isDetected) else {
                    Issue.record("a track ends with a filled place")
                    continue
                }
                for edge in [\PixelRect.x, \.y, \.maxX, \.maxY] as [KeyPath<PixelRect, Double>] {
                    let (one, other) = (before.box[keyPath: edge], after.box[keyPath: edge])
                    let range = min(one, other) - 0.01...max(one, other) + 0.01
                    #expect(range.contains(place.box[keyPath: edge]))
                }
            }
            #expect(track.places.count == track.places[track.places.count - 1].frame - track.places[0].frame + 1)
        }
        #expect(filled > 0)
    }

    @Test(arguments: scenes) func `Equal results give equal tracks`(scene: (seed: UInt64, objects: Int)) {
        let online = online(scene)
        let (first, second) = (online.finished, online.finished)
        #expect(first.tracks == second.tracks && Array(first) == Array(second))
    }

    @Test(arguments: scenes) func `Identities count from 1 in the order of first sightings, and end once`(
        scene: (seed: UInt64, objects: Int)
    ) {
        let finished = online(scene).finished
        #expect(finished.tracks.map(\.id) == Array(1..<finished.tracks.count + 1))
        let starts = finished.tracks.map { $0.places[0].frame }
        #expect(starts == starts.sorted())
        var (ended, seen): (Set<Int>, Set<Int>) = ([], [])
        for result in finished {
            for id in result.ended { #expect(seen.contains(id) && ended.insert(id).inserted) }
            for id in result.objects.compactMap(\.id) {
                seen.insert(id)
                #expect(!ended.contains(id))
            }
        }
        let last = Array(finished).last.map { Set($0.objects.compactMap(\.id)) } ?? []
        #expect(ended.union(last) == Set(finished.tracks.map(\.id)))
    }

    @Test func `The frames are those of the video`() {
        let online = online((5, 10))
        for (before, after) in zip(online.results, online.finished) {
            #expect(before.timestamp == after.timestamp && before.index == after.index && before.size == after.size)
        }
        #expect(Array(online.finished).count == online.results.count)
    }

    @Test func `Boxes lie nearer to the truth than those of the detector`() {
        var random = RepeatableRandom(seed: 7)
        var online = OnlineResults()
        for frame in 0..<200 {
            let noise = Double.random(in: -3...3, using: &random)
            online.add([person(at: 50 + 2 * Double(frame) + noise)], at: time(frame))
        }
        func error(_ results: some Sequence<StreamResult>) -> Double {
            results.enumerated().reduce(0) { sum, frame in
                sum + (frame.element.objects.first.map { abs($0.frame.x - 50 - 2 * Double(frame.offset)) } ?? 0)
            }
        }
        #expect(error(online.finished) < 0.8 * error(online.results))
    }
}

/// Parts of one object are joined, and those of others are not.
@Suite(.hangLimit) struct TrackletLinkingTests {
    /// A person who walks to the right, is hidden in some frames, and changes in others.
    private func walk(
        hidden: Range<Int>,
        speed: Double = 3,
        frames: Int = 150,
        after change: (DetectedObject) -> DetectedObject = { $0 }
    ) -> OnlineResults {
        var online = OnlineResults()
        for frame in 0..<frames {
            let here = person(at: 20 + speed * Double(frame))
            let objects = hidden.contains(frame) ? [] : [frame < hidden.lowerBound ? here : change(here)]
            online.add(objects, at: time(frame))
        }
        return online
    }

    @Test(arguments: [0.0, 1, 3]) func `A person who is hidden for longer than the tracker remembers is one object`(
        speed: Double
    ) {
        let online = walk(hidden: 50..<94, speed: speed)
        #expect(online.identities.count == 2)
        let tracks = online.finished.tracks
        #expect(tracks.count == 1 && tracks[0].places.count == 150)
        #expect(tracks[0].places.filter(\.isDetected).count == 106)
    }

    @Test func `Another class, place or size is another object`() {
        let others: [(DetectedObject) -> DetectedObject] = [
            { person(at: $0.frame.x, classIndex: 1) },
            { person(at: $0.frame.x, 360) },
            { DetectedObject(frame: $0.frame.scaled(by: 2), confidence: $0.confidence, classIndex: 0) },
        ]
        for change in others { #expect(walk(hidden: 50..<94, after: change).finished.tracks.count == 2) }
    }

    @Test func `A new size of the frame begins new objects`() {
        var online = OnlineResults()
        for frame in 0..<100 {
            let size = PixelSize(width: frame < 50 ? 640 : 320, height: 480)
            online.add([person(at: 100)], at: time(frame), size: size)
        }
        #expect(online.finished.tracks.count == 2)
    }

    @Test func `Two people who are in view at the same time stay two`() {
        var online = OnlineResults()
        for frame in 0..<120 {
            online.add([person(at: 100), person(at: 300)], at: time(frame))
        }
        #expect(online.finished.tracks.map(\.places.count) == [120, 120])
    }
}

/// Which objects remain, and what they are.
@Suite(.hangLimit) struct FinishedObjectTests {
    @Test func `An object of a moment has no identity, and its detections remain`() {
        var online = OnlineResults()
        for frame in 0..<50 {
            online.add([person(at: 100)] + ((20..<23).contains(frame) ? [person(at: 400)] : []), at: time(frame))
        }
        #expect(online.identities.count == 2)
        let finished = online.finished
        #expect(finished.tracks.count == 1)
        #expect(finished.map { $0.tentative.count } == (0..<50).map { (20..<23).contains($0) ? 1 : 0 })
    }

    @Test func `Key frames far apart have objects of one sighting`() {
        var online = OnlineResults(options: ObjectTrackerOptions(confirmationHits: 1))
        for frame in 0..<4 { online.add([person(at: 100 * Double(frame))], at: .seconds(8 * frame)) }
        #expect(online.finished.map { $0.objects.count } == [1, 1, 1, 1])
    }

    @Test(arguments: [2, 3, 4]) func `An object begins in the frame of its first detection`(hits: Int) {
        var online = OnlineResults(options: ObjectTrackerOptions(confirmationHits: hits))
        for frame in 0..<50 {
            // Another object appears at the same time.
            let others = frame < 10 ? [] : [person(at: 300), person(at: 380)]
            online.add([person(at: 100)] + others, at: time(frame))
        }
        let tracks = online.finished.tracks
        #expect(tracks.map { $0.places[0].frame } == [0, 10, 10])
        for track in tracks { #expect(Set(track.places.map { $0.box.x.rounded() }).count == 1) }
        #expect(online.finished.flatMap(\.tentative).isEmpty)
    }

    @Test func `Frames without the detector lie between those with it`() {
        var online = OnlineResults()
        for frame in 0..<61 {
            if frame % 3 == 0 {
                online.add([person(at: 4 * Double(frame))], at: time(frame))
            } else {
                online.advance(to: time(frame))
            }
        }
        for (frame, result) in online.finished.enumerated() {
            #expect(result.objects.count == 1)
            #expect(abs(result.objects[0].frame.x - 4 * Double(frame)) < 0.1)
            #expect(result.objects[0].track?.isDetected == (frame % 3 == 0))
        }
    }

    @Test func `An object has the same labels in all frames, those of most frames`() {
        var online = OnlineResults()
        for frame in 0..<60 {
            let label = frame < 10 ? "dog" : "person"
            var object = person(at: 100)
            object.labels = [Label(text: label, index: label == "dog" ? 1 : 0, confidence: 0.8)]
            online.add([object], at: time(frame))
        }
        #expect(Set(online.finished.flatMap(\.objects).map { $0.labels.map(\.text) }) == [["person"]])
    }

    @Test func `Times are those of the object's whole life`() throws {
        var online = OnlineResults()
        for frame in 0..<30 { online.add((10..<20).contains(frame) ? [] : [person(at: 100)], at: time(frame)) }
        let tracks = online.finished.map { $0.objects[0].track }
        let hidden = try #require(tracks[15])
        #expect(hidden.firstSeen == time(0) && hidden.lastSeen == time(9) && hidden.age == time(15))
        #expect(!hidden.isDetected && hidden.isConfirmed)
    }

    @Test func `No input makes it fail`() {
        var offline = OfflineTracker()
        let boxes = [
            PixelRect(x: .nan, y: 0, width: 5, height: 5), PixelRect(x: 0, y: 0, width: 0, height: 0),
            PixelRect(x: -1e300, y: 1e300, width: .infinity, height: -.infinity),
        ]
        for (index, time) in [Duration.zero, .seconds(5), .seconds(-5), .seconds(Int64.max), .zero].enumerated() {
            // Each identity is there twice.
            let objects = (boxes + boxes).enumerated().map { place, box in
                DetectedObject(
                    frame: box,
                    confidence: .nan,
                    track: Track(
                        state: .confirmed(id: place % 3 - 1),
                        firstSeen: time,
                        lastSeen: time,
                        isDetected: true
                    )
                )
            }
            offline.append(
                StreamResult(
                    timestamp: time,
                    index: index,
                    size: PixelSize(width: 0, height: 0),
                    objects: objects,
                    tentative: objects
                )
            )
        }
        for result in offline.finish() {
            let ids = result.objects.compactMap(\.id)
            #expect(Set(ids).count == ids.count)
        }
    }
}

extension PixelRect {
    fileprivate func scaled(by factor: Double) -> PixelRect {
        PixelRect(x: x, y: y, width: width * factor, height: height * factor)
    }
}
