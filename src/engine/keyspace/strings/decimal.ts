// Sums of INCRBYFLOAT and HINCRBYFLOAT: exact decimals, printed to 17 places as Redis prints them.
// Redis adds in 80-bit floating point. Sigil keeps to that range but does not imitate its rounding
// noise after the nineteenth digit: 10.1 + 5000 is 5010.1.

import { type Bytes, textOf } from '../../../base/bytes/bytes.js'

/** `units` / 10^`scale`. */
export interface Decimal {
  readonly units: bigint
  readonly scale: number
}

/** Maximum length of a number (Redis: a buffer of 5 KiB). */
const charsMax = 5 * 1024
/** Decimal places printed (Redis). */
const places = 17
/** Largest and smallest 80-bit numbers: (2^64 - 1) * 2^16320 and 2^-16445. */
const largest = (2n ** 64n - 1n) << 16_320n
const smallestInverse = 2n ** 16_446n
/** Beyond these exponents a number is out of range with any digits: 4,932 and charsMax digits. */
const exponentMax = 3 * charsMax
const binaryExponentMax = 10 * charsMax

const decimal = /^([+-]?)(?=\.?\d)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/
const hexadecimal =
  /^([+-]?)0[xX](?=\.?[\da-fA-F])([\da-fA-F]*)\.?([\da-fA-F]*)(?:[pP]([+-]?\d+))?$/
const infinite = /^[+-]?inf(?:inity)?$/i

/** A finite or infinite number; undefined for NaN, padding, and what 80 bits cannot represent. */
export function parseDecimal(
  bytes: Bytes,
  start: number,
  end: number,
): Decimal | 'infinite' | undefined {
  if (end === start || end - start >= charsMax) return undefined
  const text = textOf(bytes, start, end)
  const parts = decimal.exec(text)
  if (parts !== null) return requireRange(fromDigits(parts))
  if (infinite.test(text)) return 'infinite'
  const hex = hexadecimal.exec(text)
  return hex === null ? undefined : requireRange(fromHexadecimal(hex))
}

/** The sum as Redis prints it; undefined beyond the largest number. */
export function addDecimals(a: Decimal, b: Decimal): string | undefined {
  const scale = Math.max(a.scale, b.scale)
  const units = unitsAt(a, scale) + unitsAt(b, scale)
  return isTooLarge({ units, scale }) ? undefined : print({ units, scale })
}

function fromDigits([, sign, whole = '', part = '', exponent = '0']: RegExpExecArray):
  | Decimal
  | undefined {
  const units = signed(sign, BigInt(whole + part))
  const shift = Number(exponent)
  if (units === 0n) return { units, scale: 0 }
  if (Math.abs(shift) > exponentMax) return undefined
  const scale = part.length - shift
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 }
}

function fromHexadecimal([, sign, whole = '', part = '', exponent = '0']: RegExpExecArray):
  | Decimal
  | undefined {
  const units = signed(sign, BigInt(`0x${whole}${part}`))
  const shift = Number(exponent) - 4 * part.length
  if (units === 0n) return { units, scale: 0 }
  if (Math.abs(shift) > binaryExponentMax) return undefined
  if (shift >= 0) return { units: units << BigInt(shift), scale: 0 }
  // 2^-n is 5^n / 10^n.
  return { units: units * 5n ** BigInt(-shift), scale: -shift }
}

function signed(sign: string | undefined, units: bigint): bigint {
  return sign === '-' ? -units : units
}

function requireRange(number: Decimal | undefined): Decimal | undefined {
  if (number === undefined || number.units === 0n) return number
  if (isTooLarge(number)) return undefined
  const isTooSmall = magnitude(number.units) * smallestInverse <= 10n ** BigInt(number.scale)
  return isTooSmall ? undefined : number
}

function isTooLarge({ units, scale }: Decimal): boolean {
  return magnitude(units) > largest * 10n ** BigInt(scale)
}

function magnitude(units: bigint): bigint {
  return units < 0n ? -units : units
}

function unitsAt({ units, scale }: Decimal, wanted: number): bigint {
  return wanted === scale ? units : units * 10n ** BigInt(wanted - scale)
}

/** Without an exponent and without trailing zeros; rounds half to even. */
function print(number: Decimal): string {
  const rounded = round(number)
  const digits = magnitude(rounded)
    .toString()
    .padStart(places + 1, '0')
  const part = digits.slice(-places).replace(/0+$/, '')
  const whole = digits.slice(0, -places)
  return `${rounded < 0n ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}`
}

/** In units of the last printed place. */
function round(number: Decimal): bigint {
  if (number.scale <= places) return unitsAt(number, places)
  const unit = 10n ** BigInt(number.scale - places)
  const size = magnitude(number.units)
  const rest = (size % unit) * 2n
  const below = size / unit
  const isUp = rest > unit || (rest === unit && below % 2n === 1n)
  return (number.units < 0n ? -1n : 1n) * (isUp ? below + 1n : below)
}
