// What a hunt for long turns sends: one command of one protocol each, with a name for the report.
// Cases go to a thread of their own (client-thread.ts), so they are plain data.

export type StallCase =
  | {
      readonly kind: 'document'
      readonly name: string
      readonly command: object
      readonly db?: string
      /** In the clothes of OP_COMPRESSED, and so is its reply. */
      readonly isPacked?: boolean
    }
  /** Commands of one transaction, and its commit. */
  | { readonly kind: 'transaction'; readonly name: string; readonly commands: readonly object[] }
  /**
   * A change stream with this pipeline: opened, then the command, then read to its first event.
   * `{$fresh: 1}` in the command is a number that no command before had, so that it changes data.
   */
  | {
      readonly kind: 'watch'
      readonly name: string
      readonly pipeline: readonly object[]
      readonly command: object
    }
  /** Writes of one bulk, which the driver sends as a document sequence and may repeat. */
  | {
      readonly kind: 'bulk'
      readonly name: string
      readonly count: number
      readonly operation: 'insert' | 'update' | 'delete'
    }
  /** So many clients of the key-value protocol, each of which sends this and stays. */
  | {
      readonly kind: 'clients'
      readonly name: string
      readonly count: number
      readonly words: readonly Word[]
    }
  | { readonly kind: 'words'; readonly name: string; readonly words: readonly Word[] }
  /** Commands of the key-value protocol that are sent together: a pipeline. */
  | { readonly kind: 'lines'; readonly name: string; readonly lines: readonly (readonly Word[])[] }
  | { readonly kind: 'sql'; readonly name: string; readonly text: string; values?: Hostile[] }
  | {
      readonly kind: 'http'
      readonly name: string
      readonly method: string
      readonly path: string
      /** Values in it may be `{$hostile}`. */
      readonly json?: unknown
      /** Instead of `json`: so many lines, each with its number as `_id`. */
      readonly lines?: { readonly count: number; readonly document: object }
    }
  /**
   * A stream of changes over HTTP: opened, then the command in the database of the key, then read
   * to its first event.
   */
  | {
      readonly kind: 'events'
      readonly name: string
      readonly path: string
      readonly command: object
    }

/** A text or number as it is, or one that the client's thread makes large. */
export type Word = string | number | { readonly hostile: Hostile }

/** `kind` and how large: bytes of a text, elements of an array. */
export interface Hostile {
  readonly kind: HostileKind | SpecKind | ParameterKind
  readonly size: number
}

export type HostileKind = (typeof hostileKinds)[number]

export const hostileKinds = [
  'text',
  'almostText',
  'words',
  'wideText',
  'digits',
  'numbers',
  'equalNumbers',
  'equalTexts',
  'almostTexts',
  'objects',
  'pairs',
  'nested',
  'deep',
  'wide',
] as const

export type SpecKind = (typeof specKinds)[number]

export type ParameterKind = (typeof parameterKinds)[number]

/** Texts that stand for a value of another type. */
export const parameterKinds = [
  ...(['hex', 'octal', 'braced', 'bracedMany', 'bracedNumbers', 'quoted', 'spaces'] as const),
] as const

/** Specifications of so many names, `size` of them: what each name is given. */
export const specKinds = ['ones', 'paths', 'names', 'lists', 'empties'] as const

/** What stands in a command or a body where the client's thread puts the large value. */
export function large(kind: HostileKind | SpecKind, size: number): { readonly $hostile: Hostile } {
  return { $hostile: { kind, size } }
}
