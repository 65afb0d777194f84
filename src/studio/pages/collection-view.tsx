// The views of a collection beside its documents, by the address. Their code comes when one of them
// is opened.

import { placeInAddress } from '../lib/collections/collection-place.js'
import { route } from '../lib/route.js'
import { AccessPage } from './access.js'
import { ExplainPage } from './explain.js'
import { IndexesPage } from './indexes.js'
import { SchemaPage } from './schema.js'
import { TransferPage } from './transfer.js'

export function CollectionView() {
  const [, name = '', view] = route.value.path
  const at = placeInAddress(name)
  const key = `${at.database} ${name}`
  if (view === 'access') return <AccessPage key={key} at={at} />
  if (view === 'indexes') return <IndexesPage key={key} at={at} />
  if (view === 'transfer') return <TransferPage key={key} at={at} />
  if (view === 'schema') return <SchemaPage key={key} at={at} />
  return <ExplainPage key={key} at={at} />
}
