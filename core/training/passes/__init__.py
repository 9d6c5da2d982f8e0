"""The model's training pass, forward and backward, written by hand.

`core.model` is the Transformer as one reads it, and what decoding, validation and probes run; autograd could train it.
These classes train the same weights with the same arithmetic, and the tests compare the two: fewer operations, nothing
saved twice, gradients added where the optimizer reads them. One class a piece of the model, its `forward` and its
`backward` side by side. A pass keeps what its `backward` needs in itself, so a `forward` is followed by its `backward`.
"""
