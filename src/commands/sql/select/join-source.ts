// A join, row by row. The matching rows of a table are found by an index, in a hash table in
// memory, or among all of its rows. NULL matches nothing.

import { fail } from '../../../base/errors.js'
import { pullDocumentsMax, scanBytesTarget } from '../../../base/limits/engine.js'
import { sqlJoinBytesMax } from '../../../base/limits/sql.js'
import { work } from '../../../base/work/work-budget.js'
import { entryUnits } from '../../../base/work/work-figures.js'
import { type Source, UpstreamSource } from '../../../engine/sources/holding-source.js'
import type { Holding, QueryMemory } from '../../../engine/sources/query-memory.js'
import type { Counters } from '../../../engine/sources/walk.js'
import type { Guarded } from '../../../engine/types.js'
import type { Expression } from '../../../protocol/sql/ast.js'
import type { Program, ReadTx } from '../../../store/store.js'
import { equalityKey } from '../../../value/key.js'
import { type Document, nullValue } from '../../../value/value.js'
import { compile } from '../expression/compile.js'
import { evaluationState } from '../expression/evaluation-error.js'
import { mapExpression } from '../expression/expression-tree.js'
import type { Scope } from '../expression/scope.js'
import { supersetFilter } from '../expression/superset.js'
import type { Evaluator, Row } from '../expression/truth.js'
import type { JoinKey, JoinStep } from './join-plan.js'
import { joinedDocument, type RowOf, rowSpender } from './row-stages.js'

export interface JoinInput {
  /** Documents that meet the filter, and possibly others. */
  open(tx: ReadTx & Guarded, filter: Document): Program<Source>
  /** Whether rows are looked up by the first key instead of reading the table once. */
  readonly isIndexed: boolean
}

interface JoinedInput extends JoinInput {
  /** The memory of the statement. */
  readonly memory: QueryMemory
}

/** Candidates checked between two pauses. */
const triedAtOnce = 100

/** An outer row with its candidates. */
interface Current {
  readonly row: Row
  readonly candidates: readonly Document[]
  at: number
  isMatched: boolean
}

export class JoinSource extends UpstreamSource {
  private readonly conditions: readonly Evaluator[]
  private readonly outerKeys: readonly Evaluator[]
  private readonly innerKeys: readonly Evaluator[]
  private readonly filter: Document
  private readonly spend: () => void
  private outers: Document[] = []
  private current: Current | undefined
  private hashed: Map<string, Document[]> | undefined
  private all: Document[] | undefined
  private readonly holding: Holding
  /** Bytes of the documents that were read last. */
  private bytesRead = 0
  private readonly looked: Counters = { keysExamined: 0, docsExamined: 0, returned: 0 }

  constructor(
    upstream: Source,
    private readonly rowOf: RowOf,
    private readonly step: JoinStep,
    private readonly scope: Scope,
    private readonly input: JoinedInput,
  ) {
    super(upstream)
    this.holding = input.memory.holding()
    const { conditions, keys, table } = step
    this.conditions = conditions.map((condition) => compile(condition, scope))
    this.outerKeys = keys.map(({ outer }) => compile(outer, scope))
    this.innerKeys = keys.map(({ inner }) => compile(inner, scope))
    this.filter = supersetFilter(allOf(conditions), scope, table)
    this.spend = rowSpender(conditions)
  }

  get counters(): Counters {
    const { keysExamined, docsExamined } = this.upstream.counters
    return {
      keysExamined: keysExamined + this.looked.keysExamined,
      docsExamined: docsExamined + this.looked.docsExamined,
      returned: this.looked.returned,
    }
  }

  protected get isExhausted(): boolean {
    return this.current === undefined && this.outers.length === 0 && this.upstream.drained
  }

  override get bytesWorking(): number {
    return super.bytesWorking + this.holding.bytesHeld
  }

  override close(): void {
    super.close()
    this.hashed = undefined
    this.all = undefined
    this.current = undefined
    this.outers = []
    this.holding.close()
  }

  protected *produce(tx: ReadTx & Guarded, want: number): Program<Document[]> {
    const joined: Document[] = []
    let bytes = 0
    while (joined.length < want && bytes < scanBytesTarget) {
      this.current ??= yield* this.begin(tx)
      const { current } = this
      if (current === undefined) break
      const before = joined.length
      const tried = this.tryMore(current, want, joined)
      for (let i = before; i < joined.length; i++) bytes += joined[i]?.length ?? 0
      yield* tx.pause((tried + 1) * entryUnits)
    }
    this.looked.returned += joined.length
    return joined
  }

  /** Joins some of the candidates; returns how many were checked. */
  private tryMore(current: Current, want: number, joined: Document[]): number {
    const { table, isLeft } = this.step
    let tried = 0
    while (current.at < current.candidates.length && tried < triedAtOnce && joined.length < want) {
      if (tried > 0 && work.isDue) break
      const row = withTable(current.row, table, current.candidates[current.at++])
      tried++
      this.spend()
      if (!this.conditions.every(({ truth }) => truth(row) === true)) continue
      current.isMatched = true
      joined.push(joinedDocument(row))
    }
    if (current.at < current.candidates.length) return tried
    if (isLeft && !current.isMatched) joined.push(joinedDocument(current.row))
    this.current = undefined
    return tried
  }

  /** The next outer row. */
  private *begin(tx: ReadTx & Guarded): Program<Current | undefined> {
    while (this.outers.length === 0) {
      if (this.upstream.drained) return undefined
      this.outers = (yield* this.upstream.pull(tx, pullDocumentsMax)).reverse()
      yield* tx.pause(entryUnits)
    }
    const next = this.outers.pop()
    if (next === undefined) return undefined
    const row = this.rowOf(next)
    const candidates = yield* this.candidatesOf(tx, row)
    return { row, candidates, at: 0, isMatched: false }
  }

  private *candidatesOf(tx: ReadTx & Guarded, row: Row): Program<readonly Document[]> {
    const [key] = this.step.keys
    if (key === undefined) {
      this.all ??= yield* this.read(tx, this.filter)
      return this.all
    }
    const values = this.outerKeys.map(({ value }) => value(row))
    if (values.includes(undefined)) return []
    if (this.input.isIndexed) return yield* this.read(tx, this.filterFor(row))
    this.hashed ??= yield* this.hash(tx)
    return this.hashed.get(values.map((value) => equalityKey(value ?? nullValue)).join('\0')) ?? []
  }

  /** The filter for a row, with its values in the keys. */
  private filterFor(row: Row): Document {
    const { keys, conditions, table } = this.step
    const known = new Map(keys.map((key, i) => [key.condition, this.equality(key, i, row)]))
    const asked = conditions.map((condition) => known.get(condition) ?? condition)
    return supersetFilter(allOf(asked), this.scope, table)
  }

  private equality({ condition, outer, inner }: JoinKey, at: number, row: Row): Expression {
    const value = this.outerKeys[at]?.value(row) ?? nullValue
    const literal: Expression = { kind: 'literal', at: outer.at, value }
    return mapExpression(condition, (node) => {
      if (node === outer) return literal
      return node === inner ? inner : undefined
    })
  }

  private *hash(tx: ReadTx & Guarded): Program<Map<string, Document[]>> {
    const hashed = new Map<string, Document[]>()
    const { table } = this.step
    const documents = yield* this.read(tx, this.filter)
    const bytesRead = this.bytesRead
    let keyBytes = 0
    let hashes = 0
    for (const document of documents) {
      const { isDue } = work
      if (++hashes % triedAtOnce === 0 || isDue) {
        this.holding.hold(bytesRead + keyBytes)
        yield* tx.pause(isDue ? 0 : triedAtOnce * entryUnits)
      }
      const row = withTable([], table, document)
      const values = this.innerKeys.map(({ value }) => value(row))
      if (values.includes(undefined)) continue
      const key = values.map((value) => equalityKey(value ?? nullValue)).join('\0')
      const list = hashed.get(key)
      if (list === undefined) {
        hashed.set(key, [document])
        keyBytes += key.length + keyOverheadBytes
      } else list.push(document)
    }
    this.holding.hold(bytesRead + keyBytes)
    return hashed
  }

  /**
   * Throws ExceededMemoryLimit (53200) above sqlJoinBytesMax, or if the memory of all queries is
   * used up. Releases the documents of the previous read.
   */
  private *read(tx: ReadTx & Guarded, filter: Document): Program<Document[]> {
    const source = yield* this.input.open(tx, filter)
    const documents: Document[] = []
    let bytes = 0
    try {
      while (!source.drained) {
        for (const document of yield* source.pull(tx, pullDocumentsMax)) {
          bytes += document.length + documentOverheadBytes
          documents.push(document)
        }
        if (bytes > sqlJoinBytesMax) throw tooLarge(this.scope.tables[this.step.table] ?? '')
        this.holding.hold(bytes)
      }
      this.bytesRead = bytes
      this.looked.keysExamined += source.counters.keysExamined
      this.looked.docsExamined += source.counters.docsExamined
      return documents
    } finally {
      source.close()
    }
  }
}

/** Memory of a held document beside its bytes, and of a key of the hash table. */
const documentOverheadBytes = 100
const keyOverheadBytes = 80

function tooLarge(table: string): Error {
  const text =
    `the rows of "${table}" that a join has to hold are more than ${sqlJoinBytesMax} bytes: ` +
    'an index on the joined column does without'
  return fail('ExceededMemoryLimit', text, { sqlState: evaluationState.tooMuchMemory })
}

function withTable(row: Row, table: number, document: Document | undefined): Row {
  const joined = [...row]
  while (joined.length < table) joined.push(undefined)
  joined[table] = document
  return joined
}

export function allOf(conditions: readonly Expression[]): Expression | undefined {
  const [first] = conditions
  return conditions.length <= 1 ? first : { kind: 'and', at: 0, operands: conditions }
}
