// The views of one collection. The filter and the sort of its documents stay in the address, so a
// query can be explained and gone back to.

import type { CollectionPlace } from '../lib/collections/collection-place.js'
import { linkTo, route } from '../lib/route.js'

const views = [
  { name: 'documents', title: 'Documents' },
  { name: 'indexes', title: 'Indexes' },
  { name: 'schema', title: 'Schema' },
  { name: 'explain', title: 'Explain' },
  { name: 'access', title: 'Access' },
  { name: 'transfer', title: 'Import and export' },
] as const

export function CollectionTabs({ at }: { at: CollectionPlace }) {
  const { path, query } = route.value
  const current = path[2] ?? 'documents'
  const { name, database } = at
  const kept = { filter: query.get('filter') ?? '', sort: query.get('sort') ?? '', database }
  return (
    <nav class="tabs" aria-label="Views of the collection">
      {views.map((view) => (
        <a
          key={view.name}
          href={linkTo(
            ['collections', name, ...(view.name === 'documents' ? [] : [view.name])],
            kept,
          )}
          {...(view.name === current ? { 'aria-current': 'page' as const } : {})}
        >
          {view.title}
        </a>
      ))}
    </nav>
  )
}
