/// The first slice of a coded picture in H.264 or HEVC: its header's first bytes; NULL if none is found.
static const uint8_t *first_slice(const uint8_t *bytes, size_t size, size_t length_size, bool is_hevc) {
    size_t at = 0;
    while (at < size) {
        size_t length;
        if (length_size) {
            // Each unit follows its length.
            if (size - at < length_size) return NULL;
            length = 0;
            for (size_t i = 0; i < length_size; i++)
                length = length << 8 | bytes[at + i];
            at += length_size;
            if (length > size - at) return NULL;
        } else {
            // Each unit follows a start code.
            while (at + 3 <= size && (bytes[at] || bytes[at + 1] || bytes[at + 2] != 1))
                at++;
            if (at + 3 > size) return NULL;
            at += 3;
            length = 0;
        }
        if (size - at < 2) return NULL;
        int type = is_hevc ? bytes[at] >> 1 & 0x3f : bytes[at] & 0x1f;
        if (is_hevc ? type < 32 : type >= 1 && type <= 5) return bytes + at;
        at += length;
    }
    return NULL;
}

/// Whether other pictures may refer to the picture of a packet, by the rules of ITU-T H.264 (nal_ref_idc, 7.4.1) and
/// H.265 (sub-layer non-reference pictures, 7.4.2.2). True where the packet does not say.
static bool is_reference(const AVCodecParameters *parameters, const AVPacket *packet) {
    if (packet->flags & AV_PKT_FLAG_KEY) return true;
    if (packet->flags & AV_PKT_FLAG_DISPOSABLE) return false;
    const uint8_t *record = parameters->extradata;
    // In MP4 and Matroska a record of version 1 gives the size of lengths; other containers have start codes.
    int record_size = record && parameters->extradata_size > 0 && record[0] == 1 ? parameters->extradata_size : 0;
    size_t size = (size_t)packet->size;
    if (parameters->codec_id == AV_CODEC_ID_H264) {
        size_t length_size = record_size >= 7 ? (record[4] & 3) + 1u : 0;
        const uint8_t *slice = first_slice(packet->data, size, length_size, false);
        return !slice || slice[0] >> 5 & 3;
    }
    if (strcmp(cff.avcodec_get_name(parameters->codec_id), "hevc") == 0 && record_size >= 23) {
        // Pictures of a higher layer may refer to those of a lower layer.
        int layers = record[21] >> 3 & 7;
        const uint8_t *slice = first_slice(packet->data, size, (record[21] & 3) + 1u, true);
        if (!slice || layers == 0 || (slice[1] & 7) != layers) return true;
        int type = slice[0] >> 1 & 0x3f;
        return type > 14 || type % 2 == 1;
    }
    return true;
}
