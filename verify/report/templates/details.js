reveal();
