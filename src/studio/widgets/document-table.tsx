// Documents as rows: a column for each field that the first of them have, at most as many as a
// reader can compare.

import { cellText, type Ejson, type EjsonObject } from '../lib/ejson.js'
import { visible } from '../lib/format.js'

const columnsMax = 12

interface DocumentTableProps {
  readonly documents: readonly EjsonObject[]
  readonly open: (id: Ejson) => void
  readonly duplicate: (id: Ejson) => void
  readonly remove: (id: Ejson) => void
}

export function DocumentTable({ documents, open, duplicate, remove }: DocumentTableProps) {
  const names = [...new Set(documents.flatMap((one) => Object.keys(one)))]
  const fields = names.filter((name) => name !== '_id')
  const shown = fields.slice(0, columnsMax)
  return (
    <>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">_id</th>
              {shown.map((name) => (
                <th key={name} scope="col">
                  {visible(name)}
                </th>
              ))}
              <th scope="col">Actions</th>
            </tr>
          </thead>
          <tbody>
            {documents.map((document) => {
              const id = document._id ?? null
              const label = visible(cellText(id, 32))
              return (
                <tr key={JSON.stringify(id)}>
                  <th scope="row">
                    <button type="button" class="quiet data" onClick={() => open(id)}>
                      {label}
                    </button>
                  </th>
                  {shown.map((name) => (
                    <td key={name}>{visible(cellText(document[name]))}</td>
                  ))}
                  <td class="commands">
                    <button
                      type="button"
                      aria-label={`Duplicate ${label}`}
                      onClick={() => duplicate(id)}
                    >
                      Duplicate
                    </button>
                    <button
                      type="button"
                      class="bad"
                      aria-label={`Delete ${label}`}
                      onClick={() => remove(id)}
                    >
                      Delete
                    </button>
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {fields.length > columnsMax && (
        <p class="faint">
          {columnsMax} of {fields.length} fields are shown. Open a document for all of them.
        </p>
      )}
    </>
  )
}
