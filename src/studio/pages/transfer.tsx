// Export of the documents that a filter matches, and import from a file or a text: with progress, a
// stop, and each failure by its line.

import { type Signal, useSignal } from '@preact/signals'
import type { CollectionPlace } from '../lib/collections/collection-place.js'
import { type Format, formats, linesOf } from '../lib/collections/lines.js'
import {
  exportAs,
  fileName,
  importCharsMax,
  importLines,
  type Progress,
  saveAs,
} from '../lib/collections/transfer.js'
import { counted, figure, visible } from '../lib/format.js'
import { route } from '../lib/route.js'
import { CollectionTabs } from '../widgets/collection-tabs.js'
import { DataField } from '../widgets/data-field.js'
import { useAction } from '../widgets/dialog.js'
import { Form, Problem } from '../widgets/form.js'
import { Scroll } from '../widgets/scroll.js'
import './access.css'
import './transfer.css'

const bytesPerMegabyte = 1_000_000

export function TransferPage({ at }: { at: CollectionPlace }) {
  return (
    <>
      <div class="head">
        <h1>{visible(at.name)}</h1>
      </div>
      <CollectionTabs at={at} />
      <Export at={at} />
      <Import at={at} />
    </>
  )
}

function Export({ at }: { at: CollectionPlace }) {
  const filter = useSignal(route.value.query.get('filter') ?? '')
  const format = useSignal<Format>('NDJSON')
  const told = useSignal('')
  const ending = useSignal<AbortController | undefined>(undefined)
  const { problem, isBusy, start } = useAction(
    async () => {
      const stopping = new AbortController()
      ending.value = stopping
      told.value = 'Reading…'
      const wishes = { format: format.value, filter: filter.value.trim() }
      const blob = await exportAs(at, wishes, {
        signal: stopping.signal,
        told: (bytes) => {
          told.value = `${(bytes / bytesPerMegabyte).toFixed(1)} MB read`
        },
      }).catch((error: unknown) => {
        told.value = ''
        throw stopping.signal.aborted ? new Error('Stopped: nothing was saved.') : error
      })
      saveAs(blob, fileName(at.name, wishes.format))
      return blob.size
    },
    (size) => {
      told.value = `Saved ${fileName(at.name, format.value)}, ${figure(size)} bytes.`
    },
  )
  return (
    <section aria-labelledby="export">
      <h2 id="export">Export</h2>
      <Form class="row" send={start}>
        <DataField label="Filter (empty: all documents)" typed={filter} shortcut="/" />
        <FormatChoice label="Form of the export" format={format} />
        <button type="submit" class="main" disabled={isBusy.value}>
          Export
        </button>
        {isBusy.value && (
          <button type="button" onClick={() => ending.value?.abort()}>
            Stop
          </button>
        )}
        <p class="told faint" role="status">
          {told.value}
        </p>
        <Problem text={problem.value} />
      </Form>
      <p class="faint">
        NDJSON keeps every type. JSON is for readers. CSV quotes every cell, and puts an apostrophe
        before what a spreadsheet would take for a formula.
      </p>
    </section>
  )
}

function FormatChoice({ label, format }: { label: string; format: Signal<Format> }) {
  return (
    <label>
      {label}
      <select
        value={format.value}
        onChange={({ currentTarget }) => {
          format.value = formats.find((one) => one === currentTarget.value) ?? 'NDJSON'
        }}
      >
        {formats.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  )
}

interface Import {
  /** Documents in the text. */
  readonly total: number
  readonly progress: Progress
  readonly state: 'running' | 'done' | 'ended'
}

const nothing: Progress = { sent: 0, inserted: 0, replaced: 0, failed: 0, failures: [] }

function Import({ at }: { at: CollectionPlace }) {
  const file = useSignal<File | undefined>(undefined)
  const pasted = useSignal('')
  const format = useSignal<Format>('NDJSON')
  const mode = useSignal<'insert' | 'upsert'>('insert')
  const typed = useSignal(true)
  const shown = useSignal<Import | undefined>(undefined)
  const ending = useSignal<AbortController | undefined>(undefined)
  const { problem, isBusy, start } = useAction(
    async () => {
      const stopping = new AbortController()
      ending.value = stopping
      shown.value = undefined
      // All of it is read before anything is written.
      const text = await textOf(file.value, pasted.value)
      const lines = [...linesOf(format.value, text, typed.value)]
      const { length: total } = lines
      if (total === 0) throw new Error('There are no documents in it.')
      shown.value = { total, progress: nothing, state: 'running' }
      const told = (progress: Progress) => {
        shown.value = { total, progress, state: 'running' }
      }
      const wishes = { lines, mode: mode.value }
      await importLines(at, wishes, { told, signal: stopping.signal }).catch((error: unknown) => {
        shown.value = { ...(shown.peek() ?? { total, progress: nothing }), state: 'ended' }
        if (!stopping.signal.aborted) throw error
        throw new Error('Stopped. What was under way may have been written too.')
      })
    },
    () => {
      const { value } = shown
      if (value !== undefined) shown.value = { ...value, state: 'done' }
    },
  )
  return (
    <section aria-labelledby="import">
      <h2 id="import">Import</h2>
      <Form class="row" send={start}>
        <Source file={file} pasted={pasted} format={format} />
        <FormatChoice label="Form of the import" format={format} />
        <Options format={format.value} mode={mode} typed={typed} />
        <button type="submit" class="main" disabled={isBusy.value}>
          Import
        </button>
        {isBusy.value && (
          <button type="button" onClick={() => ending.value?.abort()}>
            Stop
          </button>
        )}
        <Problem text={problem.value} />
      </Form>
      {shown.value !== undefined && <Outcome of={shown.value} />}
    </section>
  )
}

interface OptionsProps {
  readonly format: Format
  readonly mode: Signal<'insert' | 'upsert'>
  readonly typed: Signal<boolean>
}

function Options({ format, mode, typed }: OptionsProps) {
  return (
    <>
      <label>
        Documents whose _id is there
        <select
          value={mode.value}
          onChange={({ currentTarget }) => {
            mode.value = currentTarget.value === 'upsert' ? 'upsert' : 'insert'
          }}
        >
          <option value="insert">stay: the line fails</option>
          <option value="upsert">are replaced</option>
        </select>
      </label>
      {format === 'CSV' && (
        <label class="check">
          <input
            type="checkbox"
            checked={typed.value}
            onChange={({ currentTarget }) => {
              typed.value = currentTarget.checked
            }}
          />
          Read numbers, true, false, null and JSON
        </label>
      )}
    </>
  )
}

async function textOf(file: File | undefined, pasted: string): Promise<string> {
  if (file === undefined) return pasted
  if (file.size <= importCharsMax) return file.text()
  throw new Error('The file is larger than 64 MB: send it with curl, as docs/http.md shows.')
}

interface SourceProps {
  readonly file: Signal<File | undefined>
  readonly pasted: Signal<string>
  readonly format: Signal<Format>
}

function Source({ file, pasted, format }: SourceProps) {
  return (
    <>
      <label>
        A file
        <input
          type="file"
          accept=".ndjson,.jsonl,.json,.csv"
          onChange={({ currentTarget }) => {
            const [given] = currentTarget.files ?? []
            file.value = given
            const [, ending = ''] = /\.(\w+)$/.exec(given?.name ?? '') ?? []
            const known = formats.find((one) => one.toLowerCase() === ending.toLowerCase())
            if (given !== undefined) format.value = known ?? 'NDJSON'
          }}
        />
      </label>
      {file.value === undefined && (
        <label class="wide">
          Or a text
          <textarea
            class="data"
            rows={6}
            spellcheck={false}
            value={pasted.value}
            onInput={({ currentTarget }) => {
              pasted.value = currentTarget.value
            }}
          />
        </label>
      )}
    </>
  )
}

function Outcome({ of: { total, progress, state } }: { of: Import }) {
  const { sent, inserted, replaced, failed, failures } = progress
  return (
    <>
      <progress aria-label="Documents sent" max={total} value={sent} />
      <p role="status">
        {state === 'done' ? 'Done: ' : `${figure(sent)} of `}
        {counted(total, 'document')}
        {state === 'ended' && ' were answered for'}
        {`. ${figure(inserted)} inserted, ${figure(replaced)} replaced, ${figure(failed)} failed.`}
      </p>
      {failed > 0 && <Failures failed={failed} failures={failures} />}
    </>
  )
}

function Failures({ failed, failures }: Pick<Progress, 'failed' | 'failures'>) {
  return (
    <>
      {failures.length < failed && (
        <p class="problem">
          The first {figure(failures.length)} of {figure(failed)} failures are listed.
        </p>
      )}
      <Scroll name="Lines that failed">
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">
                Line
              </th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {failures.map(({ line, text }, index) => (
              <tr key={index}>
                <th scope="row" class="number">
                  {line}
                </th>
                <td>{visible(text)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  )
}
