// The views of a collection beside its documents, by the address. Their code comes when one of them
// is opened.

import { route } from '../lib/route.js'
import { ExplainPage } from './explain.js'
import { IndexesPage } from './indexes.js'
import { SchemaPage } from './schema.js'

export function CollectionView() {
  const [, name = '', view] = route.value.path
  if (view === 'indexes') return <IndexesPage key={name} name={name} />
  if (view === 'schema') return <SchemaPage key={name} name={name} />
  return <ExplainPage key={name} name={name} />
}
