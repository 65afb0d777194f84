// What hello says about the server's place in a deployment: standalone, router, or the only member
// of a replica set. It never changes while the process runs, so an awaited hello answers when its
// time is over, or earlier if the server shuts down.
// (specification of the drivers, "Server Discovery and Monitoring")

import { fail } from '../../../base/errors.js'
import { helloAwaitMsMax, helloStreamMsMin } from '../../../base/limits/documents.js'
import type { Call } from '../../../bus/document/call.js'
import { anyValue, optional } from '../../../bus/document/params.js'
import type { Args } from '../../../bus/document/schema.js'
import { Watch } from '../../../engine/awaiting.js'
import { field } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import {
  bsonType,
  documentOf,
  objectIdValue,
  stringValue,
  type Value,
} from '../../../value/value.js'
import type { DocumentWriter } from '../../../value/writer.js'

export const topologyParams = {
  topologyVersion: optional(anyValue),
  maxAwaitTimeMS: optional(anyValue),
  loadBalanced: optional(anyValue),
} as const

type TopologyCall = Call<Args<typeof topologyParams>, unknown>

const setPrefix = 'replica-set:'

/** The time to wait before the reply, milliseconds; 0 if the client knows less than the reply. */
export function helloWaitMs(call: TopologyCall): number {
  const { topologyVersion, maxAwaitTimeMS } = call.args
  if (topologyVersion === undefined && maxAwaitTimeMS === undefined) return 0
  if (topologyVersion === undefined) {
    const text = "A request with 'maxAwaitTimeMS' must include a 'topologyVersion'"
    throw fail('Location31368', text)
  }
  if (maxAwaitTimeMS === undefined) {
    const text = "A request with a 'topologyVersion' must include 'maxAwaitTimeMS'"
    throw fail('Location31368', text)
  }
  const ms = maxAwaitTimeMS.isNumber ? numberOf(maxAwaitTimeMS) : Number.NaN
  if (!(ms >= 0)) throw fail('Location31373', 'maxAwaitTimeMS must be a non-negative integer')
  const repeats = (call.request.stream?.replies ?? 0) > 0
  if (!repeats && !isCurrent(call, topologyVersion)) return 0
  return Math.min(helloAwaitMsMax, repeats ? Math.max(ms, helloStreamMsMin) : ms)
}

function isCurrent({ services }: TopologyCall, given: Value): boolean {
  if (given.type !== bsonType.object) {
    throw fail('TypeMismatch', "BSON field 'topologyVersion' must be an object")
  }
  const known = documentOf(given)
  const counter = field(known, 'counter')
  if (counter?.isNumber === true && numberOf(counter) < 0) {
    throw fail('Location31372', 'topologyVersion must have a non-negative counter')
  }
  const id = field(known, 'processId')
  const own = services.processId
  if (own === undefined || id?.type !== bsonType.objectId || counter === undefined) return false
  return Buffer.compare(id.payload(), own) === 0 && counter.isNumber && numberOf(counter) === 0
}

/** Waits until the time is over, the server shuts down, or the client disconnects. */
export function awaitHello(call: TopologyCall, ms: number): Promise<void> {
  const { clock } = call.services
  const beganMs = clock.elapsed()
  const watch = new Watch(() => undefined)
  const forget = call.whenDisturbed(() => watch.wake())
  return watch.changed(ms).then(() => {
    forget()
    call.waitedMs += clock.elapsed() - beganMs
    if (call.isKilled) call.check()
  })
}

/** Another reply follows if the client accepts it. */
export function continueHello({ request, args, isHurried }: TopologyCall): void {
  const { stream } = request
  if (stream === undefined || args.maxAwaitTimeMS === undefined) return
  stream.continues = !isHurried
}

export function writeTopology(writer: DocumentWriter, call: TopologyCall): void {
  const { processId, topology = 'standalone', places } = call.services
  if (topology === 'router') writer.string('msg', 'isdbgrid')
  else if (topology !== 'standalone') {
    writeMember(writer, topology.slice(setPrefix.length), places?.().wire ?? '')
  }
  if (processId === undefined) return
  const id = objectIdValue(processId)
  writer.openDocument('topologyVersion').value('processId', id).int64('counter', 0).close()
  const { loadBalanced } = call.args
  if (loadBalanced?.type === bsonType.bool && loadBalanced.bytes[loadBalanced.start] === 1) {
    writer.value('serviceId', id)
  }
}

/** The only member is always the primary. */
function writeMember(writer: DocumentWriter, name: string, address: string): void {
  writer.string('setName', name).int32('setVersion', 1).bool('secondary', false)
  writer.openArray('hosts').push(stringValue(address)).close()
  writer.string('primary', address).string('me', address)
}
