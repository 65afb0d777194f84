// `sigil backup <file>`: takes a backup of the running Sigil over HTTP, as its operator. The file
// gets its name only when it is complete, verified and synced.

import { existsSync } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { systemClock } from '../base/clock.js'
import { fail, GatewayError, kindOf } from '../base/errors.js'
import type { BackupHead, BackupTail } from '../store/backup/backup-format.js'
import { BackupReader } from '../store/backup/backup-reader.js'
import { errorCode, nodeFiles } from '../store/files.js'
import { type Client, openClient } from './client.js'
import { openProgress, type Progress, sizeText } from './progress.js'

const path = '/api/v1/backup'

interface Given {
  readonly url: string
  readonly rate?: string
  readonly force: boolean
}

interface Wanted {
  readonly client: Client
  readonly file: string
  readonly rate: string | undefined
  readonly force: boolean
}

/** Returns the exit code. */
export async function runBackup(name: string, given: Given): Promise<number> {
  const { url, rate, force } = given
  const wanted: Wanted = { client: openClient(url), file: resolve(name), rate, force }
  requireAbsent(wanted)
  const interruption = new AbortController()
  const interrupt = () => interruption.abort()
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    const { pairs, bytes } = await takeBackup(wanted, interruption.signal)
    process.stdout.write(`${pairs} entries, ${sizeText(bytes)}, written to ${name}\n`)
    return 0
  } finally {
    interruption.abort()
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

function requireAbsent({ file, force }: Wanted): void {
  if (force || !existsSync(file)) return
  throw fail('OperationFailed', `${file} is there already; --force replaces it`)
}

/** Requests first: if the server refuses, no file is created. */
async function takeBackup(wanted: Wanted, signal: AbortSignal): Promise<BackupTail> {
  const body = wanted.rate === undefined ? {} : { rate: rateOf(wanted.rate) }
  const answer = await wanted.client.stream(path, JSON.stringify(body), signal)
  if (answer.status !== 200) {
    const { code, errmsg } = answer.body
    throw new GatewayError(kindOf(Number(code)), String(errmsg))
  }
  await removeLeft(wanted)
  const part = `${wanted.file}.${hostname()}-${process.pid}.part`
  const handle = await openPart(part)
  try {
    const tail = await write(handle, answer.pieces)
    await handle.sync()
    await handle.close()
    requireAbsent(wanted)
    await rename(part, wanted.file)
    // The new name must survive a power cut, too.
    await nodeFiles.syncFolder(dirname(wanted.file))
    return tail
  } catch (error) {
    await handle.close()
    await rm(part, { force: true })
    if (signal.aborted) throw fail('Interrupted', 'the backup was interrupted')
    throw error
  }
}

function rateOf(text: string): number {
  const rate = Number(text)
  if (Number.isSafeInteger(rate)) return rate
  throw fail('BadValue', `--rate ${text}: not a whole number of MB/s`)
}

/** A client that has not written for this long has lost its backup, milliseconds. */
const partIdleMs = 120_000

/**
 * Removes files of killed clients beside the target. Throws if another client is running, unless
 * `force` is set: then that client fails.
 */
async function removeLeft({ file, force }: Wanted): Promise<void> {
  const folder = dirname(file)
  const names = await readdir(folder).catch((error: unknown) => Promise.reject(cannotWrite(error)))
  for (const name of names) {
    if (!name.startsWith(`${basename(file)}.`) || !name.endsWith('.part')) continue
    const part = join(folder, name)
    const owner = /\.([^/]+)-(\d+)\.part$/.exec(name.slice(basename(file).length))
    if (!force && !(await isLeft(part, owner?.[1], Number(owner?.[2])))) {
      const why = 'another backup writes it'
      throw fail('OperationFailed', `${part} is there already: ${why}; --force replaces it`)
    }
    await rm(part, { force: true })
  }
}

/** By its process, if it ran on this machine; else by its age. */
async function isLeft(part: string, host: string | undefined, pid: number): Promise<boolean> {
  const found = await stat(part).catch(() => undefined)
  if (found === undefined || systemClock.now() - found.mtimeMs > partIdleMs) return true
  return host === hostname() && !isAlive(pid)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

async function openPart(part: string): Promise<FileHandle> {
  try {
    return await open(part, 'w', 0o600)
  } catch (error) {
    throw cannotWrite(error)
  }
}

/** Writes the pieces as they arrive, and verifies them. */
async function write(handle: FileHandle, pieces: AsyncIterable<Uint8Array>): Promise<BackupTail> {
  let progress: Progress | undefined
  let bytes = 0
  const reader = new BackupReader({
    head: ({ pairs }: BackupHead) => {
      progress = openProgress(pairs, '{size}', { size: sizeText(0) })
    },
    progress: (pairs) => progress?.update(pairs, { size: sizeText(bytes) }),
  })
  try {
    for await (const piece of pieces) {
      bytes += piece.length
      reader.push(piece)
      await writeAll(handle, piece)
    }
    return reader.finish()
  } finally {
    progress?.stop()
  }
}

async function writeAll(handle: FileHandle, piece: Uint8Array): Promise<void> {
  try {
    for (let at = 0; at < piece.length; ) {
      const { bytesWritten } = await handle.write(piece, at)
      at += bytesWritten
    }
  } catch (error) {
    throw cannotWrite(error)
  }
}

function cannotWrite(error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error)
  return fail('OperationFailed', `cannot write the backup: ${reason}`)
}
