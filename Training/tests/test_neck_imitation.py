import unittest

try:
    import torch
    from sightline_training.neck_imitation import NeckImitation
except ImportError:
    torch = None

from sightline_training import network


@unittest.skipIf(torch is None, "Torch is not installed")
class NeckImitationTests(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.imitation = NeckImitation(network.DETECTOR_WIDTH)
        for layer in self.imitation.layers:
            torch.nn.init.eye_(layer.weight.data[..., 0, 0])

    def maps(self):
        return [torch.randn(8, network.DETECTOR_WIDTH, side, side) for side in (16, 8, 8, 8)]

    def test_maps_that_differ_in_scale_and_offset_are_alike(self):
        mine = self.maps()
        self.assertLess(float(self.imitation(mine, [part * 3 + 5 for part in mine])), 1e-4)

    def test_maps_that_have_nothing_in_common_are_as_far_as_can_be(self):
        self.assertAlmostEqual(float(self.imitation(self.maps(), self.maps())), 1, delta=0.1)


if __name__ == "__main__":
    unittest.main()
