// Statements that PostgreSQL refuses or answers by rules of its own, over the tables `q` and `r`.
// Sigil answers each in the same way, with the same error, position and hint.

function lines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Rows of tables as values. */
export const wholeRows = lines(`
  SELECT id FROM q WHERE q
  SELECT id FROM q WHERE NOT q
  SELECT id FROM q WHERE q AND b
  SELECT id FROM q WHERE b OR q
  DELETE FROM q WHERE q
  UPDATE q SET l = 5 WHERE q
  SELECT CASE WHEN q THEN 1 END FROM q
  SELECT count(*) FROM q HAVING q
  SELECT count(*) FROM q x JOIN r y ON x
  SELECT count(*) FILTER (WHERE q) FROM q
  SELECT r FROM r ORDER BY id
  SELECT r FROM r ORDER BY r
  SELECT id FROM r ORDER BY r DESC
  SELECT count(r) FROM r
  SELECT count(DISTINCT r) FROM r
  SELECT id FROM r WHERE r IS NULL
  SELECT id FROM r WHERE r IS NOT NULL ORDER BY id
  SELECT id FROM q WHERE q IS NOT NULL ORDER BY id
  SELECT id FROM q WHERE q IS NULL ORDER BY id
  SELECT id FROM r WHERE r = r ORDER BY id
  SELECT id FROM r WHERE r <> r
  SELECT id FROM r WHERE r < r
  SELECT x.id FROM r x, r y WHERE x = y ORDER BY 1
  SELECT x.id FROM r x JOIN r y ON x = y ORDER BY 1
  SELECT id FROM r WHERE r = 1
  SELECT id FROM r WHERE r = 'a'
  SELECT id FROM r WHERE r > 5
  SELECT id FROM r WHERE r LIKE 'a'
  SELECT id FROM r WHERE r IN (1, 2)
  SELECT id FROM r WHERE r IN (r)
  SELECT id FROM r WHERE r BETWEEN r AND r
  SELECT id FROM r WHERE r IS TRUE
  SELECT id FROM r WHERE r IS UNKNOWN
  SELECT id FROM r WHERE r IS DISTINCT FROM r
  SELECT id FROM r WHERE r IS NOT DISTINCT FROM r ORDER BY 1
  SELECT r + 1 FROM r
  SELECT -r FROM r
  SELECT sum(r) FROM r
  SELECT max(r) FROM r
  SELECT min(r) FROM r
  SELECT avg(r) FROM r
  SELECT bool_and(r) FROM r
  SELECT upper(r) FROM r
  SELECT length(r) FROM r
  SELECT abs(r) FROM r
  SELECT coalesce(r, r) FROM r
  SELECT coalesce(r, 1) FROM r
  SELECT coalesce(r, 'x') FROM r
  SELECT nullif(r, r) FROM r
  SELECT greatest(r, r) FROM r
  SELECT r::int FROM r
  SELECT r::bool FROM r
  SELECT CASE r WHEN r THEN 1 END FROM r
  SELECT CASE r WHEN 1 THEN 1 END FROM r
  SELECT CASE WHEN true THEN r END FROM r
  SELECT CASE WHEN true THEN r ELSE 1 END FROM r
  SELECT r FROM r GROUP BY r ORDER BY r
  SELECT r, count(*) FROM r GROUP BY r ORDER BY 1
  SELECT DISTINCT r FROM r ORDER BY r
  SELECT r.id FROM r GROUP BY r
  SELECT id FROM r WHERE r = ANY (ARRAY[r])
  SELECT ARRAY[r, 1] FROM r
  UPDATE r SET id = r
  INSERT INTO r (id) VALUES (9) RETURNING r
  DELETE FROM r WHERE id = 9 RETURNING r
  SELECT r.r FROM r
  SELECT public.r FROM r
  SELECT (r).id FROM r ORDER BY 1
  SELECT (r).nosuch FROM r
  SELECT "R" FROM r
  SELECT r FROM r AS y
  SELECT r->'id' FROM r
  SELECT string_agg(r, ',') FROM r
  SELECT id FROM r WHERE (r) IS NULL
  SELECT id FROM r WHERE r NOT IN (1)
  SELECT id FROM r WHERE r = NULL
  SELECT id FROM r WHERE NULL = r
  SELECT id FROM r ORDER BY r IS NULL, id
  SELECT id FROM r ORDER BY r NULLS FIRST
`)

/** Text literals and NULL, which take a type from what stands beside them. */
export const openLiterals = lines(`
  SELECT CASE NULL WHEN 1 THEN 'a' END AS x
  SELECT CASE NULL WHEN NULL THEN 'a' ELSE 'b' END AS x
  SELECT CASE NULL WHEN 'a' THEN 1 ELSE 2 END AS x
  SELECT CASE '5' WHEN 5 THEN 'a' END AS x
  SELECT CASE '5' WHEN 5.0 THEN 'a' END AS x
  SELECT CASE 'a' WHEN 5 THEN 'a' END AS x
  SELECT CASE 'a' WHEN 'a' THEN 'y' END AS x
  SELECT CASE '5' WHEN 5 THEN 1 WHEN 'x' THEN 2 END AS x
  SELECT CASE 5 WHEN '5' THEN 1 END AS x
  SELECT CASE 5 WHEN 'a' THEN 1 END AS x
  SELECT CASE 5 WHEN true THEN 1 END AS x
  SELECT CASE '5' WHEN 5 THEN 1 WHEN true THEN 2 END AS x
  SELECT CASE 't' WHEN true THEN 1 END AS x
  SELECT CASE 'zz' WHEN true THEN 1 END AS x
  SELECT CASE '2024-01-01' WHEN date '2024-01-01' THEN 1 END AS x
  SELECT CASE NULL WHEN id THEN 1 ELSE 2 END AS x FROM q ORDER BY 1
  SELECT CASE '1' WHEN id THEN 1 ELSE 2 END AS x FROM q ORDER BY 1
  SELECT CASE 'x' WHEN id THEN 1 ELSE 2 END AS x FROM q ORDER BY 1
  SELECT CASE 'x' WHEN t THEN 1 ELSE 2 END AS x FROM q ORDER BY 1
  SELECT CASE '1' WHEN id THEN 1 WHEN n THEN 3 ELSE 2 END AS x FROM q ORDER BY 1
  SELECT CASE id WHEN n THEN 1 WHEN '2' THEN 3 ELSE 2 END AS x FROM q ORDER BY 1
  SELECT CASE id WHEN '1' THEN 1 WHEN n THEN 2 END AS x FROM q ORDER BY 1
  SELECT CASE id WHEN NULL THEN 1 ELSE 2 END AS x FROM q ORDER BY 1
  SELECT CASE WHEN NULL THEN 1 ELSE 2 END AS x
  SELECT CASE WHEN 1 THEN 1 ELSE 2 END AS x
  SELECT CASE WHEN 'a' THEN 1 ELSE 2 END AS x
  SELECT CASE WHEN true THEN 1 ELSE 'a' END AS x
  SELECT CASE WHEN true THEN 'a' ELSE 1 END AS x
  SELECT CASE WHEN true THEN '5' ELSE 1 END AS x
  SELECT CASE WHEN true THEN NULL ELSE NULL END AS x
  SELECT CASE WHEN true THEN 1 ELSE 2.5 END AS x
  SELECT CASE WHEN true THEN 1 ELSE true END AS x
  SELECT - NULL AS x
  SELECT + NULL AS x
  SELECT NOT NULL AS x
  SELECT -'5' AS x
  SELECT -'a' AS x
  SELECT +'5' AS x
  SELECT +'a' AS x
  SELECT + t FROM q
  SELECT + b FROM q
  SELECT - b FROM q
  SELECT - d FROM q
  SELECT + d FROM q
  SELECT - arr FROM q
  SELECT + arr FROM q
  SELECT - js FROM q
  SELECT + true
  SELECT - true
  SELECT + id AS x FROM q ORDER BY 1
  SELECT sum(NULL) AS x
  SELECT avg(NULL) AS x
  SELECT min(NULL) AS x
  SELECT max(NULL) AS x
  SELECT count(NULL) AS x
  SELECT sum('x')
  SELECT sum('5')
  SELECT avg('x')
  SELECT avg('5')
  SELECT max('x') AS x
  SELECT min('5') AS x
  SELECT sum(NULL) AS x FROM q
  SELECT avg('x') FROM q
  SELECT bool_and(NULL) AS x
  SELECT bool_or('x')
  SELECT bool_and('t') AS x
  SELECT every('t') AS x
  SELECT string_agg(NULL, ',') AS x
  SELECT string_agg('a', NULL) AS x
  SELECT array_agg(NULL) AS x
  SELECT array_agg('a') AS x
  SELECT json_agg(NULL) AS x
  SELECT count('x') AS x
  SELECT count(*) AS x
  SELECT sum(1) AS x
  SELECT sum(true)
  SELECT avg(true)
  SELECT max(true)
  SELECT sum(id, 1) FROM q
  SELECT sum() FROM q
  SELECT sum(*) FROM q
  SELECT avg(*) FROM q
  SELECT count() FROM q
  SELECT count(id, 1) FROM q
  SELECT max() FROM q
  SELECT max(*) FROM q
  SELECT abs(*) FROM q
  SELECT abs('x')
  SELECT abs('5') AS x
  SELECT abs('-5') AS x
  SELECT abs(true)
  SELECT upper(5)
  SELECT upper(NULL) AS x
  SELECT length(5)
  SELECT length(true)
  SELECT lower(id) FROM q
  SELECT length(id) FROM q
  SELECT substring(id, 1) FROM q
  SELECT substr(id, 1) FROM q
  SELECT replace(id, 'a', 'b') FROM q
  SELECT left(id, 1) FROM q
  SELECT sqrt(t) FROM q
  SELECT sqrt('x')
  SELECT sqrt('4') AS x
  SELECT round('x')
  SELECT round('2.5') AS x
  SELECT round(t) FROM q
  SELECT floor(t) FROM q
  SELECT ceil(b) FROM q
  SELECT power('2', '3') AS x
  SELECT mod(5, '3') AS x
  SELECT mod('5', '3') AS x
  SELECT mod(t, 3) FROM q
  SELECT NULL + 1 AS x
  SELECT NULL + NULL AS x
  SELECT 'a' + 'b'
  SELECT '1' + '2'
  SELECT '1' + 2 AS x
  SELECT 'a' + 2
  SELECT 1 + 'a'
  SELECT '1' * '2'
  SELECT '1.5' + 2
  SELECT NULL || NULL AS x
  SELECT NULL || 'a' AS x
  SELECT 'a' || 5 AS x
  SELECT 5 || 5
  SELECT 5 || 'a' AS x
  SELECT true || 'a' AS x
  SELECT true || true
  SELECT NULL = NULL AS x
  SELECT NULL = 1 AS x
  SELECT 'a' = 1
  SELECT 'a' = NULL AS x
  SELECT '1' = 1 AS x
  SELECT '1.0' = 1
  SELECT '1.0' = 1.0 AS x
  SELECT 'a' = 'a' AS x
  SELECT 'a' < 'b' AS x
  SELECT true = 't' AS x
  SELECT true = 1
  SELECT true = 'x'
  SELECT true > false AS x
  SELECT 1 = true
  SELECT 1 IN ('1', 2) AS x
  SELECT 1 IN ('a', 2) AS x
  SELECT '1' IN (1, 2) AS x
  SELECT 'a' IN (1, 2) AS x
  SELECT 'a' IN ('a', NULL) AS x
  SELECT NULL IN (1, 2) AS x
  SELECT NULL IN (NULL) AS x
  SELECT 1 IN (true)
  SELECT 1 IN (1, true)
  SELECT 1 IN (NULL, 1) AS x
  SELECT 1 NOT IN (NULL, 2) AS x
  SELECT 1 BETWEEN '0' AND '2' AS x
  SELECT 1 BETWEEN 'a' AND 2
  SELECT '1' BETWEEN 0 AND 2 AS x
  SELECT 'a' BETWEEN 0 AND 2
  SELECT 'b' BETWEEN 'a' AND 'c' AS x
  SELECT NULL BETWEEN 1 AND 2 AS x
  SELECT 1 BETWEEN NULL AND 2 AS x
  SELECT 1 BETWEEN true AND 2
  SELECT NULL LIKE 'a' AS x
  SELECT 'a' LIKE NULL AS x
  SELECT 5 LIKE 'a'
  SELECT 'a' LIKE 5
  SELECT NULL IS NULL AS x
  SELECT NULL IS TRUE AS x
  SELECT 'x' IS TRUE
  SELECT 't' IS TRUE AS x
  SELECT 1 IS TRUE
  SELECT NULL IS UNKNOWN AS x
  SELECT NULL IS DISTINCT FROM 1 AS x
  SELECT NULL IS DISTINCT FROM NULL AS x
  SELECT 'a' IS DISTINCT FROM 1
  SELECT NULL AND true AS x
  SELECT NULL OR true AS x
  SELECT 'a' AND true
  SELECT 't' AND 'f' AS x
  SELECT 1 OR true
  SELECT NOT 'a'
  SELECT NOT 't' AS x
  SELECT NOT 1
  SELECT nullif(NULL, 1) AS x
  SELECT nullif(1, NULL) AS x
  SELECT nullif('a', 1)
  SELECT nullif('1', 1) AS x
  SELECT nullif(1, '1') AS x
  SELECT nullif('a', 'b') AS x
  SELECT nullif(1, true)
  SELECT coalesce(NULL, 1) AS x
  SELECT coalesce(NULL, NULL) AS x
  SELECT coalesce('a', 1)
  SELECT coalesce('1', 1) AS x
  SELECT coalesce(1, 2.5) AS x
  SELECT coalesce(1, true)
  SELECT coalesce() AS x
  SELECT greatest('a', 1)
  SELECT greatest('10', 9) AS x
  SELECT greatest('b', 'a') AS x
  SELECT greatest(NULL, 1) AS x
  SELECT least(1, true)
  SELECT ARRAY[1, 'a']
  SELECT ARRAY[1, '2'] AS x
  SELECT ARRAY['a', NULL] AS x
  SELECT ARRAY[NULL] AS x
  SELECT ARRAY[]
  SELECT ARRAY[]::int[] AS x
  SELECT ARRAY[1, true]
  SELECT ARRAY[1, 2.5] AS x
  SELECT ARRAY[1] || 2 AS x
  SELECT ARRAY[1] || 'a'
  SELECT ARRAY[1] || '{2}' AS x
  SELECT ARRAY[1] = ARRAY['a']
  SELECT ARRAY[1] = '{1}' AS x
  SELECT ARRAY[1] = 1
  SELECT 1 = ANY ('{1,2}') AS x
  SELECT 1 = ANY ('a')
  SELECT 1 = ANY (NULL) AS x
  SELECT 1 = ANY (1)
  SELECT 'a' = ANY ('{a}') AS x
  SELECT NULL = ANY ('{a}') AS x
  SELECT 1 = ANY (ARRAY['a'])
  SELECT 1 = ANY (ARRAY[true])
  SELECT '1' = ANY (ARRAY[1]) AS x
  SELECT 'a' = ANY (ARRAY[1])
  SELECT 5::text + 1
  SELECT 'a'::int
  SELECT 'a'::bool
  SELECT NULL::int AS x
  SELECT true::int AS x
  SELECT 5::bool AS x
  SELECT true::numeric
  SELECT true::float8
  SELECT true::text AS x
  SELECT 5::date
  SELECT '2024-01-01'::int
  SELECT '{1}'::int[] AS x
  SELECT 'a'::int[]
  SELECT date '2024-01-01' + 1 AS x
  SELECT date '2024-01-01' + 1.5
  SELECT date '2024-01-01' + '1'
  SELECT date '2024-01-01' = '2024-01-01' AS x
  SELECT date '2024-01-01' = 'x'
  SELECT date '2024-01-01' = 5
  SELECT date '2024-01-01' < timestamptz '2024-01-02 00:00:00Z' AS x
  SELECT now() = 'x'
  SELECT now() + 1
`)

/** ORDER BY, GROUP BY, DISTINCT, LIMIT, OFFSET and aggregates in each clause. */
export const clauses = lines(`
  SELECT id FROM q ORDER BY 'a'
  SELECT id FROM q ORDER BY 1.5
  SELECT id FROM q ORDER BY true
  SELECT id FROM q ORDER BY NULL
  SELECT id FROM q ORDER BY 5
  SELECT id FROM q ORDER BY 0
  SELECT id FROM q ORDER BY -1
  SELECT id FROM q ORDER BY 1
  SELECT id FROM q ORDER BY 1 DESC
  SELECT id FROM q ORDER BY 'a'::text, 1
  SELECT id FROM q ORDER BY 1 + 1, id
  SELECT id FROM q ORDER BY 1, 5
  SELECT id FROM q ORDER BY 1, 'x'
  SELECT id FROM q ORDER BY 99999999999
  SELECT id FROM q ORDER BY (1)
  SELECT id FROM q ORDER BY ('a')
  SELECT id FROM q ORDER BY +1
  SELECT id FROM q ORDER BY 1::int, id
  SELECT id FROM q ORDER BY nosuch
  SELECT id FROM q ORDER BY q.nosuch
  SELECT * FROM r ORDER BY 4
  SELECT * FROM r ORDER BY 3
  SELECT id AS a, n AS a FROM q ORDER BY a
  SELECT id AS n, n AS x FROM q ORDER BY n
  SELECT id AS a FROM q ORDER BY a + 1
  SELECT id AS a FROM q WHERE a = 1
  SELECT id AS a FROM q GROUP BY a HAVING a = 1
  SELECT id AS a, n AS a FROM q GROUP BY a
  SELECT count(*) FROM q GROUP BY 'a'
  SELECT count(*) FROM q GROUP BY 1.5
  SELECT count(*) FROM q GROUP BY true
  SELECT count(*) FROM q GROUP BY NULL
  SELECT count(*) FROM q GROUP BY 5
  SELECT count(*) FROM q GROUP BY 0
  SELECT count(*) FROM q GROUP BY -1
  SELECT count(*) FROM q GROUP BY 1
  SELECT id, count(*) FROM q GROUP BY 1 ORDER BY 1
  SELECT id, count(*) FROM q GROUP BY 2
  SELECT id, count(*) FROM q GROUP BY (1) ORDER BY 1
  SELECT count(*) FROM q GROUP BY 'a'::text
  SELECT count(*) FROM q GROUP BY nosuch
  SELECT count(*) FROM q GROUP BY 99999999999
  SELECT DISTINCT id FROM q ORDER BY n
  SELECT DISTINCT id FROM q ORDER BY id
  SELECT DISTINCT id FROM q ORDER BY id + 1
  SELECT DISTINCT id FROM q ORDER BY 1
  SELECT DISTINCT id FROM q ORDER BY 2
  SELECT DISTINCT id FROM q ORDER BY 'a'
  SELECT DISTINCT id + 1 AS x FROM q ORDER BY id + 1
  SELECT DISTINCT id, n FROM q ORDER BY q.id
  SELECT id FROM q LIMIT 'x'
  SELECT id FROM q LIMIT '1'
  SELECT id FROM q LIMIT '-1'
  SELECT id FROM q LIMIT -1
  SELECT id FROM q LIMIT NULL
  SELECT id FROM q LIMIT 1.5
  SELECT id FROM q LIMIT 2.5
  SELECT id FROM q LIMIT '1.5'
  SELECT id FROM q LIMIT true
  SELECT id FROM q LIMIT 1 + 1
  SELECT id FROM q LIMIT id
  SELECT id FROM q LIMIT q.id
  SELECT id FROM q LIMIT count(*)
  SELECT id FROM q LIMIT ALL
  SELECT id FROM q LIMIT 99999999999999999999
  SELECT id FROM q LIMIT 1e3
  SELECT id FROM q LIMIT 'a'::text
  SELECT id FROM q LIMIT '2'::text
  SELECT id FROM q LIMIT 0
  SELECT id FROM q LIMIT ''
  SELECT id FROM q OFFSET -1
  SELECT id FROM q OFFSET 'x'
  SELECT id FROM q OFFSET '1'
  SELECT id FROM q OFFSET NULL
  SELECT id FROM q OFFSET 1.5
  SELECT id FROM q OFFSET true
  SELECT id FROM q OFFSET id
  SELECT id FROM q OFFSET 1 ROWS
  SELECT id FROM q OFFSET 1 LIMIT 1
  SELECT id FROM q LIMIT 1 OFFSET -1
  SELECT id FROM q LIMIT -1 OFFSET -1
  SELECT id FROM q LIMIT -1 OFFSET 'x'
  SELECT id FROM q FETCH FIRST 1 ROWS ONLY
  SELECT id FROM q FETCH FIRST ROW ONLY
  SELECT id FROM q FETCH NEXT 'x' ROWS ONLY
  SELECT 1 AS x LIMIT -1
  SELECT 1 AS x OFFSET -1
  SELECT 1 AS x LIMIT 0
  SELECT 1 AS x LIMIT 'x'
  SELECT id FROM q WHERE sum(id) > 1
  SELECT id FROM q WHERE count(*) > 1
  SELECT id FROM q WHERE id = max(id)
  SELECT sum(sum(id)) FROM q
  SELECT sum(count(*)) FROM q
  SELECT count(sum(id) + 1) FROM q
  SELECT max(id + min(id)) FROM q
  SELECT sum(id) FILTER (WHERE count(*) > 1) FROM q
  SELECT sum(id ORDER BY count(*)) FROM q
  SELECT id, count(*) FROM q
  SELECT n, count(*) FROM q GROUP BY b
  SELECT q.n, count(*) FROM q GROUP BY b
  SELECT id, sum(n) FROM q GROUP BY id ORDER BY id
  SELECT n + 1, count(*) FROM q GROUP BY n + 1 ORDER BY 1
  SELECT n + 2, count(*) FROM q GROUP BY n + 1
  SELECT n, count(*) FROM q GROUP BY n + 1
  SELECT * FROM q GROUP BY b
  SELECT *, count(*) FROM r
  SELECT count(*) FROM q ORDER BY id
  SELECT count(*) FROM q ORDER BY count(*)
  SELECT count(*) FROM q GROUP BY b ORDER BY id
  SELECT b FROM q GROUP BY b ORDER BY count(*), b
  SELECT count(*) FROM q HAVING id > 1
  SELECT id FROM q HAVING true
  SELECT 1 AS x FROM q HAVING true
  SELECT 1 AS x HAVING false
  SELECT id FROM q HAVING count(*) > 1
  SELECT b FROM q GROUP BY b HAVING n > 1
  SELECT b FROM q GROUP BY b HAVING sum(sum(n)) > 1
  SELECT count(*) FROM q GROUP BY count(*)
  SELECT count(*) AS c FROM q GROUP BY c
  SELECT sum(id) AS c FROM q GROUP BY 1
  SELECT x.id FROM q x JOIN r y ON count(*) = 1
  SELECT x.id FROM q x JOIN r y ON sum(x.id) = y.id
  UPDATE q SET l = sum(l)
  UPDATE q SET l = 1 WHERE count(*) > 1
  DELETE FROM q WHERE max(id) = 1
  DELETE FROM q WHERE id = 1 RETURNING count(*)
  INSERT INTO r (id) VALUES (count(*))
  INSERT INTO r (id) VALUES (5) RETURNING sum(id)
  INSERT INTO r (id) VALUES (sum(1))
  INSERT INTO q (id, t) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET l = sum(q.l)
  INSERT INTO q (id, t) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET l = 1 WHERE count(*) > 0
  SELECT id FROM q ORDER BY sum(id)
  SELECT id FROM q ORDER BY count(*)
  SELECT DISTINCT count(*) FROM q ORDER BY sum(id)
  SELECT coalesce(sum(id), n) FROM q
  SELECT CASE WHEN count(*) > 1 THEN id END FROM q
  SELECT abs(DISTINCT id) FROM q
  SELECT abs(id ORDER BY id) FROM q
  SELECT abs(id) FILTER (WHERE true) FROM q
  SELECT upper(DISTINCT t) FROM q
  SELECT count(DISTINCT *) FROM q
  SELECT count(DISTINCT id, n) FROM q
  SELECT string_agg(t) FROM q
  SELECT string_agg(id, ',') FROM q
  SELECT nosuch(id) FROM q
  SELECT nosuch()
  SELECT nosuch(*) FROM q
  SELECT nosuch(1, 'a', NULL, true, 1.5)
  SELECT nosuch(id, t, n, b, d, ts, arr, js, f, s, l, v, p) FROM q
  SELECT nosuch(q) FROM q
  SELECT nosuch(nosuchcol) FROM q
  SELECT id FROM q WHERE nosuch(id)
  SELECT upper() FROM q
  SELECT upper(t, t) FROM q
  SELECT length(t, 1, 2) FROM q
  SELECT replace(t, 'a') FROM q
  SELECT now(1)
  SELECT random(1)
`)

/** Lists, names, settings and definitions. */
export const shapes = lines(`
  INSERT INTO r VALUES (1), (2, 'a')
  INSERT INTO r VALUES (1, 'a', 2, 3)
  INSERT INTO r (id, x) VALUES (1)
  INSERT INTO r (id) VALUES (1, 'a')
  INSERT INTO r (id, x) VALUES (1, 'a'), (2)
  INSERT INTO r (id, id) VALUES (1, 2)
  INSERT INTO r (id, nosuch) VALUES (1, 2)
  INSERT INTO r (nosuch) VALUES (1)
  INSERT INTO r (id) VALUES (nosuch)
  INSERT INTO r (id) VALUES (q)
  INSERT INTO r VALUES ()
  INSERT INTO r (id) VALUES ('x')
  INSERT INTO r (id) VALUES (true)
  UPDATE r SET nosuch = 1
  UPDATE r SET r.id = 1
  UPDATE r SET id = nosuch
  UPDATE nosuch SET id = 1
  UPDATE r AS z SET id = z.id
  DELETE FROM nosuch
  DELETE FROM r WHERE nosuch = 1
  SELECT nosuch FROM r
  SELECT nosuch
  SELECT q.id FROM r
  SELECT * FROM nosuch
  SELECT *
  SELECT nosuch.* FROM r
  SELECT id FROM q, r
  SELECT id FROM q JOIN r ON true
  SELECT id FROM q JOIN r USING (id) ORDER BY 1
  SELECT x FROM q JOIN r USING (x)
  SELECT * FROM q q, r q
  SELECT * FROM r, r
  SELECT * FROM r a, r a
  SELECT a.id FROM r a JOIN r a ON true
  SELECT id FROM r a JOIN r b ON a.id = b.id
  SELECT a.id FROM r a JOIN r b ON a.id = c.id
  SELECT a.id FROM r a JOIN r b ON id = 1
  SELECT z.id FROM r AS z ORDER BY 1
  SET LOCAL timezone = 'Nowhere/Zone'
  SET LOCAL timezone = 'UTC'
  SET LOCAL statement_timeout = 100
  SET LOCAL statement_timeout = 'x'
  SET timezone = 'Nowhere/Zone'
  SET timezone TO 'Europe/Berlin'
  SET timezone TO 'UTC'
  SET TIME ZONE 'Nowhere'
  SET TIME ZONE 'UTC'
  SET LOCAL TIME ZONE 'Nowhere'
  SET LOCAL TIME ZONE 'UTC'
  SET LOCAL nosuch = 1
  SET nosuch = 1
  SET LOCAL a.b = 'c'
  SHOW a.b
  SET LOCAL search_path = public
  SET LOCAL application_name = 'x'
  SET client_min_messages = 'nosuch'
  SET IntervalStyle = 'nosuch'
  SET standard_conforming_strings = 'x'
  SET extra_float_digits = 'x'
  SET extra_float_digits = 99
  SET lock_timeout = 'x'
  SET SESSION timezone = 'Nowhere/Zone'
  SET TRANSACTION ISOLATION LEVEL SERIALIZABLE
  SET transaction_isolation = 'x'
  RESET nosuch
  RESET timezone
  SHOW nosuch
  BEGIN
  SET LOCAL timezone = 'Nowhere/Zone'
  ROLLBACK
  BEGIN
  SET LOCAL timezone = 'Europe/Berlin'
  COMMIT
  SHOW timezone
  COMMIT
  ROLLBACK
  SAVEPOINT a
  RELEASE a
  ROLLBACK TO a
  BEGIN
  BEGIN
  COMMIT
  SELECT set_config('timezone', 'Nowhere', true)
  SELECT set_config('nosuch', 'x', true)
  SELECT set_config('a.b', 'x', true)
  SELECT set_config('timezone', 'UTC', true)
  SELECT current_setting('nosuch')
  SELECT current_setting('nosuch', true)
  DECLARE c CURSOR FOR SELECT 1
  SELECT 1 FROM
  SELECT id id2 id3 FROM r
  SELECT id AS FROM r
  SELECT 1 1
  SELECT (1
  SELECT 1)
  SELECT 'a
  SELECT "a
  SELECT id FROM r WHERE
  SELECT id FROM r ORDER BY
  SELECT id FROM r GROUP BY
  SELECT ,id FROM r
  SELECT id FROM r WHERE id IN ()
  SELECT id FROM r WHERE id BETWEEN 1
  SELECT CAST(1)
  SELECT CAST(1 AS nosuch)
  SELECT 1::nosuch
  SELECT 1 = = 1
  SELEC 1
  INSERT r VALUES (1)
  INSERT INTO r
  UPDATE r
  DELETE r
  CREATE TABLE r (id int)
  DROP TABLE nosuch
  DROP TABLE IF EXISTS nosuch
  CREATE INDEX i ON r (nosuch)
  CREATE INDEX i ON r (id) WHERE n
  CREATE INDEX i ON r (id) WHERE nosuch > 1
`)

/** More of each, over columns of all types. */
export const mixtures = lines(`
  SELECT id FROM q WHERE q = q ORDER BY id
  SELECT id FROM q WHERE q <= q ORDER BY id
  SELECT a.id FROM q a JOIN q b ON a = b ORDER BY 1
  SELECT a.id FROM q a JOIN q b ON a < b ORDER BY 1
  SELECT a.id FROM q a LEFT JOIN r b ON a.id = b.id WHERE b IS NULL ORDER BY 1
  SELECT a.id FROM q a LEFT JOIN r b ON a.id = b.id WHERE b IS NOT NULL ORDER BY 1
  SELECT a.id, b FROM q a LEFT JOIN r b ON a.id = b.id ORDER BY 1
  SELECT count(b) FROM q a LEFT JOIN r b ON a.id = b.id
  SELECT count(*) FROM q GROUP BY q
  SELECT id FROM q WHERE (q).b
  SELECT id FROM q WHERE q.q
  SELECT id FROM q ORDER BY q DESC
  SELECT id FROM q WHERE q IS DISTINCT FROM NULL ORDER BY id
  SELECT id FROM q WHERE q = NULL
  SELECT id FROM q WHERE q IN (q, NULL) ORDER BY id
  SELECT id FROM q WHERE q NOT IN (q)
  SELECT id FROM q WHERE q BETWEEN q AND q ORDER BY id
  SELECT id FROM q WHERE q <> ALL (arr)
  SELECT id FROM q WHERE q = ANY (arr)
  SELECT nullif(r, 1) FROM r
  SELECT nullif(r, NULL) FROM r ORDER BY id
  SELECT greatest(r, 1) FROM r
  SELECT CASE WHEN id = 1 THEN r END FROM r ORDER BY id
  SELECT id FROM r WHERE -(r) = 1
  SELECT id FROM r WHERE r ~ 'a'
  SELECT id FROM r WHERE r ILIKE 'a'
  SELECT id FROM r WHERE 'a' LIKE r
  SELECT id FROM r WHERE r @> r
  SELECT * FROM r WHERE r
  SELECT arr || 3 AS x FROM q ORDER BY id
  SELECT 3 || arr AS x FROM q ORDER BY id
  SELECT arr || arr AS x FROM q ORDER BY id
  SELECT arr || 'a' FROM q
  SELECT arr || '{9}' AS x FROM q ORDER BY id
  SELECT arr || true FROM q
  SELECT arr || t FROM q
  SELECT arr || NULL AS x FROM q ORDER BY id
  SELECT ARRAY['a'] || 'b' FROM q
  SELECT ARRAY['a'] || '{b}' AS x
  SELECT ARRAY['a','b'] || ARRAY['c'] AS x
  SELECT ARRAY[1,2.5] AS x
  SELECT ARRAY[1.5,2.5] AS x
  SELECT ARRAY[id, n] AS x FROM q ORDER BY id
  SELECT ARRAY[id, f] AS x FROM q ORDER BY id
  SELECT ARRAY[true,NULL] AS x
  SELECT CASE 'x' WHEN t THEN 1 WHEN 'x' THEN 2 ELSE 3 END AS x FROM q ORDER BY id
  SELECT CASE NULL WHEN t THEN 1 ELSE 3 END AS x FROM q ORDER BY id
  SELECT CASE t WHEN NULL THEN 1 ELSE 3 END AS x FROM q ORDER BY id
  SELECT CASE b WHEN 't' THEN 1 WHEN 'f' THEN 2 END AS x FROM q ORDER BY id
  SELECT CASE b WHEN 'zz' THEN 1 END AS x FROM q
  SELECT CASE d WHEN '2024-01-01' THEN 1 END AS x FROM q ORDER BY id
  SELECT CASE n WHEN '5' THEN 1 END AS x FROM q ORDER BY id
  SELECT CASE id WHEN 1.0 THEN 1 END AS x FROM q ORDER BY id
  SELECT sum(n + '1') AS x FROM q
  SELECT sum(id) + '1' AS x FROM q
  SELECT sum(id) + 'a' AS x FROM q
  SELECT avg(id) > '1' AS x FROM q
  SELECT max(t) > 5 FROM q
  SELECT count(*) = 'x' FROM q
  SELECT count(*) || 'x' AS x FROM q
  SELECT id FROM q WHERE n = ''
  SELECT id FROM q WHERE b = ''
  SELECT id FROM q WHERE d = ''
  SELECT id FROM q WHERE t = '' ORDER BY id
  SELECT id FROM q WHERE id = ' 1 '
  SELECT id FROM q WHERE id = '0x1'
  SELECT id FROM q WHERE id = '1e0'
  SELECT id FROM q WHERE n = '1e0'
  SELECT id FROM q WHERE n = 'NaN'
  SELECT id FROM q WHERE f = 'Infinity'
  SELECT id FROM q WHERE id = 'Infinity'
  SELECT id FROM q WHERE l = '99999999999999999999'
  SELECT id FROM q WHERE s = '99999'
  SELECT id FROM q WHERE s = 99999
  SELECT id FROM q WHERE b = 'TRUE' ORDER BY id
  SELECT id FROM q WHERE b IN ('t', 'no') ORDER BY id
  SELECT id FROM q WHERE b IN ('t', 'x') ORDER BY id
  SELECT id FROM q WHERE b > 'f' ORDER BY id
  SELECT id FROM q WHERE ts = 'x'
  SELECT id FROM q WHERE ts > '2024-01-01' ORDER BY id
  SELECT id FROM q WHERE js = '{"a":1}' ORDER BY id
  SELECT id FROM q WHERE js = 1
  SELECT id FROM q WHERE js IS NULL
  SELECT id FROM q WHERE arr = '{1,2}'
  SELECT id FROM q WHERE arr = 'x'
  SELECT id FROM q WHERE arr = 1
  SELECT id FROM q WHERE arr > '{1}' ORDER BY id
  SELECT id FROM q WHERE arr IS NOT NULL ORDER BY id
  SELECT id FROM q GROUP BY id HAVING sum(n)
  SELECT id FROM q GROUP BY id HAVING 'x'
  SELECT id FROM q GROUP BY id HAVING 't' ORDER BY id
  SELECT id FROM q GROUP BY id, 'a'::text ORDER BY id
  SELECT id FROM q GROUP BY id, NULL
  SELECT id, 'a' FROM q GROUP BY 1, 2 ORDER BY 1
  SELECT id, 'a' AS k FROM q GROUP BY id, k ORDER BY 1
  SELECT id, 1 AS k FROM q ORDER BY k, 1
  SELECT id FROM q ORDER BY NULL::int, id
  SELECT id AS t FROM q ORDER BY t
  SELECT id AS t FROM q ORDER BY q.t DESC
  SELECT id AS x, t AS x FROM q ORDER BY x
  SELECT id AS x, t AS x FROM q GROUP BY x
  SELECT id, t AS id FROM q ORDER BY id
  SELECT a.id, b.id FROM q a JOIN r b ON a.id = b.id ORDER BY id
  SELECT DISTINCT id AS a FROM q ORDER BY a
  SELECT DISTINCT id AS a FROM q ORDER BY id
  SELECT DISTINCT id AS a FROM q ORDER BY q.id
  SELECT DISTINCT upper(t) FROM q ORDER BY upper(t)
  SELECT DISTINCT upper(t) FROM q ORDER BY t
  SELECT DISTINCT b, count(*) FROM q GROUP BY b ORDER BY count(*), b
  SELECT DISTINCT b FROM q GROUP BY b ORDER BY count(*)
  SELECT DISTINCT * FROM r ORDER BY id
  SELECT DISTINCT * FROM r ORDER BY n + 1
  SELECT DISTINCT id FROM q ORDER BY 1 + 1
  SELECT DISTINCT id FROM q ORDER BY random()
  SELECT DISTINCT id FROM q LIMIT 0
  SELECT sum(DISTINCT id) FROM q
  SELECT sum(DISTINCT NULL) FROM q
  SELECT sum(id) FILTER (WHERE 1) FROM q
  SELECT sum(id) FILTER (WHERE 'x') FROM q
  SELECT sum(id) FILTER (WHERE sum(id) > 1) FROM q
  SELECT sum(id) FILTER (WHERE b) FROM q
  SELECT max(id) + max(max(id)) FROM q
  SELECT bool_and(b), bool_or(b), every(b) FROM q
  SELECT bool_and('x') FROM q
  SELECT bool_and(NULL) FROM q
  SELECT bool_and(1) FROM q
  SELECT max(arr) FROM q
  SELECT max(js) FROM q
  SELECT min(b) FROM q
  SELECT sum(d) FROM q
  SELECT avg(ts) FROM q
  SELECT sum(arr) FROM q
  SELECT sum(js) FROM q
  SELECT string_agg(t, 5) FROM q
  SELECT string_agg(t, NULL) FROM q
  SELECT string_agg('a', 'b') FROM q
  SELECT string_agg(NULL, NULL) FROM q
  SELECT string_agg(v, ',') FROM q
  SELECT string_agg(b, ',') FROM q
  SELECT string_agg(js, ',') FROM q
  SELECT array_agg(t ORDER BY t) FROM q
  SELECT array_agg(nosuch) FROM q
  SELECT sum(nosuch) FROM q
  SELECT abs(t) FROM q
  SELECT abs(b) FROM q
  SELECT abs(d) FROM q
  SELECT abs(arr) FROM q
  SELECT abs(js) FROM q
  SELECT abs('x') FROM q
  SELECT abs(id, 1) FROM q
  SELECT trunc('2.7') AS x
  SELECT power(2, '3') AS x
  SELECT power('a', 2)
  SELECT exp('0') AS x, ln('1') AS y
  SELECT ln('x')
  SELECT mod('5', 3) AS x
  SELECT mod(id, '2') AS x FROM q ORDER BY id
  SELECT mod(id, 'x') FROM q
  SELECT mod(NULL, NULL)
  SELECT mod(t, t) FROM q
  SELECT greatest(id, 'x') FROM q
  SELECT least('x', id) FROM q
  SELECT coalesce(id, n, 'x') FROM q
  SELECT coalesce(b, 'x') FROM q
  SELECT coalesce(b, 1) FROM q
  SELECT coalesce(d, 'x') FROM q
  SELECT coalesce(d, 5) FROM q
  SELECT coalesce(arr, '{7}') AS x FROM q ORDER BY id
  SELECT coalesce(arr, 'x') FROM q
  SELECT coalesce(t, 5) FROM q
  SELECT - '5'
  SELECT - t FROM q
  SELECT - (NULL)
  SELECT + '5' + 1 AS x
  SELECT NULL - NULL
  SELECT 'a' || NULL || 5 AS x
  SELECT NULL * 'x'
  SELECT '5' - 'x'
  SELECT '5' / 2 AS x
  SELECT 'x' % 2
  SELECT 2 ^ '3' AS x
  SELECT '2' ^ '3'
  SELECT true + 1
  SELECT true + true
  SELECT 1 + true
  SELECT 'a' > 1
  SELECT id + t FROM q
  SELECT t + 1 FROM q
  SELECT t + t FROM q
  SELECT b + b FROM q
  SELECT d + 'x' FROM q
  SELECT d * 2 FROM q
  SELECT ts * 2 FROM q
  SELECT js + 1 FROM q
  SELECT arr + 1 FROM q
  SELECT id || id FROM q
  SELECT b || b FROM q
  SELECT d || d FROM q
  SELECT n || 'x' FROM q ORDER BY id
  SELECT f || 'x' FROM q ORDER BY id
  SELECT b || 'x' FROM q ORDER BY id
  SELECT arr || 'x' FROM q
  SELECT 5 = ANY (t) FROM q
  SELECT 5 = ANY (id) FROM q
  SELECT 5 = ANY (b) FROM q
  SELECT 'a' = ANY (t) FROM q
  SELECT id = ALL (n) FROM q
  SELECT NULL = ANY (arr) AS x FROM q ORDER BY id
  SELECT id::bool AS x FROM q ORDER BY id
  SELECT n::bool FROM q
  SELECT f::bool FROM q
  SELECT b::int AS x FROM q ORDER BY id
  SELECT b::numeric FROM q
  SELECT b::float8 FROM q
  SELECT ts::int FROM q
  SELECT ts::bool FROM q
  SELECT id::date FROM q
  SELECT n::date FROM q
  SELECT t::int FROM q
  SELECT t::nosuch FROM q
  SELECT CAST(b AS numeric) FROM q
  SELECT CAST(id AS date) FROM q
  SELECT t::int[] FROM q
  SELECT arr::text[] AS x FROM q ORDER BY id
  CREATE INDEX i1 ON r (nosuch)
  CREATE INDEX i2 ON r (id) WHERE n
  CREATE INDEX i3 ON r (id) WHERE nosuch > 1
  CREATE INDEX i4 ON r (id) WHERE r
  CREATE INDEX i5 ON r (id) WHERE id > 'x'
  CREATE INDEX i6 ON r (id) WHERE id > 1
  SHOW datestyle
  SHOW TimeZone
  SET LOCAL timezone = 'Nowhere'
  SET client_min_messages = 'WARNING'
  SHOW client_min_messages
  SET extra_float_digits = 3
  SET lock_timeout = 100
  INSERT INTO q (id, t) VALUES (1, 'x'), (2)
  INSERT INTO q (id, t) VALUES (1)
  INSERT INTO q (id, t) VALUES (1, 'x', 3)
  INSERT INTO q (id, t, b) VALUES (50, 'x', q)
  INSERT INTO q (id, t) VALUES (51, 'x') RETURNING q
  DELETE FROM q WHERE id = 51 RETURNING q.q
  UPDATE q SET b = q WHERE id = 1
  UPDATE q SET arr = arr || 'x' WHERE id = 1
  UPDATE q SET arr = arr || 9 WHERE id = 1 RETURNING arr
  UPDATE q SET n = sum(n)
  UPDATE q SET n = n WHERE id = 1 RETURNING sum(n)
  UPDATE q SET l = CASE NULL WHEN 1 THEN 2 END
  UPDATE q SET l = - 'x'
  UPDATE q SET f = abs('x')
  UPDATE q SET l = '5' + '6'
  UPDATE q SET t = 5 + 'x'
  DELETE FROM q WHERE id IN ('x')
  DELETE FROM q WHERE CASE '1' WHEN id THEN true END
  DELETE FROM q WHERE 1
  DELETE FROM q WHERE 'x'
  DELETE FROM q WHERE NULL
  DELETE FROM q WHERE count(*) = 1
`)
