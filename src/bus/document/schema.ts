// A set of command parameters bound to a path. One pass over the elements of a command checks names
// and types and returns a typed object. Names are compared as bytes and error paths are built once,
// because every request passes here.

import type { Bytes } from '../../base/bytes/bytes.js'
import { utf8 } from '../../base/bytes/bytes.js'
import { fail, type GatewayError } from '../../base/errors.js'
import { Elements } from '../../value/elements.js'
import type { Document, Value } from '../../value/value.js'

/** A parameter: how its value is parsed, and its default if it is absent. */
export interface Field<T> {
  /** `where` is the path for error texts, such as `find.filter`. */
  readonly bind: (where: string) => (value: Value) => T
  /** Present if a document sequence of the same name may fill it. */
  readonly bindSequence?: (where: string) => (documents: readonly Document[]) => T
  readonly isRequired: boolean
  readonly absent: T | undefined
  /** Accepts null as a value. Elsewhere null and undefined count as absent, as in MongoDB. */
  readonly takesNull: boolean
}

// The parameter type is `never`, so that a record may hold fields of any types.
export type Fields = Readonly<Record<string, Field<unknown>>>
export type Args<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never
}

interface Slot {
  readonly name: string
  readonly nameBytes: Bytes
  readonly bit: number
  readonly takesNull: boolean
  readonly read: (value: Value) => unknown
  readonly readSequence: ((documents: readonly Document[]) => unknown) | undefined
}

/** Fields in one schema, at most: a 31-bit mask records which were seen. */
const slotsMax = 31

export class Schema<F extends Fields> {
  readonly names: readonly string[]
  private readonly slots: readonly Slot[]
  private readonly byShape = new Map<number, Slot[]>()
  private readonly absent: Readonly<Record<string, unknown>>
  private readonly requiredBits: number

  constructor(
    private readonly where: string,
    fields: F,
  ) {
    const entries = Object.entries(fields)
    if (entries.length > slotsMax) throw new Error(`${where}: more than ${slotsMax} fields`)
    this.names = entries.map(([name]) => name)
    this.slots = entries.map(([name, field], index) => slotOf(where, name, field, 1 << index))
    for (const slot of this.slots) {
      const shape = shapeOf(slot.nameBytes, 0, slot.nameBytes.length)
      this.byShape.set(shape, [...(this.byShape.get(shape) ?? []), slot])
    }
    this.absent = Object.fromEntries(entries.map(([name, field]) => [name, field.absent]))
    this.requiredBits = entries.reduce(
      (bits, [, field], index) => (field.isRequired ? bits | (1 << index) : bits),
      0,
    )
  }

  /** Parses `document` and refuses unknown fields. */
  parse(document: Document): Args<F> {
    const reading = this.begin()
    const elements = new Elements(document)
    while (elements.next()) {
      if (!reading.take(document, elements)) throw this.unknown(elements.name())
    }
    return reading.finish()
  }

  /** Starts a parse for a caller that spreads one document over several schemas. */
  begin(): Reading<F> {
    return new Reading<F>(this, { ...this.absent })
  }

  /** The slot of the element's name; undefined if the schema has no such field. */
  slotAt(bytes: Bytes, elements: Elements): Slot | undefined {
    const slots = this.byShape.get(shapeOf(bytes, elements.nameStart, elements.nameEnd))
    if (slots === undefined) return undefined
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] as Slot
      if (elements.nameIs(slot.nameBytes)) return slot
    }
    return undefined
  }

  slotNamed(name: string): Slot | undefined {
    return this.slots.find((slot) => slot.name === name)
  }

  unknown(name: string): GatewayError {
    return fail('Location40415', `BSON field '${this.where}.${name}' is an unknown field.`)
  }

  duplicate(name: string): GatewayError {
    return fail('Location40413', `BSON field '${this.where}.${name}' is a duplicate field`)
  }

  requireAll(seen: number): void {
    const missing = this.requiredBits & ~seen
    if (missing === 0) return
    const name = this.slots.find(({ bit }) => (missing & bit) !== 0)?.name
    const text = `BSON field '${this.where}.${name}' is missing but a required field`
    throw fail('Location40414', text)
  }
}

/** The state of parsing one document. */
export class Reading<F extends Fields> {
  private seen = 0

  constructor(
    private readonly schema: Schema<F>,
    private readonly values: Record<string, unknown>,
  ) {}

  /** Reads the current element of `elements` over `bytes`; false if there is no such field. */
  take(bytes: Bytes, elements: Elements): boolean {
    const slot = this.schema.slotAt(bytes, elements)
    if (slot === undefined) return false
    if ((this.seen & slot.bit) !== 0) throw this.schema.duplicate(slot.name)
    const value = elements.value()
    if (value.isNullish && !slot.takesNull) return true
    this.values[slot.name] = slot.read(value)
    this.seen |= slot.bit
    return true
  }

  /** Reads a document sequence; false if no field takes one of that name. */
  takeSequence(name: string, documents: readonly Document[]): boolean {
    const slot = this.schema.slotNamed(name)
    if (slot?.readSequence === undefined) return false
    if ((this.seen & slot.bit) !== 0) throw this.schema.duplicate(name)
    this.values[name] = slot.readSequence(documents)
    this.seen |= slot.bit
    return true
  }

  /** The typed fields; throws if a required one is missing. */
  finish(): Args<F> {
    this.schema.requireAll(this.seen)
    return this.values as Args<F>
  }
}

function slotOf(where: string, name: string, field: Field<unknown>, bit: number): Slot {
  const path = `${where}.${name}`
  return {
    name,
    nameBytes: utf8(name),
    bit,
    takesNull: field.takesNull,
    read: field.bind(path),
    readSequence: field.bindSequence?.(path),
  }
}

/** Length, first and last byte: these tell most names apart without decoding a string. */
function shapeOf(bytes: Bytes, start: number, end: number): number {
  return ((end - start) << 16) | ((bytes[start] ?? 0) << 8) | (bytes[end - 1] ?? 0)
}
