// The fail points of the document wire, so that drivers can be tested. They exist only with
// TEST_COMMANDS=1. `failCommand` makes named commands fail, wait or lose their connection: the bus
// applies it after parsing and authorizing a command, before its work. An `ErrorPoint` makes one
// step inside a command fail.
// (wiki of the MongoDB server, "The failCommand fail point")

import { setTimeout as wait } from 'node:timers/promises'
import { fail, kindOf } from '../../base/errors.js'
import type { Resource } from '../../engine/types.js'
import type { Awaitable } from '../../store/store.js'
import { Elements, elementsOf, field } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { boolOf, bsonType, type Document, stringOf, type Value } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import type { Session } from '../session.js'
import type { DocumentFacts } from './row-facts.js'

/** A blocking fail point checks this often whether its call must end, milliseconds. */
const failPointWaitStepMs = 50

/** When an armed fail point takes effect. */
export type FailPointMode =
  | { readonly kind: 'off' | 'alwaysOn' }
  | { readonly kind: 'times' | 'skip'; readonly count: number }
  | { readonly kind: 'activationProbability'; readonly probability: number }

/** What it does to a command; read once from `data`. */
interface Effect {
  readonly commands: ReadonlySet<string>
  readonly isForAll: boolean
  readonly appName: string | undefined
  readonly namespace: string | undefined
  readonly closesConnection: boolean
  readonly blockMs: number | undefined
  readonly errorCode: number | undefined
  readonly errorExtra: Readonly<Record<string, unknown>>
  readonly writeConcernError: Value | undefined
}

/** What the fail point reads of a row. */
type FailingRow = Pick<DocumentFacts, 'name' | 'aliases' | 'neverFails'>

interface FailingCall {
  readonly session: Session
  readonly db: string
  readonly resources: readonly Resource[]
  /** Throws if the call must end. */
  check(): void
}

interface FailPointOptions {
  /** A number from 0 up to 1. */
  readonly chance: () => number
  /** Waits; uses a timer of the process by default. */
  readonly sleep?: (ms: number) => Promise<unknown>
}

class Armed {
  protected effect: Effect | undefined
  private mode: FailPointMode = { kind: 'off' }
  private timesLeft = 0
  private entered = 0

  constructor(protected readonly options: FailPointOptions) {}

  /** Arms or disarms; returns how often it took effect so far. Throws InvalidOptions. */
  configure(mode: FailPointMode, data: Document | undefined): number {
    const effect = mode.kind === 'off' ? undefined : effectOf(data)
    this.mode = mode
    this.effect = effect
    this.timesLeft = 'count' in mode ? mode.count : 0
    return this.entered
  }

  protected takesEffect(): boolean {
    const { mode } = this
    switch (mode.kind) {
      case 'off':
        return false
      case 'alwaysOn':
        break
      case 'times':
        if (this.timesLeft === 0) return false
        this.timesLeft--
        break
      case 'skip':
        if (this.timesLeft > 0) {
          this.timesLeft--
          return false
        }
        break
      case 'activationProbability':
        if (this.options.chance() >= mode.probability) return false
    }
    this.entered++
    return true
  }
}

class ErrorPoint extends Armed {
  /** Throws the configured error where it takes effect. */
  check(): void {
    const { errorCode, errorExtra } = this.effect ?? {}
    if (errorCode === undefined || !this.takesEffect()) return
    throw fail(kindOf(errorCode), 'Failing command via a failpoint', errorExtra)
  }
}

export class FailPoint extends Armed {
  /** `failGetMoreAfterCursorCheckout`. */
  readonly inGetMore = new ErrorPoint(this.options)

  /** Runs a command, or applies the fail point to it. */
  run(row: FailingRow, call: FailingCall, perform: () => Awaitable<Document>): Awaitable<Document> {
    const { effect } = this
    if (effect === undefined || !isMeant(effect, row, call) || !this.takesEffect()) {
      return perform()
    }
    const { blockMs } = effect
    if (effect.closesConnection) {
      call.session.hangUp?.()
      throw fail('Location50985', failingText)
    }
    return blockMs === undefined
      ? performWith(effect, perform)
      : this.blocked(blockMs, call).then(() => performWith(effect, perform))
  }

  /** Waits in steps, so that a killed call or a disconnected client ends it early. */
  private async blocked(ms: number, call: FailingCall): Promise<void> {
    const { sleep = wait } = this.options
    for (let left = ms; left > 0; left -= failPointWaitStepMs) {
      await sleep(Math.min(left, failPointWaitStepMs))
      call.check()
    }
  }
}

const failingText = "Failing command via 'failCommand' failpoint"

/** With writeConcernError alone, the command still does its work. */
function performWith(effect: Effect, perform: () => Awaitable<Document>): Awaitable<Document> {
  const { errorCode, errorExtra, writeConcernError } = effect
  if (errorCode !== undefined) throw fail(kindOf(errorCode), failingText, errorExtra)
  const reply = perform()
  if (writeConcernError === undefined) return reply
  const labelled = (done: Document) => withWriteConcernError(done, writeConcernError, errorExtra)
  return reply instanceof Promise ? reply.then(labelled) : labelled(reply)
}

function withWriteConcernError(
  reply: Document,
  error: Value,
  extra: Readonly<Record<string, unknown>>,
): Document {
  const { errorLabels } = extra
  return writeDocument((writer) => {
    const elements = new Elements(reply)
    while (elements.next()) {
      const name = elements.name()
      if (name !== 'ok') writer.value(name, elements.value())
    }
    writer.value('writeConcernError', error)
    if (errorLabels !== undefined) writer.value('errorLabels', errorLabels as Value)
    writer.double('ok', 1)
  })
}

function isMeant(effect: Effect, row: FailingRow, call: FailingCall): boolean {
  if (row.neverFails || call.session.protocol !== 'wire') return false
  const { commands, appName, namespace } = effect
  if (appName !== undefined && appName !== applicationOf(call)) return false
  if (namespace !== undefined && namespace !== namespaceOf(call)) return false
  if (effect.isForAll || commands.has(row.name)) return true
  return row.aliases?.some((alias) => commands.has(alias)) ?? false
}

function applicationOf({ session }: FailingCall): string | undefined {
  const { clientMetadata: metadata } = session
  const application = metadata === undefined ? undefined : field(metadata, 'application')
  if (application?.type !== bsonType.object) return undefined
  const name = field(application.payload(), 'name')
  return name?.type === bsonType.string ? stringOf(name) : undefined
}

function namespaceOf({ resources, db }: FailingCall): string {
  return `${resources[0]?.db ?? db}.${resources[0]?.collection ?? '$cmd'}`
}

/** Parses `data`; copies what it keeps, because the message buffer is reused. */
function effectOf(data: Document | undefined): Effect {
  const given = data?.slice() ?? writeDocument(() => {})
  const errorCode = field(given, 'errorCode')
  const labels = field(given, 'errorLabels')
  const extraInfo = field(given, 'errorExtraInfo')
  const hasLabels = labels?.type === bsonType.array
  const writeConcernError = field(given, 'writeConcernError')
  return {
    commands: new Set(namesIn(field(given, 'failCommands'))),
    isForAll: isTrue(field(given, 'failAllCommands')),
    appName: textOf(field(given, 'appName')),
    namespace: textOf(field(given, 'namespace')),
    closesConnection: isTrue(field(given, 'closeConnection')),
    blockMs: isTrue(field(given, 'blockConnection')) ? blockMsOf(given) : undefined,
    errorCode: errorCode?.isNumber === true ? codeOf(errorCode) : undefined,
    errorExtra: {
      ...(extraInfo?.type === bsonType.object ? fieldsIn(extraInfo) : {}),
      ...(hasLabels ? { errorLabels: labels } : {}),
    },
    writeConcernError: writeConcernError?.type === bsonType.object ? writeConcernError : undefined,
  }
}

function blockMsOf(data: Document): number {
  const ms = field(data, 'blockTimeMS')
  if (ms?.isNumber !== true) {
    const text = "must specify 'blockTimeMS' when 'blockConnection' is true"
    throw fail('InvalidOptions', text)
  }
  const whole = Math.trunc(numberOf(ms))
  if (whole >= 0) return whole
  throw fail('InvalidOptions', "'blockTimeMS' must be non-negative")
}

/** Code 0 would mean success. */
function codeOf(value: Value): number | undefined {
  const code = Math.trunc(numberOf(value))
  if (code === 0) return undefined
  if (code > 0 && code < 2 ** 31) return code
  throw fail('BadValue', `errorCode ${code} is no code of an error`)
}

function fieldsIn(document: Value): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  const elements = new Elements(document.payload())
  while (elements.next()) fields[elements.name()] = elements.value()
  return fields
}

function namesIn(list: Value | undefined): string[] {
  if (list?.type !== bsonType.array) return []
  return elementsOf(list).flatMap((name) => (name.type === bsonType.string ? stringOf(name) : []))
}

function textOf(value: Value | undefined): string | undefined {
  return value?.type === bsonType.string ? stringOf(value) : undefined
}

function isTrue(value: Value | undefined): boolean {
  if (value?.isNumber === true) return numberOf(value) !== 0
  return value?.type === bsonType.bool && boolOf(value)
}
