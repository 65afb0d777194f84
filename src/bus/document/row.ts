// A document command as a row of data: its name, arguments, resources with privileges, grain, and
// documentation. The dispatcher, the authorization test, listCommands and the reference pages all
// read the same rows.

import { assert } from '../../base/errors.js'
import type { Resource } from '../../engine/types.js'
import type { AuditDetails } from '../../identity/audit.js'
import type { Awaitable, Program } from '../../store/store.js'
import type { Sweep } from '../../store/sweep.js'
import { Elements } from '../../value/elements.js'
import type { Document, Value } from '../../value/value.js'
import { checkFacts } from '../policy/facts.js'
import type { Message } from '../session.js'
import type { Call } from './call.js'
import type { CommandReadTx, CommandTx } from './command-tx.js'
import { type GenericArgs, genericFields, genericSchema, noGeneric } from './generic.js'
import type { DocumentFacts } from './row-facts.js'
import { type Args, type Field, type Fields, type Reading, Schema } from './schema.js'

type Handler<F extends Fields, T> =
  | { readonly grain: 'local'; readonly run: (call: Call<Args<F>, T>) => Document }
  | {
      readonly grain: 'read'
      readonly run: (tx: CommandReadTx, call: Call<Args<F>, T>) => Program<Document>
      /** Replaces `run` for calls that also write; undefined for other calls. */
      readonly writing?: (call: Call<Args<F>, T>) => Sweep<Document> | undefined
      /** Replaces `run` for calls that wait for writes of other clients. */
      readonly waiting?: (call: Call<Args<F>, T>) => Promise<Document> | undefined
    }
  | {
      readonly grain: 'point'
      readonly run: (tx: CommandTx, call: Call<Args<F>, T>) => Program<Document>
    }
  | { readonly grain: 'sweep'; readonly run: (call: Call<Args<F>, T>) => Sweep<Document> }
  | { readonly grain: 'task'; readonly run: (call: Call<Args<F>, T>) => Awaitable<Document> }

type RowDefinition<F extends Fields, T> = DocumentFacts &
  Handler<F, T> & {
    /** The value beside the command's own name: usually the collection. */
    readonly target: Field<T>
    readonly params: F
    /** Fields outside the schema are ignored, which the handshake needs. */
    readonly ignoresUnknown?: boolean
    /** Every collection that the command may reach; the guard refuses all others. */
    readonly resources?: (call: Call<Args<F>, T>) => readonly Resource[]
    /**
     * For audited commands: the details beside the command's name and collection. Evaluated after
     * the command has done its work.
     */
    readonly audit?: (call: Call<Args<F>, T>) => AuditDetails
  }

export interface Parsed {
  readonly args: unknown
  readonly target: unknown
  readonly generic: GenericArgs
}

/** A row without its type parameters, as the table keeps it and the bus runs it. */
export interface DocumentRow extends DocumentFacts {
  readonly paramNames: readonly string[]
  readonly parse: (request: Message) => Parsed
  readonly resources: (call: AnyCall) => readonly Resource[]
  readonly audit: ((call: AnyCall) => AuditDetails) | undefined
  readonly runLocal: (call: AnyCall) => Awaitable<Document>
  readonly runRead: (tx: CommandReadTx, call: AnyCall) => Program<Document>
  readonly runWriting?: (call: AnyCall) => Sweep<Document> | undefined
  readonly runWaiting?: (call: AnyCall) => Promise<Document> | undefined
  readonly runPoint: (tx: CommandTx, call: AnyCall) => Program<Document>
  readonly runSweep: (call: AnyCall) => Sweep<Document>
}

export type AnyCall = Call<unknown, unknown>

/** Checks a definition and binds its schema. An invalid row throws here, at start. */
export function documentRow<F extends Fields, T>(definition: RowDefinition<F, T>): DocumentRow {
  checkDefinition(definition)
  const { name, params, target, ignoresUnknown = false } = definition
  const schema = new Schema(name, params)
  const readTarget = target.bind(`${name}.${name}`)
  // The one cast from AnyCall: `parse` made the call that `run` now receives.
  const typed = (call: AnyCall) => call as Call<Args<F>, T>
  const { resources, audit } = definition
  return {
    ...definition,
    paramNames: schema.names,
    parse: (request) => parseCommand(request, { schema, readTarget, ignoresUnknown }),
    resources: resources === undefined ? () => [] : (call) => resources(typed(call)),
    audit: audit === undefined ? undefined : (call) => audit(typed(call)),
    ...runners(definition, typed),
  }
}

type Runners = Pick<
  DocumentRow,
  'runLocal' | 'runRead' | 'runWriting' | 'runWaiting' | 'runPoint' | 'runSweep'
>

function runners<F extends Fields, T>(
  handler: Handler<F, T>,
  typed: (call: AnyCall) => Call<Args<F>, T>,
): Runners {
  const wrong = (): never => {
    throw new Error(`a handler of grain ${handler.grain} was run as another`)
  }
  const none: Runners = { runLocal: wrong, runRead: wrong, runPoint: wrong, runSweep: wrong }
  switch (handler.grain) {
    case 'local':
    case 'task':
      return { ...none, runLocal: (call) => handler.run(typed(call)) }
    case 'read': {
      const { writing, waiting } = handler
      const read = {
        ...none,
        runRead: (tx: CommandReadTx, call: AnyCall) => handler.run(tx, typed(call)),
      }
      return {
        ...read,
        ...(writing === undefined ? {} : { runWriting: (call: AnyCall) => writing(typed(call)) }),
        ...(waiting === undefined ? {} : { runWaiting: (call: AnyCall) => waiting(typed(call)) }),
      }
    }
    case 'point':
      return { ...none, runPoint: (tx, call) => handler.run(tx, typed(call)) }
    case 'sweep':
      return { ...none, runSweep: (call) => handler.run(typed(call)) }
  }
}

/** Whether its read program can run again: a cursor that continues has gone on in the first run. */
export function runsAgain({ snapshots }: DocumentRow): boolean {
  return snapshots !== 'continues'
}

/** How a command is parsed: its fields, and the value beside its name. */
interface CommandSyntax<F extends Fields, T> {
  readonly schema: Schema<F>
  readonly readTarget: (value: Value) => T
  readonly ignoresUnknown: boolean
}

/**
 * Parses and checks the arguments of a request. Throws 40413 to 40415, 14 and the errors of the
 * fields.
 */
export function parseCommand<F extends Fields, T>(
  { body, sequences }: Pick<Message, 'body' | 'sequences'>,
  { schema, readTarget, ignoresUnknown }: CommandSyntax<F, T>,
): { readonly args: Args<F>; readonly target: T; readonly generic: GenericArgs } {
  const reading = schema.begin()
  let generic: Reading<typeof genericFields> | undefined
  const elements = new Elements(body)
  elements.next()
  const target = readTarget(elements.value())
  while (elements.next()) {
    if (reading.take(body, elements)) continue
    generic ??= genericSchema.begin()
    if (generic.take(body, elements)) continue
    if (!ignoresUnknown) throw schema.unknown(elements.name())
  }
  for (const [name, documents] of sequences) {
    if (!reading.takeSequence(name, documents) && !ignoresUnknown) throw schema.unknown(name)
  }
  return { args: reading.finish(), target, generic: generic?.finish() ?? noGeneric }
}

function checkDefinition<F extends Fields, T>(definition: RowDefinition<F, T>): void {
  const { name, aliases = [], params, secrets = [], help, grain, access } = definition
  for (const text of [name, ...aliases]) {
    assert(/^[a-zA-Z]+$/.test(text), `command name ${text}`)
    assert(!(text in genericFields), `command ${text} is named like a generic field`)
  }
  assert(help.endsWith('.'), `${name}: help is one sentence`)
  for (const field of Object.keys(params)) {
    assert(field !== name && !aliases.includes(field), `${name}: a field named like the command`)
    assert(!(field in genericFields), `${name}.${field} is a generic field`)
  }
  for (const secret of secrets) assert(secret in params, `${name}: secret ${secret} is no field`)
  checkFacts(definition)
  const writes = grain === 'point' || grain === 'sweep'
  assert(!(access === 'anonymous' && writes), `${name}: it writes without sign-in`)
  const isRead = grain === 'read' || grain === 'sweep'
  assert(definition.audit === undefined || !isRead, `${name}: an act that only reads`)
}
