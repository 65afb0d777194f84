// The documents of a collection: a page of them by filter and sort, which stays as it is while a
// document is edited, and follows the changes of all clients.

import { type Signal, useSignal } from '@preact/signals'
import type { CollectionPlace } from '../lib/collections/collection-place.js'
import {
  countDocuments,
  type DocumentPage,
  deleteDocument,
  type Listing,
  listDocuments,
  openDocument,
} from '../lib/collections/documents.js'
import { type Ejson, type EjsonObject, editable } from '../lib/ejson.js'
import { counted, visible } from '../lib/format.js'
import { namespaceOf, useLive } from '../lib/live/live.js'
import { useLoad } from '../lib/load.js'
import { linkTo, route } from '../lib/route.js'
import { CollectionTabs } from '../widgets/collection-tabs.js'
import { DocumentEditor, type Editing } from '../widgets/collections/document-editor.js'
import { DataField } from '../widgets/data-field.js'
import { DocumentTable } from '../widgets/document-table.js'
import { FilterField } from '../widgets/filter-field.js'
import { Form } from '../widgets/form.js'
import { ShowAs } from '../widgets/show-as.js'
import { Empty, Failure, LiveSign, Loading } from '../widgets/states.js'

const pageSizes = [25, 50, 100] as const
/** A cell shows less than that. */
const maxValueBytes = 256
/** How long a deletion waits for the user's second thought. */
const undoMs = 6_000

interface Deletion {
  readonly id: Ejson
  readonly undo: () => void
}

export function DocumentsPage({ at }: { at: CollectionPlace }) {
  const { name } = at
  const { query } = route.value
  const [filter, sort] = [query.get('filter') ?? '', query.get('sort') ?? '']
  const limit = pageSizes.find((size) => String(size) === query.get('limit')) ?? pageSizes[0]
  // The cursors of the pages before this one and of this one.
  const cursors = useSignal<readonly string[]>([''])
  const cursor = cursors.value.at(-1) ?? ''
  const { loaded, reload } = useLoad(
    async (signal) => {
      const listing: Listing = { filter, sort, limit, cursor, maxValueBytes }
      const page = await listDocuments(at, listing, signal)
      return { ...page, count: await countDocuments(at, filter, signal) }
    },
    [name, filter, sort, limit, cursor],
  )
  const turn = useSignal(0)
  const isLive = useLive(namespaceOf(at.database, name), () => {
    turn.value++
    reload()
  })
  const editing = useSignal<Editing | undefined>(undefined)
  const problem = useSignal<Error | undefined>(undefined)
  const deletions = useSignal<readonly Deletion[]>([])
  const actions = documentActions(at, { editing, problem, deletions, reload })
  const { value, error } = loaded.value
  const hidden = new Set(deletions.value.map(({ id }) => JSON.stringify(id)))
  const rows = (value?.documents ?? []).filter(({ _id }) => !hidden.has(JSON.stringify(_id)))
  return (
    <>
      <Head at={at} isLive={isLive.value} insert={actions.insert} />
      <CollectionTabs at={at} />
      <FilterBar
        key={`${filter} ${sort}`}
        at={at}
        given={{ filter, sort, limit }}
        cursors={cursors}
      />
      <ShowAs
        queries={[
          {
            title: 'Find',
            query: { kind: 'find', collection: name, filter, sort, limit, fields: '' },
          },
        ]}
      />
      {problem.value !== undefined && <Failure error={problem.value} />}
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value !== undefined && rows.length === 0 && <NoDocuments filter={filter} />}
      {rows.length > 0 && <DocumentTable documents={rows} {...actions} />}
      {value !== undefined && <Pages page={value} cursors={cursors} />}
      <Undo deletions={deletions} />
      {editing.value !== undefined && (
        <DocumentEditor
          key={editing.value.opening}
          at={at}
          editing={editing}
          turn={turn.value}
          reload={reload}
          open={actions.open}
        />
      )}
    </>
  )
}

interface HeadProps {
  readonly at: CollectionPlace
  readonly isLive: boolean
  readonly insert: (text: string) => void
}

function Head({ at, isLive, insert }: HeadProps) {
  return (
    <div class="head">
      <h1>{visible(at.name)}</h1>
      <LiveSign isLive={isLive} />
      <button type="button" onClick={() => insert('{\n  \n}')}>
        Insert
      </button>
    </div>
  )
}

interface ActionParts {
  readonly editing: Signal<Editing | undefined>
  readonly problem: Signal<Error | undefined>
  readonly deletions: Signal<readonly Deletion[]>
  readonly reload: () => void
}

function documentActions(
  at: CollectionPlace,
  { editing, problem, deletions, reload }: ActionParts,
) {
  const opening = () => (editing.peek()?.opening ?? 0) + 1
  const failed = (error: Error) => {
    problem.value = error
  }
  const insert = (text: string) => {
    problem.value = undefined
    editing.value = { opening: opening(), title: 'New document', text }
  }
  const open = (id: Ejson) => {
    problem.value = undefined
    openDocument(at, id, new AbortController().signal).then(({ text, tag }) => {
      const stored = { id, tag }
      editing.value = { opening: opening(), title: 'Document', text: editable(text), stored }
    }, failed)
  }
  // The table has its values cut, so the whole document is read.
  const duplicate = (id: Ejson) => {
    openDocument(at, id, new AbortController().signal).then(({ text }) => {
      const { _id, ...rest } = JSON.parse(text) as EjsonObject
      insert(editable(JSON.stringify(rest)))
    }, failed)
  }
  const remove = (id: Ejson) => {
    const forget = () => {
      deletions.value = deletions.value.filter((one) => one.id !== id)
    }
    const timer = setTimeout(() => {
      deleteDocument(at, id).then(reload, failed).finally(forget)
    }, undoMs)
    const undo = () => {
      clearTimeout(timer)
      forget()
    }
    deletions.value = [...deletions.value, { id, undo }]
  }
  return { insert, open, duplicate, remove }
}

interface FilterBarProps {
  readonly at: CollectionPlace
  readonly given: Pick<Listing, 'filter' | 'sort' | 'limit'>
  readonly cursors: Signal<readonly string[]>
}

function FilterBar({ at, given, cursors }: FilterBarProps) {
  const filter = useSignal(given.filter)
  const sort = useSignal(given.sort)
  const apply = (limit: number) => {
    cursors.value = ['']
    const { name, database } = at
    const query = { filter: filter.value.trim(), sort: sort.value.trim(), limit: String(limit) }
    location.hash = linkTo(['collections', name], { ...query, database })
  }
  return (
    <Form class="filter" send={() => apply(given.limit)}>
      <FilterField at={at} text={filter} />
      <DataField label="Sort" typed={sort} placeholder="-year,title" />
      <label>
        A page
        <select
          value={String(given.limit)}
          onChange={({ currentTarget }) => apply(Number(currentTarget.value))}
        >
          {pageSizes.map((size) => (
            <option key={size}>{size}</option>
          ))}
        </select>
      </label>
      <button type="submit" class="main">
        Find
      </button>
    </Form>
  )
}

function NoDocuments({ filter }: { filter: string }) {
  return (
    <Empty>
      {filter === '' ? 'The collection has no documents.' : 'No document matches the filter.'}
    </Empty>
  )
}

interface PagesProps {
  readonly page: DocumentPage & { readonly count: number }
  readonly cursors: Signal<readonly string[]>
}

function Pages({ page, cursors }: PagesProps) {
  const { documents, cursor, count } = page
  return (
    <nav class="pages" aria-label="Pages of documents">
      <button
        type="button"
        disabled={cursors.value.length === 1}
        onClick={() => {
          cursors.value = cursors.value.slice(0, -1)
        }}
      >
        Back
      </button>
      <button
        type="button"
        disabled={cursor === null}
        onClick={() => {
          if (cursor !== null) cursors.value = [...cursors.value, cursor]
        }}
      >
        Next
      </button>
      <p class="faint" role="status">
        Page {cursors.value.length}: {documents.length} of {counted(count, 'document')}
      </p>
    </nav>
  )
}

function Undo({ deletions }: { deletions: Signal<readonly Deletion[]> }) {
  return (
    <div class="toasts" role="status">
      {deletions.value.map(({ id, undo }) => (
        <p key={JSON.stringify(id)}>
          The document will be deleted in {undoMs / 1_000} s.{' '}
          <button type="button" onClick={undo}>
            Undo
          </button>
        </p>
      ))}
    </div>
  )
}
