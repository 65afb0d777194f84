// The backup route: streams the file to the operator's client. If the client disconnects, the
// backup ends at once; if it stops reading, after a time, because a backup pins a snapshot of the
// tables.

import type { ServerResponse } from 'node:http'
import { fail, GatewayError, toGatewayError } from '../../../base/errors.js'
import { backupRateMax, backupStallMs } from '../../../base/limits/store.js'
import { ownerName } from '../../../engine/check/owner-name.js'
import type { Audit, AuditEntry } from '../../../identity/audit.js'
import { secretRows } from '../../../identity/secret-rows.js'
import { encodeFailure } from '../../../store/backup/backup-format.js'
import { TablesDamaged } from '../../../store/backup/backup-thread.js'
import type { Backup, Store } from '../../../store/store.js'
import { interrupted } from '../core/body.js'
import { type HttpCall, wholeField } from '../core/call.js'
import type { RawCall, RawRoute } from '../core/route.js'

interface BackupRouteOptions {
  readonly store: Store
  /** Sigil's version, for the file. */
  readonly version: string
  /** Receives an entry for each started backup. */
  readonly audit?: Audit
  /** How long a client may stop reading, milliseconds. */
  readonly stallMs?: number
}

/** `POST /api/v1/backup`, `{rate: MB/s}`. */
export function backupRoute(options: BackupRouteOptions): RawRoute {
  return {
    method: 'POST',
    path: '/api/v1/backup',
    access: 'operator',
    answers: 'application/octet-stream',
    fields: { rate: 'whole' },
    send: (call, outgoing, headers) => answer(options, call, outgoing, headers),
  }
}

async function answer(
  { store, version, audit, stallMs = backupStallMs }: BackupRouteOptions,
  call: RawCall,
  outgoing: ServerResponse,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const bytesPerSecond = rateOf(call)
  const abort = new AbortController()
  outgoing.on('close', () => abort.abort())
  if (store.backup === undefined) throw fail('CommandNotSupported', 'the store has no backups')
  if (audit !== undefined) await audit.record(entryOf(call))
  const { signal } = abort
  const backup = await store.backup({ sigil: version, bytesPerSecond, signal, without: secretRows })
  outgoing.writeHead(200, { ...headers, 'content-type': 'application/octet-stream' })
  try {
    await send(backup, outgoing, stallMs)
    outgoing.end()
  } catch (thrown) {
    if (outgoing.destroyed) return
    // The status line was sent: the last section has the error.
    outgoing.end(encodeFailure(await named(thrown, store)))
  }
}

function entryOf({ session: { identity, remoteAddress } }: RawCall): AuditEntry {
  return { act: 'backup', identity, protocol: 'http', remoteAddress }
}

function rateOf({ fields }: HttpCall): number | undefined {
  const rate = wholeField(fields, 'rate')
  if (rate === undefined) return undefined
  if (rate >= 1 && rate <= backupRateMax) return rate * 1_000_000
  throw fail('BadValue', `field 'rate' must be 1 to ${backupRateMax} MB/s`)
}

async function send(backup: Backup, outgoing: ServerResponse, stallMs: number): Promise<void> {
  for await (const section of backup) {
    if (outgoing.destroyed) return
    if (!outgoing.write(section)) await taken(outgoing, stallMs)
  }
}

/** Resolves when the client has read the written bytes; rejects if it disconnects or stalls. */
function taken(outgoing: ServerResponse, stallMs: number): Promise<void> {
  if (outgoing.destroyed) return Promise.reject(interrupted())
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => outgoing.destroy(), stallMs)
    const drained = () => {
      off()
      resolve()
    }
    const closed = () => {
      off()
      reject(interrupted())
    }
    const off = () => {
      clearTimeout(timer)
      outgoing.off('drain', drained).off('close', closed)
    }
    outgoing.on('drain', drained).on('close', closed)
  })
}

/** Adds the collection's name to an error about damage, if the name can still be read. */
async function named(thrown: unknown, store: Store): Promise<GatewayError> {
  const error = toGatewayError(thrown)
  if (!(error instanceof TablesDamaged) || error.damage.id === 0) return error
  try {
    const owner = await store.read((tx) => ownerName(tx, error.damage.id))
    if (owner === undefined) return error
    return new GatewayError(error.kind, `${error.message}, in ${owner}`)
  } catch {
    return error
  }
}
