"""Receiving over the network: OTLP by HTTP and gRPC, feedback, complaints and corpora, into the spool.

The hub and `goldrank collect` share what is here. Nothing of it opens a store: what is acknowledged lies on the
disk in the spool, and the ingester takes it from there.
"""
