-- What a block of machine code could sustain, by the model of a core.
FROM predict_block($hex, core := $core, isa := $isa);
