"""A paper's method beside what a user takes today: `learners` measures, `when` makes rows and the
sentence *take it when*, `plots` draws."""
