// Many regular expressions of a command are compiled in turns before it begins: 300 take 30 to 60
// ms, and a command compiles its filter without a pause. It then finds them by their text and the
// memory that the command lies in. (docs/design/transactions.md, rule 1)

import { utf8 } from '../base/bytes/bytes.js'
import { work } from '../base/work/work-budget.js'
import { elementUnits, regexReserveUnits } from '../base/work/work-figures.js'
import { Elements, findElement } from '../value/elements.js'
import type { Steps } from '../value/key-list.js'
import { bsonType, type Document, regexOf, stringOf, type Value } from '../value/value.js'
import { compileRegex, keepRegexes, type Regex } from './regex.js'

/** Elements between two pauses. */
const elementsAtOnce = 128
/** Fewer patterns than this are compiled by their command, in 3 ms. */
const patternsMin = 16
/** All patterns of a command, 0.1 to 0.2 s, and how many; the others count in the command. */
const unitsMax = 1_000_000
const patternsMax = 1_000
/** One pattern, 2 ms. A longer one is compiled for its first text. */
const patternUnitsMax = 20_000
const depthMax = 100

interface Pattern {
  readonly pattern: string
  readonly options: string
}

/** Names whose text is a pattern, with those of their options. */
const optionNames: ReadonlyMap<string, string | undefined> = new Map([
  ['$regex', '$options'],
  ['regex', 'options'],
  ['pattern', undefined],
])

/** Whether a short document has more patterns than a command compiles in one turn. */
export function hasManyPatterns(document: Document): boolean {
  const found: Pattern[] = []
  for (const _ of findPatterns(document, found)) if (found.length >= patternsMin) return true
  return found.length >= patternsMin
}

/** Compiles the patterns of a document, and keeps them as long as its memory. */
export function* compileAhead(document: Document): Steps<void> {
  const found: Pattern[] = []
  yield* findPatterns(document, found)
  if (found.length < patternsMin) return
  const regexes = new Map<string, Regex>()
  keepRegexes(document, regexes)
  const { spent } = work
  for (const { pattern, options } of found) {
    if (work.spent - spent > unitsMax) return
    try {
      const regex = work.within(patternUnitsMax + regexReserveUnits, () => {
        return compileRegex(pattern, options)
      })
      regexes.set(regex.key, regex)
    } catch {
      // The command refuses it, unless it is no pattern there.
    }
    yield
  }
}

function* findPatterns(document: Document, found: Pattern[], start = 0, depth = 0): Steps<void> {
  const elements = new Elements(document, start)
  for (let i = 1; found.length < patternsMax && elements.next(); i++) {
    if (i % elementsAtOnce === 0) yield work.note(elementsAtOnce * elementUnits)
    const { type } = elements
    if (type === bsonType.regex) found.push(regexOf(elements.value()))
    else if (type === bsonType.string) addText(elements, document, start, found)
    else if (type === bsonType.object || type === bsonType.array) {
      const value = elements.value()
      if (isNamed(elements, 'patternProperties')) yield* addNames(value, found)
      if (depth < depthMax) yield* findPatterns(document, found, value.start, depth + 1)
    }
  }
}

function addText(elements: Elements, document: Document, start: number, found: Pattern[]): void {
  const length = elements.nameEnd - elements.nameStart
  if (length < 'regex'.length || length > 'pattern'.length) return
  const name = elements.name()
  if (!optionNames.has(name)) return
  const given = optionNames.get(name)
  const options = given === undefined ? undefined : findElement(document, start, utf8(given))
  found.push({ pattern: stringOf(elements.value()), options: textOr(options) })
}

function textOr(value: Value | undefined): string {
  return value?.type === bsonType.string ? stringOf(value) : ''
}

function isNamed(elements: Elements, name: string): boolean {
  return elements.nameEnd - elements.nameStart === name.length && elements.name() === name
}

function* addNames({ bytes, start }: Value, found: Pattern[]): Steps<void> {
  const elements = new Elements(bytes, start)
  while (found.length < patternsMax && elements.next()) {
    found.push({ pattern: elements.name(), options: '' })
    yield
  }
}
