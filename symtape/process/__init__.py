"""What the whole process shares: work that is counted, precision, collector, optional packages."""
