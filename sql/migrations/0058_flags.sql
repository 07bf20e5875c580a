-- Flags are codes with arguments; their texts are rows.

CREATE TABLE flag_texts (
    code VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    shipped BOOLEAN NOT NULL DEFAULT false
);
COMMENT ON TABLE flag_texts IS 'One row is the text of a flag: flag_text(flag) fills it in.';
COMMENT ON COLUMN flag_texts.code IS 'Code of the flag.';
COMMENT ON COLUMN flag_texts.text IS 'What it says: a short form, and behind a colon more. {name} stands for the argument of that name.';
COMMENT ON COLUMN flag_texts.shipped IS 'Whether the row came with pwh.';
