// The input of a weight table (collation-table.ts), Intl's collators of one language, and its
// result, which the worker thread sends unchanged.

/** Collators of the table: by base letters only, with accents, with case and variants. */
export interface Levels {
  readonly base: Intl.Collator
  readonly accent: Intl.Collator
  readonly variant: Intl.Collator
}

/** Options that determine a table. */
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

/** The result of comparing all characters: slow to compute, and can be sent by a thread. */
export interface TableData {
  readonly hasPlainContractions: boolean
  /** Whether a letter with an accent sorts before the plain one. */
  readonly hasLowAccents: boolean
  readonly digraphs: readonly string[]
  readonly markClasses: readonly (readonly string[])[]
  readonly sorted: Uint32Array
  readonly starts: Uint32Array
}
