// PostgreSQL's key words and what they may name: pg_get_keywords() returns them to clients that
// quote names.
// Source: PostgreSQL 15, kwlist.h.

interface PgKeyword {
  readonly word: string
  /** U unreserved, C not the name of a function or type, T may be such a name, R reserved. */
  readonly kind: string
  /** May be a label without AS. */
  readonly isBareLabel: boolean
}

/** By kind; a `b` marks those that may be labels without AS. */
const words: Readonly<Record<string, string>> = {
  C: `char character precision`,
  Cb: `between bigint bit boolean coalesce dec decimal exists extract float greatest grouping inout
    int integer interval least national nchar none normalize nullif numeric out overlay position
    real row setof smallint substring time timestamp treat trim values varchar xmlattributes
    xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize
    xmltable`,
  R: `array as create except fetch for from grant group having intersect into limit offset on
    order returning to union where window with`,
  Rb: `all analyse analyze and any asc asymmetric both case cast check collate column constraint
    current_catalog current_date current_role current_time current_timestamp current_user
    default deferrable desc distinct do else end false foreign in initially lateral leading
    localtime localtimestamp not null only or placing primary references select session_user
    some symmetric table then trailing true unique user using variadic when`,
  T: `isnull notnull overlaps`,
  Tb: `authorization binary collation concurrently cross current_schema freeze full ilike inner is
    join left like natural outer right similar tablesample verbose`,
  U: `day filter hour minute month over second varying within without year`,
  Ub: `abort absolute access action add admin after aggregate also alter always asensitive
    assertion assignment at atomic attach attribute backward before begin breadth by cache call
    called cascade cascaded catalog chain characteristics checkpoint class close cluster columns
    comment comments commit committed compression configuration conflict connection constraints
    content continue conversion copy cost csv cube current cursor cycle data database deallocate
    declare defaults deferred definer delete delimiter delimiters depends depth detach
    dictionary disable discard document domain double drop each enable encoding encrypted enum
    escape event exclude excluding exclusive execute explain expression extension external
    family finalize first following force forward function functions generated global granted
    groups handler header hold identity if immediate immutable implicit import include including
    increment index indexes inherit inherits inline input insensitive insert instead invoker
    isolation key label language large last leakproof level listen load local location lock
    locked logged mapping match matched materialized maxvalue merge method minvalue mode move
    name names new next nfc nfd nfkc nfkd no normalized nothing notify nowait nulls object of
    off oids old operator option options ordinality others overriding owned owner parallel
    parameter parser partial partition passing password plans policy preceding prepare prepared
    preserve prior privileges procedural procedure procedures program publication quote range
    read reassign recheck recursive ref referencing refresh reindex relative release rename
    repeatable replace replica reset restart restrict return returns revoke role rollback rollup
    routine routines rows rule savepoint schema schemas scroll search security sequence
    sequences serializable server session set sets share show simple skip snapshot sql stable
    standalone start statement statistics stdin stdout storage stored strict strip subscription
    support sysid system tables tablespace temp template temporary text ties transaction
    transform trigger truncate trusted type types uescape unbounded uncommitted unencrypted
    unknown unlisten unlogged until update vacuum valid validate validator value version view
    views volatile whitespace work wrapper write xml yes zone`,
}

/** In alphabetical order. */
export function pgKeywords(): readonly PgKeyword[] {
  return Object.entries(words)
    .flatMap(([code, list]) =>
      list.split(/\s+/).map((word) => {
        return { word, kind: code.slice(0, 1), isBareLabel: code.endsWith('b') }
      }),
    )
    .sort((a, b) => (a.word < b.word ? -1 : 1))
}
