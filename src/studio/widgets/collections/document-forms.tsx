// An opened document as a row and, in a key-value database, as a key: beside its JSON, and read
// again when any client changes it.

import type { CollectionPlace } from '../../lib/collections/collection-place.js'
import { keyAt, type Row, rowOf } from '../../lib/collections/document-forms.js'
import { cellText, type Ejson } from '../../lib/ejson.js'
import { counted, figure, visible } from '../../lib/format.js'
import { columnsOf, type Word } from '../../lib/key-change.js'
import { type OpenKey, openKey } from '../../lib/key-value.js'
import { wordText } from '../../lib/keyspace.js'
import { useLoad } from '../../lib/load.js'
import { me } from '../../lib/session.js'
import { Scroll } from '../scroll.js'
import { Failure, Loading } from '../states.js'
import './document-forms.css'

/** What a pane shows of one value. */
const charsMax = 2_000

interface FormsProps {
  readonly at: CollectionPlace
  readonly id: Ejson
  /** Changes when a client has changed the collection. */
  readonly turn: number
}

export function DocumentForms({ at, id, turn }: FormsProps) {
  const { address = null, home = '' } = me.value ?? {}
  const place = keyAt(at, id, { space: home, isDefault: address === null })
  return (
    <div class="forms">
      <RowForm at={at} id={id} turn={turn} />
      {place !== undefined && <KeyForm database={place.database} name={place.key} turn={turn} />}
    </div>
  )
}

function RowForm({ at, id, turn }: FormsProps) {
  const { loaded, reload } = useLoad((signal) => rowOf(at, id, signal), [turn])
  const { value, error } = loaded.value
  return (
    <section aria-labelledby="row-form">
      <h3 id="row-form">Row</h3>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value !== undefined && <RowTable row={value} />}
    </section>
  )
}

function RowTable({ row: { statement, columns, values } }: { row: Row }) {
  if (values === undefined) return <p class="state">No row has this _id.</p>
  return (
    <>
      <p class="faint data">{visible(statement)}</p>
      <Scroll name="Columns of the row">
        <table>
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Type</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {columns.map(({ name, type }) => (
              <tr key={name}>
                <th scope="row">{visible(name)}</th>
                <td>{type}</td>
                <td>{sqlText(values[name])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  )
}

/** As psql shows a value: a document or an array as JSON. */
function sqlText(value: Ejson | undefined): string {
  if (value === undefined || value === null) return 'NULL'
  const short = cellText(value, charsMax)
  const isWhole = typeof value === 'object' && /^[{[]/.test(short)
  return visible(isWhole ? cellText(JSON.stringify(value), charsMax) : short)
}

interface KeyProps {
  readonly database: number
  readonly name: Word
  readonly turn: number
}

function KeyForm({ database, name, turn }: KeyProps) {
  const { loaded, reload } = useLoad((signal) => openKey(database, name, signal), [turn])
  const { value, error, isLoading } = loaded.value
  return (
    <section aria-labelledby="key-form">
      <h3 id="key-form">Key</h3>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && isLoading && <Loading />}
      {error === undefined && value === undefined && !isLoading && (
        <p class="state">The key has gone, or its type has no commands.</p>
      )}
      {value !== undefined && <KeyTable found={value} />}
    </section>
  )
}

function KeyTable({ found: { kind, length, ttlMs, members } }: { found: OpenKey }) {
  const expiry =
    ttlMs === undefined ? 'no expiry' : `expires in ${figure(Math.ceil(ttlMs / 1_000))} s`
  const size = kind === 'string' ? counted(length, 'byte') : counted(length, 'member')
  const part = kind !== 'string' && members.length < length
  return (
    <>
      <p class="faint">
        {kind}, {size}, {expiry}
        {part && `; the first ${figure(members.length)} are shown`}
      </p>
      <Scroll name="Members of the key">
        <table>
          <thead>
            <tr>
              {columnsOf[kind].map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {members.map(({ id, now }) => (
              <tr key={id}>
                {now.map((word, index) => (
                  <td key={index}>{visible(cellText(wordText(word), charsMax))}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  )
}
