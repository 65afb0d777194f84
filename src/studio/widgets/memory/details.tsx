// The node that is open: a memory with its whole text, its source and its proof, or an entity, and
// the neighbours of either.

import type { ComponentChildren } from 'preact'
import { counted, shortAddress, visible, visibleLines } from '../../lib/format.js'
import { useLoad } from '../../lib/load.js'
import type {
  GraphView,
  MemoryNode,
  Neighbours,
  WholeEntity,
  WholeMemory,
} from '../../lib/memory/graph.js'
import { type GraphPlace, verifyMemory, wholeNode } from '../../lib/memory/routes.js'
import type { Verdict } from '../../lib/memory/verdict.js'
import { me } from '../../lib/session.js'
import { CopyButton } from '../copy-button.js'
import { OutsideAnchor } from '../outside-anchor.js'
import { Failure, Loading } from '../states.js'
import { timeOf, VerdictPart } from './badge.js'
import { labelOf } from './paint.js'

const neighboursMax = 100

interface DetailsProps {
  readonly place: GraphPlace
  readonly id: string
  readonly view: GraphView
  readonly neighbours: Neighbours
  readonly open: (id: string) => void
  /** Searches around an entity. */
  readonly search: (entity: string) => void
  readonly correct: (memory: WholeMemory) => void
  readonly forget: (memory: MemoryNode) => void
  readonly close: () => void
}

export function Details(props: DetailsProps) {
  const { id, view, neighbours, open, close } = props
  const node = view.nodes.get(id)
  if (node === undefined) return null
  const beside = neighbours.get(id) ?? []
  const shown = beside.slice(0, neighboursMax)
  return (
    <section
      class="details"
      aria-labelledby="details"
      onKeyDown={({ key }) => {
        if (key === 'Escape') close()
      }}
    >
      <div class="head">
        <h2 id="details" tabIndex={-1}>
          {node.type === 'memory' ? 'Memory' : 'Entity'}
        </h2>
        <code>{node.id}</code>
        <CopyButton name="the id" text={node.id} />
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
      <WholeNode {...props} />
      <h3>
        {counted(beside.length, 'edge')} in the picture
        {beside.length > shown.length && `, of which ${shown.length} are listed`}
      </h3>
      <ul class="edges">
        {shown.map(({ id: other, type, isAfter }) => {
          const neighbour = view.nodes.get(other)
          return (
            <li key={`${other} ${type} ${isAfter}`}>
              <span class="faint">
                {isAfter ? '→' : '←'} {visible(type)}
              </span>
              <button type="button" class="quiet" onClick={() => open(other)}>
                {neighbour === undefined ? other : labelOf(neighbour)}
              </button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** The picture has the beginnings of texts alone: the whole node is asked for, and its verdict. */
function WholeNode(props: DetailsProps) {
  const { place, id, view } = props
  const { loaded, reload } = useLoad((signal) => wholeNode(place, id, signal), [id, view])
  const isMemory = view.nodes.get(id)?.type === 'memory'
  const { loaded: checked } = useLoad(
    async (signal) => (isMemory ? verifyMemory(place, id, signal) : undefined),
    [id, view],
  )
  const { value: node, error, isLoading } = loaded.value
  if (error !== undefined) return <Failure error={error} retry={reload} />
  if (node === undefined) return isLoading ? <Loading /> : <p class="state">It is gone.</p>
  if (node.type === 'entity') return <EntityPart entity={node} {...props} />
  return <MemoryPart memory={node} verdict={checked.value.value} {...props} />
}

function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="node-facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface MemoryPartProps extends DetailsProps {
  readonly memory: WholeMemory
  readonly verdict: Verdict | undefined
}

function MemoryPart({ memory, verdict, open, correct, forget }: MemoryPartProps) {
  const { text, createdAt, createdBy, status, supersedes, source, hash } = memory
  const facts: (readonly [string, ComponentChildren])[] = [
    ['Written', timeOf(createdAt)],
    ['By', writerOf(createdBy)],
    ['Status', visible(status)],
  ]
  if (supersedes !== undefined) {
    const button = (
      <button type="button" class="quiet data" onClick={() => open(supersedes)}>
        {supersedes}
      </button>
    )
    facts.push(['Corrects', button])
  }
  if (source?.kind !== undefined) facts.push(['Source', visible(source.kind)])
  if (source?.ref !== undefined) facts.push(['Reference', visible(source.ref)])
  if (source?.url !== undefined) facts.push(['Link', <OutsideAnchor address={source.url} />])
  if (source?.at !== undefined) facts.push(['Said', timeOf(source.at)])
  return (
    <>
      <p class="memory-text" dir="auto">
        {visibleLines(text)}
      </p>
      <div class="actions">
        <CopyButton name="the text" text={text} />
        {status === 'active' && (
          <button type="button" onClick={() => correct(memory)}>
            Correct
          </button>
        )}
        <button type="button" class="bad" onClick={() => forget(memory)}>
          Forget
        </button>
      </div>
      <Facts facts={facts} />
      <p class="hash">
        <span class="faint">Stored hash</span> <code>{hash}</code>
      </p>
      {verdict === undefined ? (
        <p class="faint">Not checked yet.</p>
      ) : (
        <VerdictPart verdict={verdict} />
      )}
    </>
  )
}

/** "You" comes from the server's word about the session, never from a node. */
function writerOf(address: string | null): string {
  if (address === null) return me.value?.address === null ? 'you, the operator' : 'the operator'
  return address === me.value?.address ? 'you' : shortAddress(address)
}

interface EntityPartProps extends DetailsProps {
  readonly entity: WholeEntity
}

function EntityPart({ entity: { name, kind, aliases }, search }: EntityPartProps) {
  return (
    <>
      <p class="memory-text" dir="auto">
        {visible(name)}
      </p>
      <div class="actions">
        <button type="button" onClick={() => search(name)}>
          Search around it
        </button>
      </div>
      <Facts
        facts={[
          ['Kind', visible(kind)],
          ['Other names', aliases.length === 0 ? 'none' : aliases.map(visible).join(', ')],
        ]}
      />
    </>
  )
}
