"""Training of tokenizers: words of a corpus in, a vocabulary out."""
