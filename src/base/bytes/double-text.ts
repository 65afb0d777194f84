// Doubles as Redis 7.0 prints scores: 17 significant digits in C's `%.17g`. Clients compare with
// these texts.

/** Digits that identify every double exactly. */
const digits = 17

/** `0.10000000000000001`, `3`, `1e+17`, `inf`, `-inf`, `nan`. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  if (Number.isInteger(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value)
  const sign = value < 0 ? '-' : ''
  const [mantissa = '', power = ''] = rounded(Math.abs(value)).split('e')
  const exponent = Number(power)
  const kept = mantissa.replace('.', '').replace(/0+$/, '')
  if (exponent < -4 || exponent >= digits) {
    const fraction = kept.length > 1 ? `.${kept.slice(1)}` : ''
    const size = String(Math.abs(exponent)).padStart(2, '0')
    return `${sign}${kept[0]}${fraction}e${exponent < 0 ? '-' : '+'}${size}`
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${kept}`
  const whole = kept.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const fraction = kept.slice(exponent + 1)
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}

/**
 * Scientific form with 17 digits. At an exact tie C rounds to the even digit, toExponential to the
 * larger one.
 */
function rounded(value: number): string {
  const more = value.toExponential(digits)
  const tail = more.indexOf('e')
  const up = value.toExponential(digits - 1)
  if (more[tail - 1] !== '5' || '02468'.includes(more[tail - 2] ?? '') === false) return up
  // 100 digits are the most that JavaScript prints; a double that close to a tie is a tie.
  const isTie = /^\d\.\d{16}50*e/.test(value.toExponential(100))
  return isTie ? more.slice(0, tail - 1) + more.slice(tail) : up
}
