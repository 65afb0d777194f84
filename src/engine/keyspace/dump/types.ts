// What stands at the beginning and the end of a dump, as the reference server's RDB version 10 has
// it: the numbers of its types and of the ways a string is written.

/** Above it a payload is refused, as the reference server does. */
export const dumpVersion = 10

/** Version u16 and CRC-64, both little-endian. */
export const footerBytes = 10

/** First byte: how the value is written. Modules and streams are not read. */
export const dumpType = {
  string: 0,
  list: 1,
  set: 2,
  /** Scores as text. */
  zsetText: 3,
  hash: 4,
  zset: 5,
  hashZipmap: 9,
  listZiplist: 10,
  setIntset: 11,
  zsetZiplist: 12,
  hashZiplist: 13,
  /** Ziplists in a row. */
  listQuicklist: 14,
  hashListpack: 16,
  zsetListpack: 17,
  /** Listpacks, and large elements as they are. */
  listQuicklist2: 18,
} as const

/** Behind the bits 11: a string that is written in another way. */
export const stringEncoding = { int8: 0, int16: 1, int32: 2, lzf: 3 } as const
