// Breaks commands: takes a valid one as a tree and changes types, values, sizes, nesting and names in
// it, so that what is left is mostly still a command. Everything comes from one seed.

import { Binary, BSONSymbol, Code, Decimal128, Double, Int32, Long } from 'bson'
import { valueFrom } from '../../../src/value/literal.js'
import { bsonType, type Document, type Value } from '../../../src/value/value.js'
import { type DocumentWriter, writeDocument } from '../../../src/value/writer.js'
import { RandomValues } from '../../fuzz/random-values.js'
import type { Command } from './corpus.js'

/** A document may hold a name twice, which no JavaScript object can. */
interface Node {
  kind: 'object' | 'array' | 'leaf'
  readonly children: [name: string, node: Node][]
  value: Value | undefined
}

type Change = (place: Place) => void

interface Place {
  readonly parent: Node
  readonly index: number
}

const numbers: readonly unknown[] = [
  ...[new Int32(2 ** 31 - 1), new Int32(-(2 ** 31)), new Int32(0), new Int32(-1)],
  ...[Long.MAX_VALUE, Long.MIN_VALUE, Long.fromNumber(2 ** 53), Long.fromNumber(-1)],
  ...[new Double(Number.NaN), new Double(Number.POSITIVE_INFINITY), new Double(-0)],
  ...[new Double(1e308), new Double(0.1), new Double(2 ** 63), new Double(5e-324)],
  ...['NaN', 'Infinity', '9E+6144', '1E-6176', '0.1', '-0'].map((n) => new Decimal128(n)),
]

const names = [
  ...['', '$', '.', 'a.', '.a', 'a..b', '$a', 'a.$', 'a.$[]', 'a.$[x]', '0', '-1', '00', '_id'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', 'é', 'x'.repeat(300)],
  ...['$eq', '$gt', '$in', '$not', '$and', '$or', '$expr', '$elemMatch', '$regex', '$options'],
  ...['$set', '$inc', '$push', '$each', '$slice', '$sort', '$match', '$group', '$lookup', '$out'],
  ...['$add', '$map', '$filter', '$reduce', '$let', '$cond', '$literal', '$sum', '$where', '$type'],
]

const texts = [
  ...['', '$', '$$', '$$ROOT', '$$x', '$$x.y', '$n', '$o.a', '$docs.a', '$arr.0', '$a..b', '$.a'],
  ...['\0', 'a\0b', '\u{1f600}', '(a+)+$', '[', '%Y%', '%', 'NaN', '1e400', '-', '0x10', '+99:99'],
  ...['Europe/Nowhere', 'x'.repeat(5_000), 'c', 'd', 'test.c', '*', '__proto__', 'constructor'],
]

/** Nesting that a mutation adds at most: beyond what is stored, and beyond what is parsed. */
const nestings = [1, 2, 10, 60, 98, 120, 190, 210]

export class Mutator {
  private readonly values: RandomValues
  private readonly trees: readonly Node[]

  constructor(
    private readonly corpus: readonly Command[],
    seed: number,
  ) {
    this.values = new RandomValues(seed)
    this.trees = corpus.map(treeOf)
  }

  /** A broken command and the database that it is sent to. */
  next(): { readonly body: Document; readonly db: string } {
    const { values } = this
    const at = values.whole(this.corpus.length)
    const tree = copyOf(this.trees[at] as Node)
    for (let count = 1 + values.whole(3); count > 0; count--) this.mutate(tree)
    const given = this.corpus[at]?.$db
    const body = writeDocument((writer) => {
      for (const [name, child] of tree.children) write(writer, name, child)
    })
    return { body, db: typeof given === 'string' && given !== 'main' ? given : 'test' }
  }

  private mutate(tree: Node): void {
    const { values } = this
    const places = placesOf(tree)
    if (places.length > 0) values.pick(this.changes)(values.pick(places))
  }

  /** A part of some command of the corpus. */
  private part(): Node {
    const { parent, index } = this.values.pick(placesOf(this.values.pick(this.trees)))
    return copyOf((parent.children[index] as [string, Node])[1])
  }

  private readonly changes: readonly Change[] = [
    (place) => replace(place, leaf(this.values.value())),
    (place) => replace(place, leaf(this.values.pick(numbers))),
    (place) => replace(place, leaf(this.values.pick(texts))),
    (place) => replace(place, leaf(this.sameInAnotherType())),
    (place) => replace(place, this.part()),
    (place) => replace(place, this.part()),
    ({ parent, index }) => {
      parent.children.splice(index, 1)
    },
    ({ parent, index }) => {
      const [name, node] = parent.children[index] as [string, Node]
      parent.children.splice(index, 0, [name, copyOf(node)])
    },
    ({ parent, index }) => {
      const [, node] = parent.children[index] as [string, Node]
      parent.children[index] = [this.name(), node]
    },
    ({ parent, index }) => {
      parent.children.splice(index, 0, [this.name(), this.part()])
    },
    ({ parent, index }) => {
      const other = this.values.whole(parent.children.length)
      const [one, two] = [parent.children[index], parent.children[other]]
      if (one !== undefined && two !== undefined) {
        parent.children[index] = [one[0], two[1]]
        parent.children[other] = [two[0], one[1]]
      }
    },
    (place) => this.nest(place),
    (place) => this.unwrap(place),
    (place) => this.repeat(place),
  ]

  private name(): string {
    const { values } = this
    if (values.chance(0.4)) return values.pick(names)
    const { parent, index } = values.pick(placesOf(values.pick(this.trees)))
    return (parent.children[index] as [string, Node])[0]
  }

  private sameInAnotherType(): unknown {
    const { values } = this
    const text = values.pick(texts)
    return values.pick<unknown>([
      new BSONSymbol(text),
      new Code(text),
      new Code(text, { a: 1 }),
      new Binary(Buffer.from(text), values.pick([0, 2, 3, 4, 5])),
      values.pick([true, false]),
      null,
      new Date(values.pick([0, -1, 8.64e15, -8.64e15, 253_402_300_800_000])),
    ])
  }

  private nest({ parent, index }: Place): void {
    const { values } = this
    const [name, given] = parent.children[index] as [string, Node]
    const inner = values.pick([...names.slice(0, 3), '$not', '$and', '$add', 'a'])
    let node = given
    for (let depth = values.pick(nestings); depth > 0; depth--) {
      const kind = values.chance(0.5) ? 'array' : 'object'
      node = { kind, children: [[kind === 'array' ? '0' : inner, node]], value: undefined }
    }
    parent.children[index] = [name, node]
  }

  private unwrap(place: Place): void {
    const { parent, index } = place
    const [, node] = parent.children[index] as [string, Node]
    if (node.children.length > 0) replace(place, this.values.pick(node.children)[1])
  }

  private repeat({ parent, index }: Place): void {
    const { values } = this
    const [, node] = parent.children[index] as [string, Node]
    const [first] = node.children
    if (first === undefined) return
    const count = values.pick([1, 3, 60, 300])
    const bytes = sizeOf(node)
    if (bytes * count > repeatedNodesMax) return
    for (let i = 0; i < count; i++) {
      const name = node.kind === 'array' ? String(node.children.length) : `${first[0]}${i}`
      node.children.push([name, copyOf(first[1])])
    }
  }
}

/** Nodes that one repetition may make: the corpus must not outgrow the test. */
const repeatedNodesMax = 5_000

function replace({ parent, index }: Place, node: Node): void {
  const [name] = parent.children[index] as [string, Node]
  parent.children[index] = [name, node]
}

function leaf(value: unknown): Node {
  return treeOf({ value }).children[0]?.[1] as Node
}

function treeOf(object: Command): Node {
  const children = Object.entries(object).map(([name, value]): [string, Node] => [
    name,
    nodeOf(value),
  ])
  return { kind: 'object', children, value: undefined }
}

function nodeOf(value: unknown): Node {
  if (Array.isArray(value)) {
    const children = value.map((item, i): [string, Node] => [String(i), nodeOf(item)])
    return { kind: 'array', children, value: undefined }
  }
  const made = valueFrom(value)
  const isPlain = made.type === bsonType.object && typeof value === 'object' && value !== null
  if (isPlain && !('_bsontype' in value)) return treeOf(value as Command)
  return { kind: 'leaf', children: [], value: made }
}

function copyOf(node: Node): Node {
  const children = node.children.map(([name, child]): [string, Node] => [name, copyOf(child)])
  return { ...node, children }
}

function sizeOf(node: Node): number {
  return node.children.reduce((sum, [, child]) => sum + sizeOf(child), 1)
}

/** Every field and element, the command's own name among them. */
function placesOf(node: Node): Place[] {
  const own = node.children.map((_, index) => ({ parent: node, index }))
  return [...own, ...node.children.flatMap(([, child]) => placesOf(child))]
}

function write(writer: DocumentWriter, name: string, node: Node): void {
  // No writer can make a name with 00 in it, and no parser would let it through.
  const clean = name.replaceAll('\0', '')
  if (node.kind === 'leaf') {
    if (node.value !== undefined) writer.value(clean, node.value)
    return
  }
  if (node.kind === 'array') writer.openArray(clean)
  else writer.openDocument(clean)
  for (const [inner, child] of node.children) write(writer, inner, child)
  writer.close()
}
