// Values that make loops long: one long text, one long array, deep, many, all equal, almost equal.
// `size` is about their bytes, so that every kind of one size is as large as the others.

import type { Hostile, HostileKind, ParameterKind, SpecKind } from './cases.js'

const makers: Readonly<Record<HostileKind | SpecKind | ParameterKind, (size: number) => unknown>> =
  {
    text: (size) => 'a'.repeat(size),
    almostText: (size) => `${'a'.repeat(size >> 1)}b${'a'.repeat(size - (size >> 1) - 1)}`,
    words: (size) => 'ab cd, '.repeat(Math.ceil(size / 7)),
    wideText: (size) => 'é😀ß'.repeat(Math.ceil(size / 8)),
    digits: (size) => '1234567890'.repeat(Math.ceil(size / 10)),
    hex: (size) => `\\x${'ab'.repeat(size >> 1)}`,
    octal: (size) => '\\001'.repeat(size >> 2),
    braced: (size) => `{"${'a'.repeat(size)}"}`,
    bracedMany: (size) => `{${'"aaa",'.repeat(size / 6)}a}`,
    bracedNumbers: (size) => `{${many(size, 6, (i) => i)}}`,
    quoted: (size) => `"${'a'.repeat(size)}"`,
    spaces: (size) => `${' '.repeat(size)}1`,
    numbers: (size) => many(size, 12, (i) => (i * 2_654_435_761) % 4_294_967_296),
    equalNumbers: (size) => many(size, 12, () => 7),
    equalTexts: (size) => many(size, 1_000, () => 'a'.repeat(990)),
    almostTexts: (size) => many(size, 1_000, (i) => `${'a'.repeat(980)}${i}`),
    objects: (size) => many(size, 40, (i) => ({ k: `k${i}`, v: i })),
    pairs: (size) => many(size, 40, (i) => [`k${i}`, i]),
    nested: (size) => many(size, 2_000, () => many(1_980, 12, (i) => i)),
    deep,
    ones: (size) => named(size, () => 1),
    paths: (size) => named(size, () => '$i'),
    names: (size) => named(size, (i) => `g${i}`),
    lists: (size) => named(size, () => []),
    empties: (size) => named(size, () => ({})),
    wide: (size) => Object.fromEntries(many(size, 14, (i) => [`f${i}`, i])),
  }

export function hostileValue({ kind, size }: Hostile): unknown {
  return makers[kind](size)
}

/** As words of a command or a text of a statement. */
export function hostileText(hostile: Hostile): string {
  const value = hostileValue(hostile)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function many<T>(size: number, each: number, make: (i: number) => T): T[] {
  return Array.from({ length: Math.ceil(size / each) }, (_, i) => make(i))
}

function named(count: number, make: (i: number) => unknown): object {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, make(i)]))
}

/** As deep as documents may be, with arrays on the way. */
function deep(size: number): unknown {
  let value: unknown = 'a'.repeat(Math.max(1, size - 2_000))
  for (let depth = 0; depth < 80; depth++) value = depth % 2 === 0 ? { a: value } : [value]
  return value
}
