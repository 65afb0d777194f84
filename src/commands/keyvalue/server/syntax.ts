// Converts the notation of the manual to the form of COMMAND DOCS. `key [NX | XX] [EX seconds]`
// becomes arguments with names, types and tokens, which clients turn into hints. Rows keep the
// notation, because people read it.

type ArgumentType =
  | 'string'
  | 'integer'
  | 'double'
  | 'key'
  | 'pattern'
  | 'unix-time'
  | 'pure-token'
  | 'oneof'
  | 'block'

export interface Argument {
  readonly name: string
  readonly type: ArgumentType
  readonly token?: string
  readonly isOptional?: boolean
  readonly isMultiple?: boolean
  /** Whether each repetition includes the token. */
  readonly repeatsToken?: boolean
  /** The parts of a block or a choice. */
  readonly parts?: readonly Argument[]
}

/** Throws for invalid notation, which the test of the table finds. */
export function parseSyntax(syntax: string): readonly Argument[] {
  const reader = new Reader(syntax.match(/[[\]<>|]|\.\.\.|"[^"]*"|[^\s[\]<>|]+/g) ?? [])
  const parsed = reader.sequence()
  if (reader.peek !== undefined) throw new Error(`syntax '${syntax}': '${reader.peek}' unexpected`)
  return parsed.map(({ argument }) => argument)
}

/** An argument and the words that it was written with. */
interface Item {
  readonly argument: Argument
  readonly text: string
}

class Reader {
  private at = 0

  constructor(private readonly words: readonly string[]) {}

  get peek(): string | undefined {
    return this.words[this.at]
  }

  /** Items up to the end of a group, a bar or the next token. Items after a token belong to it. */
  sequence(): Item[] {
    const items: Item[] = []
    for (;;) {
      const word = this.peek
      if (word === undefined || word === ']' || word === '>' || word === '|' || word === '...') {
        return items
      }
      if (word === '[') this.optional(items)
      else if (word === '<') items.push(this.choice('>'))
      else items.push(this.word())
    }
  }

  private take(expected?: string): string {
    const word = this.words[this.at++]
    if (word === undefined || (expected !== undefined && word !== expected)) {
      throw new Error(`syntax '${this.words.join(' ')}': '${expected}' is missing`)
    }
    return word
  }

  private word(): Item {
    const word = this.take()
    if (!isToken(word)) return { argument: plain(word), text: word }
    const next = this.peek
    // A token takes the items after it: `COUNT count`, `LIMIT offset count`,
    // `AGGREGATE <SUM | MIN>`.
    if (next === undefined || '[]>|...'.includes(next) || isToken(next)) return pureToken(word)
    const items: Item[] = []
    for (let follows = this.peek; follows !== undefined; follows = this.peek) {
      if (']>|'.includes(follows) || isToken(follows)) break
      if (follows === '[') {
        // Takes only a repetition of the token's own items; other items stand alone.
        if (!this.repeats([{ ...pureToken(word) }, ...items])) break
        this.optional(items, word)
      } else items.push(follows === '<' ? this.choice('>') : this.word())
    }
    const argument = { ...blockOf(items), token: word }
    return { argument, text: [word, ...items.map(({ text }) => text)].join(' ') }
  }

  /** `[...]`: an optional argument, or a repetition of the arguments before it. */
  private optional(items: Item[], token?: string): void {
    const repetition = this.repetition(items, token)
    if (repetition !== undefined) {
      const { count, withToken } = repetition
      const repeated = items.splice(items.length - count)
      const argument = {
        ...blockOf(repeated),
        isMultiple: true,
        ...(withToken ? { repeatsToken: true } : {}),
      }
      items.push({ argument, text: repeated.map(({ text }) => text).join(' ') })
      return
    }
    const { argument, text } = this.choice(']')
    items.push({ argument: { ...argument, isOptional: true }, text })
  }

  private repeats(items: readonly Item[]): boolean {
    const start = this.at
    const found = this.repetition(items, items[0]?.text) !== undefined
    this.at = start
    return found
  }

  /** If `[...]` is a repetition, moves past it and returns its number of items; else undefined. */
  private repetition(
    items: readonly Item[],
    token?: string,
  ): { count: number; withToken: boolean } | undefined {
    const end = this.words.indexOf(']', this.at)
    if (this.words[end - 1] !== '...') return undefined
    let inner = this.words.slice(this.at + 1, end - 1).join(' ')
    const withToken = token !== undefined && inner.startsWith(`${token} `)
    if (withToken) inner = inner.slice(token.length + 1)
    for (let count = 1; count <= items.length; count++) {
      const text = items.slice(-count).map((item) => item.text)
      if (text.join(' ') !== inner) continue
      this.at = end + 1
      return { count, withToken }
    }
    return undefined
  }

  private choice(end: ']' | '>'): Item {
    const start = this.at++
    const choices: Argument[] = []
    let isMultiple = false
    for (;;) {
      choices.push(blockOf(this.sequence()))
      if (this.peek === '...') {
        this.take('...')
        isMultiple = true
      }
      if (this.peek !== '|') break
      this.take('|')
    }
    this.take(end)
    const text = this.words.slice(start, this.at).join(' ')
    const [only] = choices
    const argument: Argument =
      choices.length === 1 && only !== undefined
        ? only
        : { name: namesOf(choices), type: 'oneof', parts: choices }
    return { argument: isMultiple ? { ...argument, isMultiple } : argument, text }
  }
}

function isToken(word: string): boolean {
  return /^[A-Z"*$~=]/.test(word) && word === word.toUpperCase()
}

function pureToken(word: string): Item {
  const token = word.replaceAll('"', '')
  return { argument: { name: token.toLowerCase(), type: 'pure-token', token }, text: word }
}

function blockOf(items: readonly Item[]): Argument {
  const [only] = items
  if (only === undefined) throw new Error('a group of a syntax is empty')
  if (items.length === 1) return only.argument
  const parts = items.map(({ argument }) => argument)
  return { name: namesOf(parts), type: 'block', parts }
}

function namesOf(parts: readonly Argument[]): string {
  return parts.map(({ name }) => name).join('_')
}

function plain(name: string): Argument {
  return { name, type: typeOf(name) }
}

/** The types of the manual's argument names. */
function typeOf(name: string): ArgumentType {
  if (keyNames.has(name)) return 'key'
  if (name.endsWith('pattern')) return 'pattern'
  if (name.startsWith('unix-time')) return 'unix-time'
  if (doubleNames.has(name)) return 'double'
  return integerNames.has(name) || /^index\d$/.test(name) ? 'integer' : 'string'
}

const keyNames: ReadonlySet<string> = new Set(
  'key key1 key2 source destination destkey dst src newkey'.split(' '),
)
const doubleNames: ReadonlySet<string> = new Set(['score', 'weight', 'timeout'])
const integerNames: ReadonlySet<string> = new Set(
  (
    'seconds milliseconds count increment decrement index offset start end stop numkeys cursor ' +
    'bit ' +
    'rank num-matches len limit db destination-db ttl frequency protover version bits client-id ' +
    'numreplicas milliseconds-to-wait'
  ).split(' '),
)
