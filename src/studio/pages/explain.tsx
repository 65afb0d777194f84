// How the query of the documents page finds its documents: the plan as a tree, with the counts of a
// run.

import { useSignal } from '@preact/signals'
import type { CollectionPlace } from '../lib/collections/collection-place.js'
import { explainFind } from '../lib/collections/inspection.js'
import { type PlanStage, planTotals, planTree, readsAll } from '../lib/collections/plan.js'
import { visible } from '../lib/format.js'
import { useLoad } from '../lib/load.js'
import { linkTo, route } from '../lib/route.js'
import { CollectionTabs } from '../widgets/collection-tabs.js'
import { DataField } from '../widgets/data-field.js'
import { FilterField } from '../widgets/filter-field.js'
import { Form } from '../widgets/form.js'
import { Empty, Failure, Loading } from '../widgets/states.js'

export function ExplainPage({ at }: { at: CollectionPlace }) {
  const { name } = at
  const { query } = route.value
  const [filter, sort] = [query.get('filter') ?? '', query.get('sort') ?? '']
  const { loaded, reload } = useLoad(
    (signal) => explainFind(at, { filter, sort }, signal),
    [name, filter, sort],
  )
  const { value, error } = loaded.value
  const tree = value === undefined ? undefined : planTree(value)
  return (
    <>
      <div class="head">
        <h1>{visible(name)}</h1>
        <p class="faint" role="status">
          {value !== undefined && planTotals(value)}
        </p>
      </div>
      <CollectionTabs at={at} />
      <QueryForm key={`${filter} ${sort}`} at={at} given={{ filter, sort }} />
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value !== undefined && tree === undefined && (
        <Empty>The server shows no plan of this query.</Empty>
      )}
      {tree !== undefined && (
        <section aria-label="Plan">
          {filter !== '' && readsAll(tree) && (
            <p class="problem">No index serves the filter: all documents are read.</p>
          )}
          <ul class="plan">
            <Stage stage={tree} />
          </ul>
        </section>
      )}
    </>
  )
}

function Stage({ stage: { name, facts, inputs } }: { stage: PlanStage }) {
  return (
    <li>
      <strong>{name}</strong> {visible(facts.join(', '))}
      {inputs.length > 0 && (
        <ul>
          {inputs.map((input, index) => (
            <Stage key={index} stage={input} />
          ))}
        </ul>
      )}
    </li>
  )
}

interface FormProps {
  readonly at: CollectionPlace
  readonly given: { readonly filter: string; readonly sort: string }
}

function QueryForm({ at, given }: FormProps) {
  const filter = useSignal(given.filter)
  const sort = useSignal(given.sort)
  return (
    <Form
      class="filter"
      send={() => {
        const { name, database } = at
        const query = { filter: filter.value.trim(), sort: sort.value.trim(), database }
        location.hash = linkTo(['collections', name, 'explain'], query)
      }}
    >
      <FilterField at={at} text={filter} />
      <DataField label="Sort" typed={sort} />
      <button type="submit" class="main">
        Explain
      </button>
    </Form>
  )
}
