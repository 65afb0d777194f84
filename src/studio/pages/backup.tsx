// A backup as a download: how much of it has come, whether it is whole, and where it broke off. The
// browser holds it until it is saved, so the command line is better for large stores.

import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { ask } from '../lib/api.js'
import { BackupFile } from '../lib/backup-file.js'
import { figure } from '../lib/format.js'
import { isOperator } from '../lib/session.js'
import { Empty, Failure } from '../widgets/states.js'

interface Progress {
  readonly bytes: number
  readonly pairs: number
  readonly pairsTaken: number
  /** An address of the whole file. */
  readonly url?: string
}

export function BackupView() {
  if (isOperator()) return <Backup />
  return (
    <Empty>
      Only the operator makes backups, since they hold the data of all. A wallet can export its
      collections.
    </Empty>
  )
}

function Backup() {
  const progress = useSignal<Progress | undefined>(undefined)
  const problem = useSignal<Error | undefined>(undefined)
  const running = useRef<AbortController | undefined>(undefined)
  const isBusy = useSignal(false)
  const start = () => {
    const ending = new AbortController()
    running.current = ending
    if (progress.value?.url !== undefined) URL.revokeObjectURL(progress.value.url)
    progress.value = undefined
    problem.value = undefined
    isBusy.value = true
    download(ending.signal, (next) => {
      progress.value = next
    })
      .catch((error: Error) => {
        progress.value = undefined
        problem.value = ending.signal.aborted ? undefined : error
      })
      .finally(() => {
        isBusy.value = false
      })
  }
  const { value } = progress
  return (
    <section aria-label="Backup">
      <p class="faint">
        One file with all data, as of one moment, while the server works on. It holds no keys and no
        sessions. Large stores are better saved by <code>sigil backup</code>;{' '}
        <code>sigil restore</code> reads the file.
      </p>
      <div class="actions">
        <button type="button" class="main" disabled={isBusy.value} onClick={start}>
          Make a backup
        </button>
        <button type="button" disabled={!isBusy.value} onClick={() => running.current?.abort()}>
          Stop
        </button>
      </div>
      {problem.value !== undefined && <Failure error={problem.value} />}
      {value !== undefined && (
        <>
          <p>
            <progress max={Math.max(1, value.pairs)} value={value.pairsTaken} aria-label="Backup" />
          </p>
          <p role="status">
            {figure(value.pairsTaken)} of {figure(value.pairs)} records, {sizeText(value.bytes)}
          </p>
        </>
      )}
      {value?.url !== undefined && (
        <p>
          <a href={value.url} download="sigil.backup">
            Save the backup
          </a>{' '}
          It is whole. Store it where only you can read it.
        </p>
      )}
    </section>
  )
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000
    ? `${figure(Math.ceil(bytes / 1_000))} kB`
    : `${figure(Math.ceil(bytes / 1_000_000))} MB`
}

async function download(signal: AbortSignal, told: (progress: Progress) => void): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const { body } = await ask('POST', '/api/v1/backup', { body: '{}', headers, signal })
  const file = new BackupFile()
  const parts: Blob[] = []
  const reader = body?.getReader()
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
    if (done || value === undefined) break
    file.take(value)
    // A Blob, which the browser may keep on disk.
    parts.push(new Blob([value as Uint8Array<ArrayBuffer>]))
    const { bytes, pairs, pairsTaken } = file
    told({ bytes, pairs, pairsTaken })
  }
  const { bytes, pairs, pairsTaken, failure, isWhole } = file
  if (failure !== '') throw new Error(`The backup failed: ${failure}`)
  if (!isWhole) throw new Error('The backup broke off: it is not whole, and is not saved.')
  told({ bytes, pairs, pairsTaken, url: URL.createObjectURL(new Blob(parts)) })
}
