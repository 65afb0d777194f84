// The collections that the caller may read, with their figures. They come in one answer, so the
// filter by name is the page's own.

import { useSignal } from '@preact/signals'
import { askJson } from '../lib/api.js'
import { counted, day, figure, shortAddress, visible } from '../lib/format.js'
import { useLoad } from '../lib/load.js'
import { linkTo } from '../lib/route.js'
import { me } from '../lib/session.js'
import { LaterDialog } from '../widgets/later.js'
import { Empty, Failure, Loading } from '../widgets/states.js'

interface Summary {
  readonly name: string
  readonly documentCount: number
  readonly indexCount: number
  /** Seconds since 1970. */
  readonly createdAt: number
  readonly mode: string
  readonly ownerAddress: string | null
}

export function CollectionsPage() {
  const wanted = useSignal('')
  const isCreating = useSignal(false)
  const { loaded, reload } = useLoad(loadSummaries, [])
  const { value, error } = loaded.value
  const shown = (value ?? []).filter(({ name }) => name.includes(wanted.value))
  return (
    <>
      <div class="head">
        <h1>Collections</h1>
        <button
          type="button"
          onClick={() => {
            isCreating.value = true
          }}
        >
          Create a collection
        </button>
        <input
          type="search"
          aria-label="Filter collections by name"
          placeholder="Filter by name"
          data-shortcut="/"
          value={wanted.value}
          onInput={({ currentTarget }) => {
            wanted.value = currentTarget.value
          }}
        />
        <p class="faint" role="status">
          {value !== undefined &&
            `${figure(shown.length)} of ${counted(value.length, 'collection')}`}
        </p>
      </div>
      {isCreating.value && (
        <LaterDialog
          name="new collection"
          load={loadForm}
          close={() => {
            isCreating.value = false
          }}
        />
      )}
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value?.length === 0 && <NoCollections />}
      {shown.length > 0 && <Summaries rows={shown} />}
      {value !== undefined && value.length > 0 && shown.length === 0 && (
        <Empty>No collection has “{wanted.value}” in its name.</Empty>
      )}
    </>
  )
}

const loadForm = async () =>
  (await import('../widgets/collections/new-collection.js')).NewCollectionDialog

async function loadSummaries(signal: AbortSignal): Promise<readonly Summary[]> {
  const path = '/api/v1/collections'
  const { collections } = await askJson<{ collections: Summary[] }>('GET', path, undefined, {
    signal,
  })
  return collections.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

function NoCollections() {
  return (
    <Empty>
      <p>There are no collections yet that you may read.</p>
      <p>
        Create one, or load sample data on the page <a href={linkTo(['start'])}>Start</a>.
      </p>
    </Empty>
  )
}

function Summaries({ rows }: { rows: readonly Summary[] }) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" class="number">
              Documents
            </th>
            <th scope="col" class="number">
              Indexes
            </th>
            <th scope="col">Created</th>
            <th scope="col">Mode</th>
            <th scope="col">Owner</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                <a href={linkTo(['collections', row.name])}>{visible(row.name)}</a>
              </th>
              <td class="number">{figure(row.documentCount)}</td>
              <td class="number">{figure(row.indexCount)}</td>
              <td>{day(1_000 * row.createdAt)}</td>
              <td>{row.mode}</td>
              <td>{ownerOf(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** "You" comes from the server's word about the session, never from a name. */
function ownerOf({ ownerAddress }: Summary): string {
  if (ownerAddress === null) return 'operator'
  return ownerAddress === me.value?.address ? 'you' : shortAddress(ownerAddress)
}
