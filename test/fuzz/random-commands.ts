// Random commands from the command table itself: every row, with its own parameters filled by
// values that mostly suit their names.

import { Binary, Int32, Long } from 'bson'
import type { DocumentRow } from '../../src/bus/document/row.js'
import type { RandomValues } from './random-values.js'

type Fields = Record<string, unknown>

/** What would end the gateway, or is meant to wait. */
const left = new Set(['shutdown', 'sleep'])
const collections = [
  'c',
  'd',
  'e',
  'c',
  'd',
  'e',
  'c',
  'd',
  'system.x',
  '',
  '$cmd',
  'a'.repeat(300),
]
const databases = [
  ...['test', 'test', 'test', 'test', 'test', 'test', 'test', 'test', 'other', 'other'],
  ...['admin', 'config', '', 'bad name', '$external'],
]

export class RandomCommands {
  private readonly rows: readonly DocumentRow[]

  constructor(
    rows: readonly DocumentRow[],
    private readonly values: RandomValues,
  ) {
    this.rows = rows.filter((row) => !left.has(row.name))
  }

  next(): Fields {
    const { values } = this
    const row = values.pick(this.rows)
    const name = values.chance(0.1) ? values.pick([row.name, ...(row.aliases ?? [])]) : row.name
    const fields: Fields = { [name]: this.target(row.name) }
    for (const param of row.paramNames) {
      if (values.chance(likely(param))) fields[param] = this.param(param)
    }
    if (values.chance(0.1)) fields.lsid = { id: new Binary(values.bytes(16), 4) }
    if (values.chance(0.05)) fields[values.pick(['maxTimeMS', 'comment', 'zzz'])] = values.value()
    fields.$db = row.adminOnly === true ? 'admin' : values.pick(databases)
    return fields
  }

  private target(name: string): unknown {
    const { values } = this
    if (values.chance(0.05)) return values.value()
    if (name === 'getMore') return Long.fromNumber(values.whole(1_000_000))
    if (name === 'explain') return { find: 'c', filter: values.filter() }
    if (name === 'renameCollection') return `test.${values.pick(collections)}`
    return values.chance(0.8) ? values.pick(collections) : new Int32(1)
  }

  private param(name: string): unknown {
    const { values } = this
    if (values.chance(0.1)) return values.value()
    switch (name) {
      case 'filter':
      case 'query':
        return values.filter()
      case 'pipeline':
        return values.pipeline()
      case 'update':
        return values.update()
      case 'documents':
        return Array.from({ length: 1 + values.whole(3) }, () => this.document())
      case 'updates':
        return [{ q: values.filter(), u: values.update(), ...this.flags() }]
      case 'deletes':
        return [{ q: values.filter(), limit: new Int32(values.whole(3)) }]
      case 'indexes':
        return [this.index()]
      case 'sort':
      case 'key':
        return { [values.pick(['a', 'b', '_id'])]: new Int32(values.pick([1, -1, 0])) }
      case 'cursor':
        return values.chance(0.5) ? {} : { batchSize: new Int32(values.whole(5)) }
      case 'collection':
      case 'to':
        return values.pick(collections)
      default:
        return values.chance(0.5) ? new Int32(values.whole(4)) : values.value()
    }
  }

  /** Few ids, so that some are taken. */
  private document(): Fields {
    const { values } = this
    return values.chance(0.6)
      ? { _id: new Int32(values.whole(40)), ...values.object() }
      : values.object()
  }

  private flags(): Fields {
    const { values } = this
    return { multi: values.chance(0.5), upsert: values.chance(0.3) }
  }

  private index(): Fields {
    const { values } = this
    const field = values.pick(['a', 'b', 'a.b', '_id'])
    const spec = { key: { [field]: new Int32(1) }, name: `${field}_1` }
    return values.chance(0.2) ? { ...spec, unique: true } : spec
  }
}

/** What a command needs most is there most of the time. */
function likely(param: string): number {
  const needed = ['documents', 'updates', 'deletes', 'pipeline', 'cursor', 'filter', 'query']
  if (needed.includes(param)) return 0.9
  return ['key', 'update', 'indexes', 'index', 'to', 'collection'].includes(param) ? 0.7 : 0.1
}
