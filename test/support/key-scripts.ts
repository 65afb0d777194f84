// Commands over keys of any type, line by line, with what each of them refuses: sent to a real server
// and to Sigil. Each script begins with empty databases.

const keyScripts: Readonly<Record<string, string>> = {
  names: `
    SET a 1
    RENAME a a
    RENAME x y
    RENAME x x
    RENAMENX a a
    RENAMENX x x
    RENAMENX a b
    SET a 2
    RENAMENX a b
    RENAME a b
    GET b
    TOUCH a b b
    TOUCH
    UNLINK a b b
    EXISTS a b
    SET a 1 EX 100
    SET b 2
    RENAME b a
    TTL a
    SET c 1 EX 1000
    RENAME c a
    TTL a`,
  copies: `
    SET a 1 EX 1000
    COPY a b
    TTL b
    COPY a b
    COPY a b REPLACE
    COPY a a
    COPY a a DB 0
    COPY a a DB 1
    COPY a a DB 1
    COPY a a DB 16
    COPY a a DB -1
    COPY a a DB x
    COPY a a DB 99999999999
    COPY a a DB
    COPY a b foo
    COPY a b DB 1 REPLACE
    COPY nokey z
    COPY nokey nokey
    MOVE a 0
    MOVE a 16
    MOVE a x
    MOVE a 99999999999
    MOVE a 1
    MOVE nokey 1
    MOVE a
    MOVE b 2
    SELECT 2
    GET b
    TTL b
    SELECT 0
    EXISTS b`,
  databases: `
    DBSIZE
    DBSIZE x
    SET a 1
    DBSIZE
    FLUSHDB foo
    FLUSHDB ASYNC SYNC
    FLUSHDB ASYNC
    DBSIZE
    FLUSHDB
    FLUSHALL foo
    FLUSHALL SYNC
    SWAPDB a 1
    SWAPDB 1 a
    SWAPDB a b
    SWAPDB 0 16
    SWAPDB 16 0
    SWAPDB -1 0
    SWAPDB 0
    SWAPDB 99999999999 0
    SWAPDB 0 99999999999
    SET a 1
    SWAPDB 0 1
    EXISTS a
    SELECT 1
    GET a
    SELECT 0
    SWAPDB 1 0
    GET a
    SWAPDB 0 0
    RANDOMKEY
    RANDOMKEY x
    FLUSHALL
    RANDOMKEY`,
  listings: `
    KEYS *
    KEYS
    KEYS a b
    MSET a 1 ab 2 b 3 user:1 x user:2 y
    KEYS *
    KEYS a*
    KEYS user:?
    KEYS user:1
    KEYS [^a]*
    KEYS **
    SCAN 0
    SCAN x
    SCAN +0
    SCAN 0x0
    SCAN 99999999999999999999
    SCAN 0 COUNT 0
    SCAN 0 COUNT -1
    SCAN 0 COUNT x
    SCAN 0 COUNT
    SCAN 0 MATCH
    SCAN 0 FOO BAR
    SCAN 0 TYPE string
    SCAN 0 TYPE STRING
    SCAN 0 TYPE foo
    SCAN 0 MATCH b* COUNT 100 TYPE string
    SCAN 0 COUNT 100 MATCH a
    HSCAN h 0
    HSCAN h x
    HSCAN h 5 FOO
    HSCAN a 0
    HSCAN a x
    HSCAN a 0 FOO
    HSET h f v g w
    HSCAN h 0
    HSCAN h 0 MATCH f
    HSCAN h 0 FOO 1
    HSCAN h 0 TYPE hash
    HSCAN h 0 COUNT 0
    HSCAN h 0 COUNT 1
    HSCAN h 17
    SSCAN h 0
    ZSCAN h 0
    SADD s 1 2 3
    SSCAN s 0
    SSCAN s 0 MATCH 2
    SSCAN s
    ZADD z 1 a 2.5 b inf c 0.1 d 1e21 e -0 f 1e-7 g 3 h
    ZSCAN z 0
    ZSCAN z 0 MATCH a COUNT 3`,
  objects: `
    SET a 1
    OBJECT ENCODING a
    OBJECT ENCODING nokey
    OBJECT ENCODING
    OBJECT
    OBJECT FOO
    OBJECT FOO a
    OBJECT ENCODING a b
    OBJECT HELP
    OBJECT HELP x
    OBJECT REFCOUNT a
    OBJECT FREQ a
    OBJECT FREQ nokey
    OBJECT IDLETIME nokey
    OBJECT REFCOUNT nokey
    HSET h f v
    SADD s 1 2 3
    ZADD z 1 a
    RPUSH l a
    OBJECT REFCOUNT h
    OBJECT ENCODING h
    OBJECT ENCODING s
    OBJECT ENCODING z
    OBJECT ENCODING l
    SADD s x
    OBJECT ENCODING s
    SET b 12345678901234567890
    OBJECT ENCODING b
    SET b 0123
    OBJECT ENCODING b
    SET b ${'x'.repeat(44)}
    OBJECT ENCODING b
    SET b ${'x'.repeat(45)}
    OBJECT ENCODING b
    OBJECT REFCOUNT b
    SET b 9999
    OBJECT REFCOUNT b
    SET b 10000
    OBJECT REFCOUNT b
    HSET h f ${'x'.repeat(64)}
    OBJECT ENCODING h
    HSET h f ${'x'.repeat(65)}
    OBJECT ENCODING h
    MEMORY USAGE nokey
    MEMORY USAGE
    MEMORY USAGE a FOO
    MEMORY USAGE a SAMPLES
    MEMORY USAGE a SAMPLES x
    MEMORY USAGE a SAMPLES -1
    MEMORY USAGE nokey SAMPLES -1
    MEMORY
    MEMORY FOO`,
  dumps: `
    SET a 1
    DUMP nokey
    DUMP
    DUMP a b
    RESTORE
    RESTORE a 0 x
    RESTORE nk 0 x
    RESTORE nk -1 x
    RESTORE nk x x
    RESTORE nk 0 x FOO
    RESTORE nk 0 x IDLETIME
    RESTORE nk 0 x IDLETIME -1
    RESTORE nk 0 x IDLETIME x
    RESTORE nk 0 x FREQ 256
    RESTORE nk 0 x FREQ -1
    RESTORE nk 0 x FREQ 1 IDLETIME 1
    RESTORE nk 0 x IDLETIME 1 FREQ 1
    RESTORE a 0 x REPLACE
    RESTORE a x x
    RESTORE a x x FOO
    RESTORE nk 0 12345678901`,
  edges: `
    SET s x
    BITPOS s 1 -2 -8
    BITPOS s 0 -1 -2 BYTE
    BITCOUNT s -1 -2
    GETRANGE s -1 -2
    PEXPIREAT s 9223372036854775807
    GET s
    PEXPIRE s 9223372036854775807
    EXPIRE s -9223372036854775807
    PEXPIRE s -9223372036854775808
    GET s
    MULTI
    MULTI
    WATCH a
    EXEC
    EXEC
    MULTI
    SET a 1
    EXEC x
    EXEC
    GET a
    MULTI
    GET
    EXEC x
    DISCARD
    EXEC x
    FOO\0BAR a\0b ${'y'.repeat(127)} c
    OBJECT FOO\0BAR
    FOO ${'é'.repeat(64)} b`,
  sorting: `
    SET a 1
    SORT nokey
    SORT a
    HSET h a 1
    SORT h
    RPUSH l 3 1 2 10
    SORT l
    SORT l DESC
    SORT l ALPHA
    SORT l ALPHA DESC
    SORT l LIMIT 1 2
    SORT l LIMIT -1 2
    SORT l LIMIT 1 -1
    SORT l LIMIT 10 2
    SORT l LIMIT 0 0
    SORT l LIMIT x 1
    SORT l LIMIT 1
    SORT l LIMIT 1 x FOO
    SORT l FOO
    SORT l BY
    SORT l GET
    SORT l STORE
    SORT_RO l STORE x
    SORT_RO l
    SORT l BY nosort
    SORT l BY nosort DESC
    SORT l BY nosort LIMIT 1 2
    SORT l BY nosort DESC LIMIT 1 2
    MSET w_1 10 w_2 5 w_3 x
    SORT l BY w_*
    SORT l BY w_* ALPHA
    SORT l BY w_* ALPHA DESC
    SET w_3 1
    SORT l BY w_*
    SORT l BY w_* GET # GET w_* GET nope
    SORT l GET o_*->name
    HSET o_1 name one
    HSET o_2 name two n 7
    SORT l GET o_*->name GET #
    SORT l BY o_*->n
    SORT l GET o_*->
    SORT l GET o_*->zip
    SORT l GET w_*->x
    SORT l GET o_*
    SORT l STORE d
    LRANGE d 0 -1
    SORT l GET o_*->name STORE d
    LRANGE d 0 -1
    TYPE d
    SORT nokey STORE d
    EXISTS d
    SORT nokey STORE d
    SET d x EX 100
    SORT l LIMIT 50 1 STORE d
    EXISTS d
    SET d x EX 100
    SORT l STORE d
    TTL d
    SORT a STORE d
    RPUSH l2 a b 1
    SORT l2
    SORT l2 ALPHA
    RPUSH l3 1e5 0x10 -inf inf 3.5
    SORT l3
    RPUSH l4 nan
    SORT l4
    SADD s 3 1 2
    SORT s
    SORT s DESC GET #
    SORT s BY nosort STORE d
    LRANGE d 0 -1
    SORT s BY nosort DESC STORE d
    LRANGE d 0 -1
    ZADD z 3 a 1 b 2 c
    SORT z ALPHA
    SORT z
    SORT z BY nosort
    SORT z BY nosort DESC
    SORT z BY nosort LIMIT 1 1
    SORT z BY nosort DESC LIMIT 0 2
    SORT z BY nosort GET # STORE d
    LRANGE d 0 -1
    SORT l BY w_* STORE l
    LRANGE l 0 -1
    RPUSH l6 a b
    SORT l6 BY foo_* GET # GET foo_*`,
}

/** The commands of each script, words without spaces, behind those that begin it. */
export function scriptLines(): string[][][] {
  return Object.values(keyScripts).map((text) => [
    ['FLUSHALL'],
    ...text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => line.split(' ')),
  ])
}
