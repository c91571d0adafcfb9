"""Writers of a trained BPE vocabulary: one module for each format, bytes of its files out."""
