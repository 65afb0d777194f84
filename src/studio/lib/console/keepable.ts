// Which statements of the console may be kept, and in which form: without keys and signatures, and
// none that may contain a password. (docs/studio.md, "Console")

export type Language = 'sql' | 'redis'

export interface Statement {
  readonly language: Language
  readonly text: string
}

export interface SavedStatement extends Statement {
  readonly name: string
}

export interface Kept {
  /** Newest first. */
  readonly history: readonly Statement[]
  readonly saved: readonly SavedStatement[]
}

export const none: Kept = { history: [], saved: [] }

/** Longer ones belong into files. */
const charsMax = 10_000

/** What another version or a hand has written is not trusted. */
export function readKept(text: string | null): Kept {
  try {
    const { history, saved } = JSON.parse(text ?? '{}') as Partial<Record<keyof Kept, unknown>>
    const isStatement = (one: unknown): one is SavedStatement => {
      const { language, text, name = '' } = (one ?? {}) as Record<string, unknown>
      const isKnown = language === 'sql' || language === 'redis'
      return isKnown && typeof text === 'string' && typeof name === 'string'
    }
    const listOf = (given: unknown) => (Array.isArray(given) ? given.filter(isStatement) : [])
    return { history: listOf(history), saved: listOf(saved).filter(({ name }) => name) }
  } catch {
    return none
  }
}

/** Keys of Sigil, and signatures. */
const secrets = /svc_(?:live|test|op)_[0-9A-Za-z]+|0x[0-9a-fA-F]{128,}/g
const withPassword: Readonly<Record<Language, RegExp>> = {
  sql: /\bpassword\b/i,
  redis: /^\s*["']?(?:auth|hello|migrate|acl|config)\b/i,
}

/** Without keys; undefined for a statement that may contain a password, or a long one. */
export function keepable({ language, text }: Statement): string | undefined {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > charsMax || withPassword[language].test(trimmed)) {
    return undefined
  }
  return trimmed.replace(secrets, '[redacted]')
}
