// Changes beside PostgreSQL: generated INSERT, UPDATE and DELETE statements over one table, with
// nulls, conflicts and RETURNING. Both servers take or refuse each, answer the same rows, and hold
// the same table after it.

import t from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { GatewayError } from '../../../../src/base/errors.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { CommandRoom, type Reply } from '../../../support/command-room.js'
import {
  openPostgres,
  type PostgresReference,
  postgresMissing,
} from '../../../support/postgres-reference.js'
import { runs } from '../../../support/runs.js'
import { seed } from '../../../support/seed.js'
import { seededRandom } from '../../../support/seeded-random.js'

const columns = ['id', 'a', 'b', 's'] as const

class Generator {
  constructor(private readonly random: () => number) {}

  private of<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T
  }

  private below(max: number): number {
    return Math.floor(this.random() * max)
  }

  private chance(share: number): boolean {
    return this.random() < share
  }

  /** `prefixes` are what the columns may be written behind. */
  private number(depth: number, prefixes: readonly string[]): string {
    if (depth === 0 || this.chance(0.3)) {
      if (this.chance(0.15)) return 'NULL::int'
      return this.chance(0.4)
        ? String(this.below(6))
        : `${this.of(prefixes)}${this.of(['a', 'b', 'id'])}`
    }
    const [left, right] = [this.number(depth - 1, prefixes), this.number(depth - 1, prefixes)]
    if (this.chance(0.2)) return `coalesce(${left}, ${right})`
    if (this.chance(0.2)) {
      return `CASE WHEN ${this.condition(depth - 1, prefixes)} THEN ${left} ELSE ${right} END`
    }
    return `(${left} ${this.of(['+', '-', '*'])} ${right})`
  }

  private text(prefixes: readonly string[]): string {
    const column = `${this.of(prefixes)}s`
    const forms = [`'${this.of(['', 'x', 'Yz', 'ä'])}'`, column, 'NULL::text', `upper(${column})`]
    return this.of([...forms, `left(${column} || 'q', 3)`])
  }

  condition(depth: number, prefixes: readonly string[]): string {
    if (depth > 0 && this.chance(0.4)) {
      const [left, right] = [
        this.condition(depth - 1, prefixes),
        this.condition(depth - 1, prefixes),
      ]
      return this.chance(0.3) ? `NOT (${left})` : `(${left} ${this.of(['AND', 'OR'])} ${right})`
    }
    const number = this.number(1, prefixes)
    const [low, high] = [this.below(4), this.below(9)]
    return this.of([
      `${number} ${this.of(['=', '<>', '<', '<=', '>', '>='])} ${this.number(1, prefixes)}`,
      `${number} IN (${low}, ${high}${this.chance(0.3) ? ', NULL' : ''})`,
      `${number} ${this.chance(0.3) ? 'NOT ' : ''}BETWEEN ${low} AND ${high}`,
      `${number} IS ${this.chance(0.5) ? 'NOT ' : ''}NULL`,
      `${number} IS DISTINCT FROM ${this.number(0, prefixes)}`,
      `${this.text(prefixes)} ${this.of(['LIKE', 'NOT LIKE', '='])} '${this.of(['%x', 'Y_', ''])}'`,
    ])
  }

  private set(prefixes: readonly string[]): string {
    const all = [
      `a = (${this.number(2, prefixes)}) % 1000`,
      `b = ${this.chance(0.1) ? `${this.of(prefixes)}a / ${this.of(prefixes)}b` : this.below(9)}`,
      `s = ${this.text(prefixes)}`,
    ]
    const kept = all.filter(() => this.chance(0.5))
    return (kept.length === 0 ? all.slice(0, 1) : kept).join(', ')
  }

  private returning(prefix: string): string {
    if (this.chance(0.5)) return ''
    return ` RETURNING id, ${this.number(1, [prefix])} AS n, ${this.text([prefix])} AS x`
  }

  private row(): string {
    const number = (): string => (this.chance(0.2) ? 'NULL' : String(this.below(9) - 2))
    const id = this.chance(0.03) ? 'NULL' : String(this.below(20))
    return `(${id}, ${number()}, ${number()}, ${this.chance(0.2) ? 'NULL' : "'xY'"})`
  }

  statement(): string {
    const way = this.random()
    if (way < 0.45) {
      const count = 1 + this.below(3)
      const rows = Array.from({ length: count }, () => this.row()).join(', ')
      const both = ['c.', 'excluded.']
      const where = this.chance(0.4) ? ` WHERE ${this.condition(1, both)}` : ''
      const conflict = this.of([
        '',
        ' ON CONFLICT DO NOTHING',
        ' ON CONFLICT (id) DO NOTHING',
        ` ON CONFLICT (id) DO UPDATE SET ${this.set(both)}${where}`,
      ])
      const into = `INSERT INTO c (${columns.join(', ')}) VALUES ${rows}`
      return `${into}${conflict}${this.returning('c.')}`
    }
    const prefixes = ['', 'c.']
    const where = this.chance(0.9) ? ` WHERE ${this.condition(2, prefixes)}` : ''
    if (way < 0.85) return `UPDATE c SET ${this.set(prefixes)}${where}${this.returning('c.')}`
    const narrow = where === '' ? ' WHERE id > 10' : `${where} AND id > 5`
    return `DELETE FROM c${narrow}${this.returning('')}`
  }
}

/** Rows of texts, in an order of their own; undefined: it was refused. */
type Answer = string | undefined

function shown(rows: readonly (readonly unknown[])[]): string {
  const texts = rows.map((row) =>
    JSON.stringify(row.map((cell) => (cell === null ? null : String(cell)))),
  )
  return texts.sort().join('\n')
}

async function referenceAnswer(reference: PostgresReference, text: string): Promise<Answer> {
  try {
    return shown((await reference.query(text)).rows)
  } catch {
    return undefined
  }
}

async function ownAnswer(room: CommandRoom, text: string): Promise<Answer> {
  try {
    const { cursor, columns: heads = [] } = await room.run({ sqlChange: text })
    const names: string[] = heads.map(({ name }: Reply) => name)
    return shown(cursor.firstBatch.map((row: Reply) => names.map((name) => row[name])))
  } catch (error) {
    if (error instanceof GatewayError && error.kind !== 'InternalError') return undefined
    throw error
  }
}

t.test('changes are those of PostgreSQL', { skip: postgresMissing }, async (t) => {
  t.comment(`SIGIL_SEED=${seed}`)
  const reference = await openPostgres(t)
  const room = new CommandRoom(openMemoryStore(systemClock), systemClock)
  const table = 'CREATE TABLE c (id int PRIMARY KEY, a int, b int, s text)'
  await reference.query(table)
  await room.run({ sqlDefine: table })
  const generator = new Generator(seededRandom(seed))
  let refused = 0
  for (let i = 0; i < runs(300) && t.passing(); i++) {
    const text = generator.statement()
    const wanted = await referenceAnswer(reference, text)
    t.equal(await ownAnswer(room, text), wanted, text)
    if (wanted === undefined) refused++
    const theirs = shown((await reference.query(`SELECT ${columns.join(', ')} FROM c`)).rows)
    const own = await room.all('c')
    t.equal(shown(own.map((row) => columns.map((name) => row[name]))), theirs, `after ${text}`)
  }
  t.ok(refused > 0 && refused < runs(300) / 2, `${refused} were refused`)
  await room.engine.close()
})
