// Ids that sort by creation time (ULID): 48 bits of milliseconds and 80 random bits, as 26 digits
// of Crockford's base 32. The caller passes time and randomness and fixes them.

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const timeDigits = 10
/** Maximum time of an id, milliseconds. */
export const ulidTimeMax = 2 ** 48 - 1
/** Random bytes of an id. */
export const ulidRandomBytes = 10

export function ulid(ms: number, random: Uint8Array): string {
  let text = ''
  for (let rest = ms; text.length < timeDigits; rest = Math.floor(rest / 32)) {
    text = (digits[rest % 32] ?? '') + text
  }
  let value = 0
  let bits = 0
  for (const byte of random.subarray(0, ulidRandomBytes)) {
    value = ((value << 8) | byte) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) text += digits[(value >> (bits - 5)) & 31]
  }
  return text
}

/** The time of a ULID, milliseconds; undefined if the text is not a ULID. */
export function ulidTime(text: string): number | undefined {
  if (!/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text)) return undefined
  let ms = 0
  for (const digit of text.slice(0, timeDigits)) ms = ms * 32 + digits.indexOf(digit)
  return ms
}
