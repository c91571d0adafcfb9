"""Methods that draw paths of a lattice by its scores; `engine.sample` names them."""
