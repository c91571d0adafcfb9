"""Builders of traces, one module per kind of algorithm; what a trace is says `engine.trace`."""
