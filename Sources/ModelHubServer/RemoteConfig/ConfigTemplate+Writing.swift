import Foundation
import TextFormatting

extension ConfigTemplate: Encodable {
    private enum Key: String, CodingKey {
        case conditions, parameters, parameterGroups
    }

    /// Encodes the template like Firebase, without empty fields.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        if !conditions.isEmpty { try container.encode(conditions, forKey: .conditions) }
        if !parameters.isEmpty { try container.encode(parameters, forKey: .parameters) }
        if !parameterGroups.isEmpty { try container.encode(parameterGroups, forKey: .parameterGroups) }
    }

    /// The template as JSON with sorted keys, so that equal templates have equal texts.
    package func json(pretty: Bool = false) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // The numbers are finite, so encoding them as JSON cannot fail.
        let text = (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        return pretty ? JSONText.indented(text) : text
    }
}

extension ConfigTemplate.Parameter: Encodable {
    private enum Key: String, CodingKey {
        case defaultValue, conditionalValues, description, valueType
    }

    /// Encodes the parameter like Firebase, without empty fields.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(defaultValue, forKey: .defaultValue)
        if !conditionalValues.isEmpty { try container.encode(conditionalValues, forKey: .conditionalValues) }
        try container.encodeIfPresent(description, forKey: .description)
        try container.encodeIfPresent(valueType, forKey: .valueType)
    }
}

extension ConfigTemplate.Value: Encodable {
    private enum Key: String, CodingKey {
        case value, useInAppDefault, rolloutValue, experimentValue, personalizationValue
    }

    private struct Rollout: Encodable {
        var rolloutId, value: String
        var percent: Double
    }

    private struct Personalization: Encodable {
        var personalizationId: String
    }

    /// Encodes the single field of the value.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .text(let text): try container.encode(text, forKey: .value)
        case .inAppDefault: try container.encode(true, forKey: .useInAppDefault)
        case .rollout(let id, let value, let percent):
            try container.encode(Rollout(rolloutId: id, value: value, percent: percent), forKey: .rolloutValue)
        case .experiment(let value): try container.encode(value, forKey: .experimentValue)
        case .personalization(let id):
            try container.encode(Personalization(personalizationId: id), forKey: .personalizationValue)
        }
    }
}

extension ConfigTemplate.VariantValue: Encodable {
    private enum Key: String, CodingKey {
        case variantId, value, noChange
    }

    /// Encodes the variant with a value or with `noChange`.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(variantID, forKey: .variantId)
        if let value {
            try container.encode(value, forKey: .value)
        } else {
            try container.encode(true, forKey: .noChange)
        }
    }
}
