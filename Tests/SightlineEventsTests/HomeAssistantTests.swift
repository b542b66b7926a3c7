import Foundation
import Testing

@testable import SightlineEvents

/// The entities of a camera, against the fields in the documentation of Home Assistant's MQTT discovery.
@Suite struct HomeAssistantTests {
    private let state = CameraState(
        camera: "Front door",
        objects: 1,
        hasMotion: true,
        lines: [CameraState.Line(name: "entrance", inward: 3, outward: 1)],
        zones: [CameraState.Zone(name: "the \"yard\"", inside: 1, entered: 2, left: 1)]
    )

    private func entities(_ state: CameraState, hasPicture: Bool = true) throws -> [String: [String: Any]] {
        let address = try MQTTAddress("mqtt://broker/home")
        return try HomeAssistantDevice(state, hasPicture: hasPicture, address: address).entities(below: "homeassistant")
            .mapValues { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
    }

    /// The fields of each component in Home Assistant's documentation that the messages use, with those that each needs.
    private static let fields: [String: (needed: Set<String>, others: Set<String>)] = [
        "sensor": (["state_topic"], ["value_template", "state_class", "device_class", "options", "name"]),
        "binary_sensor": (["state_topic"], ["value_template", "device_class", "name"]),
        "image": (["image_topic"], ["content_type", "name"]),
    ]
    private static let common: Set<String> = ["unique_id", "device", "origin"]
    /// An entity has one topic of its availability, or a list.
    private static let availability: [Set<String>] = [["availability_topic"], ["availability", "availability_mode"]]

    @Test func haveTheDocumentedFieldsAndNoOthers() throws {
        try haveTheDocumentedFieldsAndNoOthers(of: entities(state))
    }

    private func haveTheDocumentedFieldsAndNoOthers(of entities: [String: [String: Any]]) throws {
        for (topic, entity) in entities {
            let component = topic.split(separator: "/")[1]
            let fields = try #require(Self.fields[String(component)])
            let keys = Set(entity.keys)
            #expect(fields.needed.union(Self.common).isSubset(of: keys))
            let availability = keys.filter { $0.hasPrefix("availability") }
            #expect(Self.availability.contains(availability))
            #expect(keys.subtracting(availability).isSubset(of: fields.needed.union(fields.others).union(Self.common)))
            let device = try #require(entity["device"] as? [String: Any])
            #expect(Set(device.keys) == ["identifiers", "name", "manufacturer", "model"])
            #expect((entity["origin"] as? [String: Any])?["name"] as? String == "Sightline")
            let topics = (entity["availability"] as? [[String: String]])?.compactMap { $0["topic"] }
            #expect((entity["availability_topic"] as? String ?? topics?.first) == "home/Front door/availability")
        }
    }

    @Test func areAnnouncedAtTopicsThatHomeAssistantReads() throws {
        let pattern = try Regex("homeassistant/\\w+/[a-zA-Z0-9_-]+/[a-zA-Z0-9_-]+/config")
        for topic in try entities(state).keys { #expect(topic.wholeMatch(of: pattern) != nil, "\(topic)") }
    }

    @Test func countLinesAndZonesAndTellPresenceMotionAndThePicture() throws {
        let names = try entities(state).values.compactMap { $0["name"] as? String }.sorted()
        #expect(
            names == [
                "Last event", "Motion", "Presence", "entrance in", "entrance out", "the \"yard\" entered",
                "the \"yard\" inside",
            ]
        )
        let classes = try entities(state).values.compactMap { $0["device_class"] as? String }.sorted()
        #expect(classes == ["motion", "occupancy"])
    }

    @Test func leaveOutWhatIsNotKnown() throws {
        var state = state
        state.hasMotion = nil
        let names = try entities(state, hasPicture: false).values.compactMap { $0["name"] as? String }
        #expect(!names.contains("Motion") && !names.contains("Last event") && names.contains("Presence"))
    }

    @Test func haveIdentifiersOfTheirOwnThatStay() throws {
        let identifiers = try entities(state).values.compactMap { $0["unique_id"] as? String }
        #expect(Set(identifiers).count == 7)
        #expect(try Set(entities(state).values.compactMap { $0["unique_id"] as? String }) == Set(identifiers))
        var other = state
        other.camera = "Front_door"
        #expect(try Set(entities(other).values.compactMap { $0["unique_id"] as? String }).isDisjoint(with: identifiers))
    }

    @Test func belongToOneDevice() throws {
        let devices = try entities(state).values.compactMap {
            ($0["device"] as? [String: Any])?["identifiers"] as? [String]
        }
        #expect(Set(devices).count == 1)
        #expect(devices.first?.count == 1)
    }

    @Test func quoteNamesInTemplates() throws {
        let templates = try entities(state).values.compactMap { $0["value_template"] as? String }
        #expect(templates.contains(#"{{ value_json.zones["the \"yard\""]['inside'] }}"#))
    }

    @Test func readAStateWithoutMotionAsNoMotion() throws {
        let templates = try entities(state).values.compactMap { $0["value_template"] as? String }
        #expect(templates.contains("{{ 'ON' if value_json.motion | default(false) else 'OFF' }}"))
    }

    @Test func aThingIsASensorOfItsStatesWhileTheStateIsKnown() throws {
        var state = state
        state.things = [CameraState.Thing(name: "gate \"A\"", label: "open", labels: ["closed", "open"])]
        let all = try entities(state)
        let sensor = try #require(all.first { $0.key.contains("/states_gate__a__") }?.value)
        #expect(sensor["device_class"] as? String == "enum" && sensor["state_class"] == nil)
        #expect(sensor["options"] as? [String] == ["closed", "open"])
        #expect(sensor["name"] as? String == "gate \"A\"")
        #expect(sensor["value_template"] as? String == #"{{ value_json.states["gate \"A\""] }}"#)
        #expect(sensor["availability_mode"] as? String == "all")
        #expect(
            sensor["availability"] as? [[String: String]] == [
                ["topic": "home/Front door/availability"],
                [
                    "topic": "home/Front door/state",
                    "value_template": #"{{ 'online' if value_json.states["gate \"A\""] else 'offline' }}"#,
                ],
            ]
        )
        try haveTheDocumentedFieldsAndNoOthers(of: all)
    }

    @Test func goWithTheirZonesButThePictureMayCome() throws {
        let address = try MQTTAddress("mqtt://broker/home")
        func device(_ state: CameraState) -> HomeAssistantDevice {
            HomeAssistantDevice(state, hasPicture: false, address: address)
        }
        let earlier = Set(
            HomeAssistantDevice(state, hasPicture: true, address: address).entities(below: "homeassistant").keys
        )
        var present = state
        present.zones = []
        let ghosts = device(present).ghosts(among: earlier, below: "homeassistant", sendsPictures: true)
        #expect(ghosts == Set(earlier.filter { $0.contains("/zones_") }))
        let all = device(present).ghosts(among: earlier, below: "homeassistant", sendsPictures: false)
        #expect(all.subtracting(ghosts).count == 1)
    }
}
