"""Graphs as programs: simplified once, planned once, then run as generated code.

A frozen Graph is the one intermediate form. Passes take a Graph and give a Graph, so that what they
make can be replayed on tensors, enclosed in balls and verified like any other recording. A back end
turns the last one into a function of arrays.
"""
