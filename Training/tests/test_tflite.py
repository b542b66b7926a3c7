import unittest

import numpy as np

try:
    from sightline_training import tflite
except ImportError:
    tflite = None


@unittest.skipIf(tflite is None, "LiteRT's Python package is not installed")
class ModelTests(unittest.TestCase):
    def model(self, count):
        """The bytes of a model of convolutions with a zero point for each of 64 channels."""
        model = tflite.Model()
        graph = model.graph()
        for number in range(count):
            tensor = graph.constant(f"weights {number}", np.full((64, 3), number, np.int8), "int8")
            graph.table.tensors[tensor].quantization = tflite.schema.QuantizationParametersT(
                scale=np.full(64, 0.5 + number, np.float32), zeroPoint=np.zeros(64, np.int64)
            )
        return model.bytes()

    def test_equal_arrays_are_written_once(self):
        one, two = self.model(1), self.model(2)
        self.assertLess(len(two) - len(one), 64 * (3 + 4 + 8))

    def test_shared_arrays_are_read_as_they_were_written(self):
        table = tflite.schema.ModelT.InitFromPackedBuf(self.model(3), 0)
        for number, tensor in enumerate(table.subgraphs[0].tensors):
            self.assertEqual(table.buffers[tensor.buffer].data.tolist(), [number] * 192)
            self.assertEqual(tensor.quantization.scale.tolist(), [0.5 + number] * 64)
            self.assertEqual(tensor.quantization.zeroPoint.tolist(), [0] * 64)


if __name__ == "__main__":
    unittest.main()
