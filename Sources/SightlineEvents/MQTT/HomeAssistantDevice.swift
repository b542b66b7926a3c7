import DurableFiles
import Foundation
import TextFormatting

/// A camera as a device of Home Assistant, with its entities: counts of lines and zones, states of things, presence, motion
/// and the last picture.
///
/// The format is that of Home Assistant's MQTT discovery (https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery): a retained
/// message for each entity, which all versions since 2023.7 read.
struct HomeAssistantDevice {
    private let state: CameraState
    private let hasPicture: Bool
    private let topic: String
    /// The identifier of the device, also in the identifiers of its entities.
    private let identifier: String

    init(_ state: CameraState, hasPicture: Bool, address: MQTTAddress) {
        (self.state, self.hasPicture) = (state, hasPicture)
        topic = address.topic(ofCamera: state.camera)
        identifier = "sightline_" + Self.identifier(of: state.camera, unique: topic)
    }

    /// An entity that Home Assistant shows.
    private struct Entity {
        let component: String
        /// The part of its identifier behind that of the device.
        let key: String
        let name: String
        let fields: [(name: String, value: String)]
        /// The values that a sensor can have; nil for any.
        var options: [String]?
        /// A condition of the state under which the entity has a value; nil for always.
        var condition: String?
    }

    /// The entities as JSON, by the topics that announce them.
    ///
    /// - Parameter prefix: the topic below which Home Assistant looks for devices.
    func entities(below prefix: String) -> [String: String] {
        var texts: [String: String] = [:]
        for entity in all { texts["\(prefix)/\(entity.component)/\(identifier)/\(entity.key)/config"] = json(entity) }
        return texts
    }

    /// The topics that announce all entities of the device, also those of earlier runs, with wildcards.
    func topics(below prefix: String) -> String { "\(prefix)/+/\(identifier)/+/config" }

    /// The topics of a set that announce entities which the camera no longer has.
    ///
    /// The picture belongs to the camera before its first one has come.
    ///
    /// - Parameters:
    ///   - topics: topics of the device.
    ///   - prefix: the topic below which Home Assistant looks for devices.
    ///   - sendsPictures: whether the camera has pictures, perhaps later.
    func ghosts(among topics: Set<String>, below prefix: String, sendsPictures: Bool) -> Set<String> {
        let picture = "\(prefix)/image/\(identifier)/\(Self.pictureKey)/config"
        return topics.subtracting(entities(below: prefix).keys).subtracting(sendsPictures ? [picture] : [])
    }

    private static let pictureKey = "image"

    private var all: [Entity] {
        var entities = [
            Entity(
                component: "binary_sensor",
                key: "presence",
                name: "Presence",
                fields: [
                    ("device_class", "occupancy"), ("state_topic", topic + "/state"),
                    ("value_template", "{{ 'ON' if value_json.objects > 0 else 'OFF' }}"),
                ]
            )
        ]
        if state.hasMotion != nil {
            entities.append(
                Entity(
                    component: "binary_sensor",
                    key: "motion",
                    name: "Motion",
                    fields: [
                        ("device_class", "motion"), ("state_topic", topic + "/state"),
                        ("value_template", "{{ 'ON' if value_json.motion | default(false) else 'OFF' }}"),
                    ]
                )
            )
        }
        for line in state.lines {
            entities.append(counter(of: line.name, in: "lines", field: "in", stateClass: "total_increasing"))
            entities.append(counter(of: line.name, in: "lines", field: "out", stateClass: "total_increasing"))
        }
        for zone in state.zones {
            entities.append(counter(of: zone.name, in: "zones", field: "inside", stateClass: "measurement"))
            entities.append(counter(of: zone.name, in: "zones", field: "entered", stateClass: "total_increasing"))
        }
        entities += state.things.map(sensor)
        if hasPicture {
            entities.append(
                Entity(
                    component: "image",
                    key: Self.pictureKey,
                    name: "Last event",
                    fields: [("image_topic", topic + "/image"), ("content_type", "image/jpeg")]
                )
            )
        }
        return entities
    }

    /// The sensor of a thing, which is not available while the state is unknown.
    private func sensor(of thing: CameraState.Thing) -> Entity {
        let value = "value_json.states[\(Self.quoted(thing.name))]"
        return Entity(
            component: "sensor",
            key: "\(Self.stateKey)\(Self.identifier(of: thing.name, unique: thing.name))",
            name: thing.name,
            fields: [
                ("device_class", "enum"), ("state_topic", topic + "/state"), ("value_template", "{{ \(value) }}"),
            ],
            options: thing.labels,
            condition: value
        )
    }

    private static let stateKey = "states_"

    /// Whether a topic announces the sensor of a thing.
    static func announcesThing(_ topic: String) -> Bool { topic.contains("/\(stateKey)") }

    /// A text in the quotes of Jinja, the language of templates, which reads the escapes of JSON strings as JSON does.
    private static func quoted(_ text: String) -> String {
        var json = JSONText()
        json.string(text)
        return json.text
    }

    private func counter(of place: String, in list: String, field: String, stateClass: String) -> Entity {
        return Entity(
            component: "sensor",
            key: "\(list)_\(Self.identifier(of: place, unique: place))_\(field)",
            name: "\(place) \(field)",
            fields: [
                ("state_class", stateClass), ("state_topic", topic + "/state"),
                ("value_template", "{{ value_json.\(list)[\(Self.quoted(place))]['\(field)'] }}"),
            ]
        )
    }

    private func json(_ entity: Entity) -> String {
        var json = JSONText()
        json.object { json in
            json.field("name") { $0.string(entity.name) }
            json.field("unique_id") { $0.string("\(identifier)_\(entity.key)") }
            for field in entity.fields { json.field(field.name) { $0.string(field.value) } }
            if let options = entity.options {
                json.field("options") { $0.array(options) { $0.string($1) } }
            }
            if let condition = entity.condition {
                json.field("availability") { json in
                    json.array([("/availability", nil), ("/state", condition)]) { json, source in
                        json.object { json in
                            json.field("topic") { $0.string(topic + source.0) }
                            guard let condition = source.1 else { return }
                            json.field("value_template") {
                                $0.string("{{ 'online' if \(condition) else 'offline' }}")
                            }
                        }
                    }
                }
                json.field("availability_mode") { $0.string("all") }
            } else {
                json.field("availability_topic") { $0.string(topic + "/availability") }
            }
            json.field("device") { json in
                json.object { json in
                    json.field("identifiers") { $0.array([identifier]) { $0.string($1) } }
                    json.field("name") { $0.string(state.camera) }
                    json.field("manufacturer") { $0.string("Sightline") }
                    json.field("model") { $0.string("Camera") }
                }
            }
            json.field("origin") { json in json.object { json in json.field("name") { $0.string("Sightline") } } }
        }
        return json.text
    }

    /// A name in the letters that identifiers may have, with eight digits of the hash of a text, so that names that differ in other
    /// letters have identifiers that differ.
    private static func identifier(of name: String, unique: String) -> String {
        let letters = name.lowercased().unicodeScalars.map { scalar in
            ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) ? Character(scalar) : "_"
        }
        return String(letters.prefix(32)) + "_" + SHA256.hexadecimalDigest(of: Data(unique.utf8)).prefix(8)
    }
}
