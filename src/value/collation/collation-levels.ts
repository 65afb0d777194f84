// What a table of weights (collation-table.ts) is made from, Intl's collators of one language, and
// what it finds out, which the thread that makes tables sends as it is.

/** The table's collators: by base letters alone, with accents, with case and variants. */
export interface Levels {
  readonly base: Intl.Collator
  readonly accent: Intl.Collator
  readonly variant: Intl.Collator
}

/** What makes one table another than the next. */
export interface LevelsOptions {
  readonly tag: string
  readonly caseFirst: 'upper' | 'lower' | 'false'
  readonly ignorePunctuation: boolean
}

export function levelsOf({ tag, caseFirst, ignorePunctuation }: LevelsOptions): Levels {
  const level = (sensitivity: 'base' | 'accent' | 'variant') =>
    new Intl.Collator(tag, { sensitivity, caseFirst, ignorePunctuation })
  return { base: level('base'), accent: level('accent'), variant: level('variant') }
}

/** What a table finds out of all characters: it takes long, and can be sent by a thread. */
export interface TableData {
  readonly hasPlainContractions: boolean
  /** A letter with an accent comes before the plain one. */
  readonly hasLowAccents: boolean
  readonly digraphs: readonly string[]
  readonly markClasses: readonly (readonly string[])[]
  readonly sorted: Uint32Array
  readonly starts: Uint32Array
}
