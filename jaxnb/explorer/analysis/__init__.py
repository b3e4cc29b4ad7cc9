"""What can be said of programs beyond their links: differences, constants, traces and their costs, diagnoses.

What lives here: analyses of plain data, one a file. What must not: an engine, a front end, drawing.
"""
