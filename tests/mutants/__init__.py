"""Changes of the code chosen by hand, each of which a test must notice."""
