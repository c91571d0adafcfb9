"""Pipelines: how each family of models makes a text ready and turns ids back into bytes.

One file a family, each with one class that satisfies `engine.pipeline.Pipeline`.
"""
