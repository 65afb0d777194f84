// The keys of a key-value database as a tree by prefix. They are read in pieces, and as long as
// pieces follow, the page says so: a partial list never looks whole.

import { type Signal, useSignal } from '@preact/signals'
import { counted, figure, visible } from '../lib/format.js'
import type { Kind, Word } from '../lib/key-change.js'
import {
  type Facts,
  factsOf,
  keyText,
  type Level,
  levelOf,
  runCommand,
  type Scanned,
  scanKeys,
  wordText,
} from '../lib/keyspace.js'
import { useLoad } from '../lib/load.js'
import { linkTo, route } from '../lib/route.js'
import { me } from '../lib/session.js'
import { DataField } from '../widgets/data-field.js'
import { Form } from '../widgets/form.js'
import { KeyEditor } from '../widgets/key-editor.js'
import { KeyMakerForm } from '../widgets/new-key.js'
import { RowPages, rowsMax, startOf } from '../widgets/row-pages.js'
import { Empty, Failure, Loading } from '../widgets/states.js'

const databases = Array.from({ length: 16 }, (_, index) => index)
/** Keys of the first request, and of each further one. */
const firstCount = 1_000
const moreCount = 10_000

/** What is open beside the list. */
type Opened =
  | { readonly what: 'new' }
  | { readonly what: 'key'; readonly key: Word; readonly kind?: Kind }

export function KeysPage() {
  const { query } = route.value
  const database = databases.find((one) => String(one) === query.get('db')) ?? 0
  const prefix = query.get('prefix') ?? ''
  return <KeysBelow key={`${database} ${prefix}`} database={database} prefix={prefix} />
}

interface BelowProps {
  readonly database: number
  readonly prefix: string
}

function KeysBelow({ database, prefix }: BelowProps) {
  const opened = useSignal<Opened | undefined>(undefined)
  const further = useSignal<readonly Scanned[]>([])
  const problem = useSignal<Error | undefined>(undefined)
  const { loaded, reload } = useLoad(
    async (signal) => {
      const wanted = { prefix, cursor: '0', count: firstCount }
      const [size, scanned] = await Promise.all([
        runCommand(database, ['DBSIZE'], { signal }),
        scanKeys(database, wanted, signal),
      ])
      further.value = []
      return { size: Number(size), scanned }
    },
    [database, prefix],
  )
  const { value, error } = loaded.value
  const pieces = value === undefined ? [] : [value.scanned, ...further.value]
  const keys = pieces.flatMap((piece) => piece.keys)
  const cursor = pieces.at(-1)?.cursor ?? '0'
  const position = { database, prefix, cursor }
  const more = () => {
    problem.value = undefined
    scanKeys(database, { prefix, cursor, count: moreCount }).then(
      (piece) => {
        further.value = [...further.value, piece]
      },
      (failed: Error) => {
        problem.value = failed
      },
    )
  }
  const close = () => {
    opened.value = undefined
    reload()
  }
  return (
    <>
      <div class="head">
        <h1>Keys</h1>
        <button
          type="button"
          onClick={() => {
            opened.value = { what: 'new' }
          }}
        >
          Add a key
        </button>
      </div>
      <PlaceBar database={database} prefix={prefix} />
      {problem.value !== undefined && <Failure error={problem.value} />}
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value !== undefined && (
        <>
          <Progress count={keys.length} size={value.size} {...position} more={more} />
          <Rows level={levelOf(keys, prefix)} {...position} opened={opened} turn={value} />
        </>
      )}
      <OpenedKey database={database} prefix={prefix} opened={opened} close={close} />
    </>
  )
}

interface ProgressProps {
  readonly count: number
  readonly size: number
  readonly prefix: string
  readonly cursor: string
  readonly more: () => void
}

/** How much of the database, or of the prefix, the list is. */
function Progress({ count, size, prefix, cursor, more }: ProgressProps) {
  const isPartial = cursor !== '0'
  const whole = prefix === '' ? `of ${counted(size, 'key')}` : `keys of ${counted(size, 'key')}`
  return (
    <div class="head">
      <p class="faint" role="status">
        {isPartial
          ? `${figure(count)} ${whole} are read, more follow`
          : `${counted(count, 'key')}${prefix === '' ? '' : ' with this prefix'}`}
      </p>
      {isPartial && (
        <button type="button" onClick={more}>
          Read more keys
        </button>
      )}
    </div>
  )
}

function PlaceBar({ database, prefix }: BelowProps) {
  const typed = useSignal(prefix)
  const go = (db: string) => {
    location.hash = linkTo(['keys'], { db, prefix: typed.value })
  }
  const parts = prefix.split(/(?<=:)/)
  return (
    <>
      <Form class="filter" send={() => go(String(database))}>
        <DataField label="Begins with" typed={typed} shortcut="/" />
        <label>
          Database
          <select
            value={String(database)}
            onChange={({ currentTarget }) => go(currentTarget.value)}
          >
            {databases.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <button type="submit" class="main">
          Find
        </button>
      </Form>
      {prefix !== '' && (
        <nav class="crumbs" aria-label="Prefix">
          <a href={linkTo(['keys'], { db: String(database) })}>All keys</a>
          {parts.map((part, index) => {
            const whole = parts.slice(0, index + 1).join('')
            const link = linkTo(['keys'], { db: String(database), prefix: whole })
            return (
              <a key={whole} href={link}>
                {visible(part)}
              </a>
            )
          })}
        </nav>
      )}
    </>
  )
}

interface RowsProps {
  readonly level: Level
  readonly database: number
  readonly prefix: string
  readonly cursor: string
  readonly opened: Signal<Opened | undefined>
  /** Another one after each reload. */
  readonly turn: unknown
}

function Rows({ level: { folders, keys }, database, prefix, cursor, opened, turn }: RowsProps) {
  const from = useSignal(0)
  const count = folders.length + keys.length
  const start = startOf(from, count)
  const shownFolders = folders.slice(start, start + rowsMax)
  const first = Math.max(0, start - folders.length)
  const shown = keys.slice(first, first + rowsMax - shownFolders.length)
  const home = me.value?.home ?? ''
  const { loaded } = useLoad(
    async (signal) => (shown.length === 0 ? new Map() : factsOf({ database, home }, shown, signal)),
    [turn, shown.map(keyText).join(' ')],
  )
  if (count === 0) return <NoKeys prefix={prefix} isPartial={cursor !== '0'} />
  const { value: facts, error } = loaded.value
  return (
    <>
      {error !== undefined && <Failure error={error} />}
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Type</th>
              <th scope="col">Expires in</th>
              <th scope="col" class="number">
                Size
              </th>
            </tr>
          </thead>
          <tbody>
            {shownFolders.map((folder) => (
              <tr key={folder.prefix}>
                <th scope="row">
                  <a href={linkTo(['keys'], { db: String(database), prefix: folder.prefix })}>
                    {visible(folder.prefix.slice(prefix.length))}
                  </a>
                </th>
                <td>prefix</td>
                <td />
                <td class="number">
                  {counted(folder.count, 'key')}
                  {cursor !== '0' && ' or more'}
                </td>
              </tr>
            ))}
            {shown.map((key) => (
              <KeyRow
                key={keyText(key)}
                of={key}
                prefix={prefix}
                facts={facts?.get(keyText(key))}
                open={() => {
                  opened.value = { what: 'key', key }
                }}
              />
            ))}
          </tbody>
        </table>
      </div>
      <RowPages name="keys" from={from} count={count} />
    </>
  )
}

interface KeyRowProps {
  readonly of: Word
  readonly prefix: string
  /** Not known yet, or the key has gone. */
  readonly facts: Facts | undefined
  readonly open: () => void
}

function KeyRow({ of, prefix, facts, open }: KeyRowProps) {
  const name = typeof of === 'string' ? of.slice(prefix.length) : wordText(of)
  return (
    <tr>
      <th scope="row">
        <button
          type="button"
          class="quiet data"
          aria-label={visible(wordText(of))}
          title={visible(wordText(of))}
          onClick={open}
        >
          {visible(name === '' ? wordText(of) : name).slice(0, 80)}
        </button>
      </th>
      <td>{facts?.type ?? '…'}</td>
      <td>{facts === undefined ? '…' : remaining(facts.expiresAt)}</td>
      <td class="number">{facts === undefined ? '…' : sizeOf(facts)}</td>
    </tr>
  )
}

function remaining(expiresAt: number | undefined): string {
  if (expiresAt === undefined) return 'never'
  const seconds = (expiresAt - performance.timeOrigin - performance.now()) / 1_000
  return `${figure(Math.max(0, Math.round(seconds)))} s`
}

function sizeOf({ size, members }: Facts): string {
  return members === undefined ? `${figure(size)} B` : counted(members, 'member')
}

function NoKeys({ prefix, isPartial }: { prefix: string; isPartial: boolean }) {
  if (isPartial) return <Empty>None of the keys read so far begins with “{visible(prefix)}”.</Empty>
  if (prefix !== '') return <Empty>No key begins with “{visible(prefix)}”.</Empty>
  return (
    <Empty>
      <p>This database has no keys. From a terminal:</p>
      <pre>redis-cli SET greeting hello</pre>
    </Empty>
  )
}

interface OpenedProps extends BelowProps {
  readonly opened: Signal<Opened | undefined>
  readonly close: () => void
}

function OpenedKey({ database, prefix, opened, close }: OpenedProps) {
  const { value } = opened
  if (value === undefined) return null
  if (value.what === 'new') {
    const make = (key: string, kind: Kind) => {
      opened.value = { what: 'key', key, kind }
    }
    return <KeyMakerForm prefix={prefix} make={make} close={close} />
  }
  const { key, kind } = value
  const made = kind === undefined ? {} : { made: kind }
  return <KeyEditor key={keyText(key)} database={database} name={key} {...made} close={close} />
}
