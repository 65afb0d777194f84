// The fields that every command accepts: session, transaction, API version, read and write concern,
// time limit. Each is checked as a standalone MongoDB server checks it, or as a router does. Most
// have no further effect.

import { fail, type GatewayError } from '../../base/errors.js'
import type { Topology } from '../../base/setting-kinds.js'
import type { ClusterTime } from '../../store/layout.js'
import { Elements, field } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import {
  bigintOf,
  bsonType,
  type Document,
  stringOf,
  timestampOf,
  type Value,
} from '../../value/value.js'
import type { CommandFacts } from '../policy/facts.js'
import type { NamedTransaction } from '../session.js'
import {
  anyValue,
  countNumber,
  ignored,
  number,
  object,
  optional,
  strictBool,
  string,
  typeName,
  wrongType,
} from './params.js'
import { type Args, Schema } from './schema.js'
import { type TransactionFields, transactionFieldsOf } from './transactions/transaction-fields.js'

export const genericFields = {
  $db: optional(string),
  lsid: optional(object),
  maxTimeMS: optional(anyValue),
  comment: optional(anyValue),
  let: optional(object),
  readConcern: optional(object),
  writeConcern: optional(object),
  txnNumber: optional(number),
  startTransaction: optional(strictBool),
  autocommit: optional(strictBool),
  apiVersion: optional(string),
  apiStrict: optional(strictBool),
  apiDeprecationErrors: optional(strictBool),
  $readPreference: optional(object),
  $clusterTime: ignored,
  $configServerState: ignored,
  $audit: ignored,
  $client: ignored,
} as const

export type GenericArgs = Args<typeof genericFields>

export const genericSchema = new Schema('', genericFields)
/** For a command without generic fields. */
export const noGeneric: GenericArgs = genericSchema.begin().finish()

const maxTimeMsMax = 2 ** 31 - 1
const writeMembersMax = 50
const readLevels = new Set(['local', 'available', 'majority', 'linearizable', 'snapshot'])

/** The generic fields after their checks. */
export interface Generic {
  /** 16 bytes of the client's session id. */
  readonly sessionId: Uint8Array | undefined
  /** 0: no limit. */
  readonly maxTimeMs: number
  readonly let: Document | undefined
  readonly comment: Value | undefined
  readonly apiStrict: boolean
  /** Level of the read concern, if one is given. */
  readonly readLevel: string | undefined
  /** The time of a snapshot to read. */
  readonly atClusterTime: ClusterTime | undefined
  readonly transaction: TransactionFields | undefined
  /** The write concern that a router of one server cannot meet; reported after the work. */
  readonly unmetConcern: UnmetConcern | undefined
}

const nothingAsked: Generic = {
  sessionId: undefined,
  maxTimeMs: 0,
  let: undefined,
  comment: undefined,
  apiStrict: false,
  readLevel: undefined,
  atClusterTime: undefined,
  transaction: undefined,
  unmetConcern: undefined,
}

export function checkGeneric(args: GenericArgs, row: Timed, topology: Topology): Generic {
  if (args === noGeneric) return nothingAsked
  checkApi(args)
  const transaction = transactionFieldsOf(args, topology, row)
  const { readConcern } = args
  const read = readConcern === undefined ? noConcern : readConcernOf(readConcern, topology)
  const { writeConcern } = args
  const unmet = writeConcern === undefined ? undefined : unmetConcern(writeConcern, topology)
  return {
    sessionId: args.lsid === undefined ? undefined : sessionIdOf(args.lsid),
    maxTimeMs: args.maxTimeMS === undefined ? 0 : timeLimit(args.maxTimeMS, row),
    let: args.let,
    comment: args.comment,
    apiStrict: args.apiStrict ?? false,
    ...read,
    transaction,
    unmetConcern: unmet,
  }
}

/** The same fields in a transaction that the client has named elsewhere, if it has. */
export function within(generic: Generic, { transaction }: Naming): Generic {
  if (transaction === undefined) return generic
  const { sessionId, number } = transaction
  return { ...generic, sessionId, transaction: { number, starts: false, isTransaction: true } }
}

interface Naming {
  readonly transaction: NamedTransaction | undefined
}

/** What the checks read of a row. */
interface Timed {
  readonly name: string
  readonly ends: CommandFacts['ends']
  readonly hasTimeField?: boolean
}

function checkApi({ apiVersion, apiStrict, apiDeprecationErrors }: GenericArgs): void {
  if (apiVersion === undefined) {
    if (apiStrict === undefined && apiDeprecationErrors === undefined) return
    const text = 'Provided apiStrict and/or apiDeprecationErrors without passing apiVersion'
    throw fail('Location4886600', text)
  }
  if (apiVersion !== '1') throw fail('APIVersionError', 'API version must be "1"')
}

/** The UUID of `{id: UUID}`, whose other fields (uid, txnUUID) are the cluster's. */
export function sessionIdOf(lsid: Document): Uint8Array {
  const id = field(lsid, 'id')
  if (id === undefined) {
    const text = "BSON field 'OperationSessionInfo.lsid.id' is missing but a required field"
    throw fail('Location40414', text)
  }
  // int32 length, subtype 4, 16 bytes
  if (id.type !== bsonType.binary || id.end - id.start !== 21 || id.bytes[id.start + 4] !== 4) {
    throw wrongType('OperationSessionInfo.lsid.id', id, "type 'UUID'")
  }
  return id.bytes.slice(id.start + 5, id.end)
}

function timeLimit(value: Value, { name, hasTimeField }: Timed): number {
  if (hasTimeField === true) {
    const ms = countNumber.bind(`${name}.maxTimeMS`)(value)
    if (ms <= maxTimeMsMax) return ms
  }
  if (!value.isNumber) throw fail('BadValue', 'maxTimeMS must be a number')
  const ms = numberOf(value)
  if (!Number.isInteger(ms)) throw fail('BadValue', 'maxTimeMS has non-integral value')
  if (ms >= 0 && ms <= maxTimeMsMax) return ms
  const exact = value.type === bsonType.int64 ? bigintOf(value) : ms
  throw fail('BadValue', `${exact} value for maxTimeMS is out of range [0, ${maxTimeMsMax}]`)
}

type ReadConcern = Pick<Generic, 'readLevel' | 'atClusterTime'>

const noConcern: ReadConcern = { readLevel: undefined, atClusterTime: undefined }

/** Throws for an invalid concern, and for one that a standalone server refuses. */
function readConcernOf(concern: Document, topology: Topology): ReadConcern {
  let level: string | undefined
  let atTime: ClusterTime | undefined
  const elements = new Elements(concern)
  while (elements.next()) {
    const name = elements.name()
    const value = elements.value()
    if (name === 'level') level = checkedLevel(value, topology)
    else if (name === 'afterClusterTime' || name === 'atClusterTime') {
      if (topology === 'standalone') {
        const text = `Cannot specify ${name} readConcern without replication enabled`
        throw fail('IllegalOperation', text)
      }
      const time = timeOf(name, value)
      if (name === 'atClusterTime') atTime = time
    } else if (name !== 'provenance') {
      throw fail('Location40415', `BSON field 'readConcern.${name}' is an unknown field.`)
    }
  }
  if (atTime !== undefined && level !== 'snapshot') {
    const text = 'atClusterTime field can be set only if level is equal to snapshot'
    throw fail('InvalidOptions', text)
  }
  return { readLevel: level, atClusterTime: atTime }
}

function timeOf(name: string, value: Value): ClusterTime {
  if (value.type !== bsonType.timestamp) {
    throw wrongType(`readConcern.${name}`, value, "type 'timestamp'")
  }
  const { increment, seconds } = timestampOf(value)
  if (increment !== 0 || seconds !== 0) return { seconds, increment }
  throw fail('InvalidOptions', `${name} cannot be a null timestamp`)
}

function checkedLevel(value: Value, topology: Topology): string {
  if (value.type !== bsonType.string) throw wrongType('readConcern.level', value, "type 'string'")
  const level = stringOf(value)
  if (!readLevels.has(level)) {
    const text = `Enumeration value '${level}' for field 'readConcern.level' is not a valid value.`
    throw fail('BadValue', text)
  }
  if (topology === 'standalone' && (level === 'linearizable' || level === 'snapshot')) {
    throw fail(
      'NotAReplicaSet',
      `node needs to be a replica set member to use readConcern: ${level}`,
    )
  }
  return level
}

export type UnmetConcern = 'UnsatisfiableWriteConcern' | 'UnknownReplWriteConcern'

/** Throws for an invalid concern, and for one that a standalone server refuses. */
function unmetConcern(concern: Document, topology: Topology): UnmetConcern | undefined {
  const elements = new Elements(concern)
  let unmet: UnmetConcern | undefined
  let journal = false
  let fsync = false
  while (elements.next()) {
    const name = elements.name()
    const value = elements.value()
    if (name === 'w') unmet = unmetMembers(value, topology)
    else if (name === 'j') journal = concernFlag(name, value)
    else if (name === 'fsync') fsync = concernFlag(name, value)
    else if (name === 'wtimeout') concernNumber(name, value)
    else if (name !== 'wOpTime' && name !== 'provenance' && name !== 'getLastError') {
      throw fail('FailedToParse', `unrecognized write concern field: ${name}`)
    }
  }
  if (journal && fsync) throw fail('FailedToParse', 'fsync and j options cannot be used together')
  return unmet
}

function unmetMembers(value: Value, topology: Topology): UnmetConcern | undefined {
  if (value.type === bsonType.string) {
    const mode = stringOf(value)
    if (mode === 'majority') return undefined
    if (topology === 'router') return 'UnknownReplWriteConcern'
    const where = 'when a host is not a member of a replica set'
    throw fail('BadValue', `cannot use non-majority 'w' mode ${mode} ${where}`)
  }
  if (!value.isNumber) {
    throw fail('FailedToParse', 'w has to be a number, string, or object')
  }
  const members = numberOf(value)
  if (!(members >= 0 && members <= writeMembersMax)) {
    const text = `w has to be a non-negative number and not greater than ${writeMembersMax}`
    throw fail('FailedToParse', text)
  }
  if (members <= 1) return undefined
  if (topology === 'router') return 'UnsatisfiableWriteConcern'
  throw fail('BadValue', "cannot use 'w' > 1 when a host is not replicated")
}

function concernFlag(name: string, value: Value): boolean {
  if (value.type === bsonType.bool) return value.bytes[value.start] === 1
  return concernNumber(name, value) !== 0
}

function concernNumber(name: string, value: Value): number {
  if (value.isNumber) return numberOf(value)
  throw notNumeric(name, value)
}

function notNumeric(name: string, value: Value): GatewayError {
  const text = `${name} must be numeric or a boolean value, not ${typeName(value.type)}`
  return fail('FailedToParse', text)
}
