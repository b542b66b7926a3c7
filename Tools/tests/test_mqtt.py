"""The packets of MQTT, and the check of what a subscriber got."""

import io
import json
import unittest

from sightline_tools.kill.broker import problems
from sightline_tools.mqtt import PUBLISH, Received, packet, read_packet


def message(number: int, uid: str) -> Received:
    return Received("kill/door/events", json.dumps({"id": number, "uid": uid}).encode())


class PacketTests(unittest.TestCase):
    def test_packets_of_all_lengths_are_read_as_they_were_written(self) -> None:
        for length in (0, 1, 127, 128, 16_383, 16_384, 100_000):
            body = bytes(length)
            self.assertEqual(read_packet(io.BytesIO(packet(PUBLISH, 2, body))), (PUBLISH, 2, body))

    def test_a_packet_that_is_cut_off_is_an_end(self) -> None:
        whole = packet(PUBLISH, 0, bytes(200))
        for length in (0, 1, 2, 3, 100):
            with self.assertRaises(EOFError):
                read_packet(io.BytesIO(whole[:length]))


class ProblemTests(unittest.TestCase):
    def test_repetitions_with_the_same_id_are_no_problem(self) -> None:
        events = [message(1, "a"), message(2, "b"), message(1, "a"), message(2, "b"), message(3, "c")]
        self.assertEqual(problems([1, 2, 3], events), [])

    def test_lost_doubled_and_disordered_events_are_found(self) -> None:
        self.assertIn("1 events are lost, the first is 2", problems([1, 2], [message(1, "a")]))
        self.assertIn("an event has two ids", problems([1], [message(1, "a"), message(1, "b")]))
        self.assertIn("two events have one id", problems([1, 2], [message(1, "a"), message(2, "a")]))
        self.assertIn("events are not in their order", problems([1, 2], [message(2, "b"), message(1, "a")]))
