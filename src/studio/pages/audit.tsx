// The audit: sign-ins, and acts on keys, privacy, roles and the server, newest first. It may have
// 200,000 entries, so it comes in pages.

import { useSignal } from '@preact/signals'
import { listDocuments } from '../lib/collections/documents.js'
import { cellText, type EjsonObject, isObject } from '../lib/ejson.js'
import { visible } from '../lib/format.js'
import { useLoad } from '../lib/load.js'
import { me } from '../lib/session.js'
import { DataField } from '../widgets/data-field.js'
import { Form } from '../widgets/form.js'
import { Scroll } from '../widgets/scroll.js'
import { Empty, Failure, Loading } from '../widgets/states.js'
import './administration.css'

const limit = 50

export function AuditView() {
  if (me.value?.administrator === true) return <Entries />
  return (
    <Empty>
      The operator and administrators (ADMIN_ADDRESSES) read the audit. It has an entry for each
      sign-in, and for each act on a key, a mode, a role or the server.
    </Empty>
  )
}

function Entries() {
  const act = useSignal('')
  const wanted = useSignal('')
  const cursors = useSignal<readonly string[]>([''])
  const cursor = cursors.value.at(-1) ?? ''
  const { loaded, reload } = useLoad(
    (signal) => {
      const filter = wanted.value === '' ? '' : JSON.stringify({ act: wanted.value })
      return listDocuments(
        { name: '_audit', database: '' },
        { filter, sort: '-_id', limit, cursor },
        signal,
      )
    },
    [wanted.value, cursor],
  )
  const { value, error } = loaded.value
  return (
    <section aria-label="Audit">
      <Form
        class="filter"
        send={() => {
          cursors.value = ['']
          wanted.value = act.value.trim()
        }}
      >
        <DataField label="Act" typed={act} placeholder="signIn" shortcut="/" />
        <button type="submit" class="main">
          Find
        </button>
      </Form>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value?.documents.length === 0 && <Empty>The audit has no such entry.</Empty>}
      {value !== undefined && value.documents.length > 0 && <EntryTable rows={value.documents} />}
      {value !== undefined && (
        <nav class="pages" aria-label="Pages of the audit">
          <button
            type="button"
            disabled={cursors.value.length === 1}
            onClick={() => {
              cursors.value = cursors.value.slice(0, -1)
            }}
          >
            Newer
          </button>
          <button
            type="button"
            disabled={value.cursor === null}
            onClick={() => {
              if (value.cursor !== null) cursors.value = [...cursors.value, value.cursor]
            }}
          >
            Older
          </button>
          <p class="faint" role="status">
            Page {cursors.value.length}, {value.cursor === null ? 'the last one' : 'more follow'}
          </p>
        </nav>
      )}
    </section>
  )
}

function EntryTable({ rows }: { rows: readonly EjsonObject[] }) {
  return (
    <Scroll name="Entries">
      <table>
        <thead>
          <tr>
            <th scope="col">When (UTC)</th>
            <th scope="col">Act</th>
            <th scope="col">By</th>
            <th scope="col">From</th>
            <th scope="col">On</th>
            <th scope="col">Details</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ _id, at, act, by, protocol, peer, ns, details }) => (
            <tr key={JSON.stringify(_id)}>
              <td>{cellText(at).slice(0, 19).replace('T', ' ')}</td>
              <th scope="row">{visible(cellText(act))}</th>
              <td>{visible(callerText(by))}</td>
              <td>{visible(`${cellText(protocol)} ${cellText(peer)}`)}</td>
              <td>{visible(cellText(ns))}</td>
              <td class="details">{visible(detailText(details))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

/** A wallet's address, the name of a service user with its database, or who else has acted. */
function callerText(by: EjsonObject[string] | undefined): string {
  if (!isObject(by)) return ''
  const { kind, address, user, db } = by
  if (address !== undefined) return cellText(address)
  return user === undefined ? cellText(kind) : `${cellText(user)} (${cellText(db)})`
}

function detailText(details: EjsonObject[string] | undefined): string {
  if (!isObject(details)) return ''
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${cellText(value)}`)
    .join(', ')
}
