-- Flags: what to keep in mind of an answer. A flag is a code, with arguments that are written as they
-- are read; flag_texts has the text of each code. Nothing but a code is ever compared.

-- A flag; its arguments are a map of texts.
CREATE OR REPLACE MACRO _flag
  (code) AS CAST({'code': code, 'args': MAP {}} AS STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR))),
  (code, args) AS
    CAST({'code': code, 'args': args} AS STRUCT(code VARCHAR, args MAP(VARCHAR, VARCHAR)));

-- A duration in ns, with three digits, as arguments of flags have it.
CREATE OR REPLACE MACRO _duration_text(ns) AS
  CASE
    WHEN ns < 1000 THEN printf('%.0f ns', CAST(ns AS DOUBLE))
    WHEN ns < 999500 THEN printf('%.3g µs', ns / 1e3)
    WHEN ns < 999500000 THEN printf('%.3g ms', ns / 1e6)
    WHEN ns < 999500000000 THEN printf('%.3g s', ns / 1e9)
    ELSE format('{:,} s', CAST(ns / 1e9 AS BIGINT))
  END;

-- Flags without arguments of a list of codes, of which some may be NULL.
CREATE OR REPLACE MACRO _flags(codes) AS
  list_transform(list_filter(codes, lambda code: code IS NOT NULL), lambda code: _flag(code));

CREATE OR REPLACE MACRO flag_codes(flags) AS list_transform(flags, lambda flag: flag.code);

COMMENT ON MACRO flag_codes IS 'Codes of flags, a list: WHERE list_contains(flag_codes(flags), ''outlier'').';

CREATE OR REPLACE MACRO flag_text(flag) AS array_to_string(
  list_transform(
    regexp_extract_all(
      coalesce(
        (SELECT any_value(t.text) FROM flag_texts AS t WHERE t.code = flag['code']), flag['code']
      ),
      '\{\w+\}|[^{]+|\{'
    ),
    lambda part: CASE WHEN part[1] = '{' THEN coalesce(flag['args'][part[2:-2]], part) ELSE part END
  ),
  ''
);

COMMENT ON MACRO flag_text IS 'What a flag says: SELECT function, flag_text(flag) FROM scaling_models, unnest(flags) AS t (flag).';

CREATE OR REPLACE MACRO flag_sentences(flags) AS (
  SELECT coalesce(list(flag_text(flag) ORDER BY place), [])
  FROM (SELECT unnest(flags) AS flag, unnest(range(len(flags))) AS place)
);

COMMENT ON MACRO flag_sentences IS 'What flags say, a list.';
