// `sigil backup <file>`: takes a backup of the running Sigil over HTTP, as its operator. The file
// has its name only when it is whole, verified and on the disk.

import { existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fail, GatewayError, kindOf } from '../base/errors.js'
import type { BackupHead, BackupTail } from '../store/backup/backup-format.js'
import { BackupReader } from '../store/backup/backup-reader.js'
import { nodeFiles } from '../store/files.js'
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

/** Asks first: without an answer there is nothing to write, and nothing left behind. */
async function takeBackup(wanted: Wanted, signal: AbortSignal): Promise<BackupTail> {
  const body = wanted.rate === undefined ? {} : { rate: rateOf(wanted.rate) }
  const answer = await wanted.client.stream(path, JSON.stringify(body), signal)
  if (answer.status !== 200) {
    const { code, errmsg } = answer.body
    throw new GatewayError(kindOf(Number(code)), String(errmsg))
  }
  const part = `${wanted.file}.part`
  const handle = await openPart(part, wanted.force)
  try {
    const tail = await write(handle, answer.pieces)
    await handle.sync()
    await handle.close()
    requireAbsent(wanted)
    await rename(part, wanted.file)
    // The new name must survive a power cut as the bytes do.
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

async function openPart(part: string, force: boolean): Promise<FileHandle> {
  try {
    return await open(part, force ? 'w' : 'wx', 0o600)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST') {
      const why = 'another backup writes it, or one was killed'
      throw fail('OperationFailed', `${part} is there already: ${why}; --force replaces it`)
    }
    throw cannotWrite(error)
  }
}

/** Writes the pieces as they come, and verifies them on the way. */
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
