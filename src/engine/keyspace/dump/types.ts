// The start and end of a dump in Redis' RDB version 10: the numbers of its types and string
// encodings.

/** Payloads of a higher version are refused, as on Redis. */
export const dumpVersion = 10

/** Version u16 and CRC-64, both little-endian. */
export const footerBytes = 10

/** First byte: the encoding of the value. Modules and streams are not supported. */
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
  /** A list of ziplists. */
  listQuicklist: 14,
  hashListpack: 16,
  zsetListpack: 17,
  /** Listpacks, and large elements unpacked. */
  listQuicklist2: 18,
} as const

/** After the bits 11: a specially encoded string. */
export const stringEncoding = { int8: 0, int16: 1, int32: 2, lzf: 3 } as const
