"""Tools to test kernels with, on any machine. The only room that imports Hypothesis."""
