"""What is wrong with a derivative that is: where it goes wrong, by what mistake, how grave."""
