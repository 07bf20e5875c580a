"""TAU profiles: the text files of one run, and the packed profiles that ParaProf makes of them."""
