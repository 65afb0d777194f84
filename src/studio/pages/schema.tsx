// The fields of a collection, counted in a random sample: what it does not show may still be in
// other documents, and the page says so.

import type { CollectionPlace } from '../lib/collections/collection-place.js'
import { type Schema, schemaOf } from '../lib/collections/inspection.js'
import { counted, figure, visible } from '../lib/format.js'
import { useLoad } from '../lib/load.js'
import { CollectionTabs } from '../widgets/collection-tabs.js'
import { Scroll } from '../widgets/scroll.js'
import { Empty, Failure, Loading } from '../widgets/states.js'
import { Validator } from './validator.js'

export function SchemaPage({ at }: { at: CollectionPlace }) {
  const { name } = at
  const { loaded, reload } = useLoad((signal) => schemaOf(at, signal), [name])
  const { value, error } = loaded.value
  return (
    <>
      <div class="head">
        <h1>{visible(name)}</h1>
        <button type="button" onClick={reload}>
          Sample again
        </button>
        <p class="faint" role="status">
          {value !== undefined && told(value)}
        </p>
      </div>
      <CollectionTabs at={at} />
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value?.fields.length === 0 && <Empty>The collection has no documents.</Empty>}
      {value !== undefined && value.fields.length > 0 && <Fields schema={value} />}
      <Validator at={at} />
    </>
  )
}

function told({ sampled, fields, truncated }: Schema): string {
  const more = truncated ? ', and there are more' : ''
  const sample = `a random sample of ${counted(sampled, 'document')}`
  return `${counted(fields.length, 'field')} in ${sample}${more}`
}

function Fields({ schema: { sampled, fields } }: { schema: Schema }) {
  return (
    <Scroll name="Fields">
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col" class="number">
              Documents
            </th>
            <th scope="col">Types</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(({ path, count, types }) => (
            <tr key={path}>
              <th scope="row">{visible(path)}</th>
              <td class="number">
                {figure(count)} ({Math.round((100 * count) / sampled)} %)
              </td>
              <td>
                {Object.entries(types)
                  .map(([type, times]) => `${type} ${figure(times)}`)
                  .join(', ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
