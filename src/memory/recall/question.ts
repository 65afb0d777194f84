// A question prepared for ranking: its terms that some memory has, with their weights, and the
// memories linked to the entities that it names.

import {
  questionCharsMax,
  questionEntitiesMax,
  questionTermsMax,
} from '../../base/limits/memory.js'
import { documentOfRecord } from '../../engine/collection/records.js'
import type { Program, ReadTx } from '../../store/store.js'
import type { Graph } from '../graph/graph.js'
import type { Memory } from '../nodes/node.js'
import { readTerm, termKey } from '../postings/term-documents.js'
import { totalsOf } from '../postings/totals.js'
import { analyse } from '../text/analyser.js'
import { entitiesInText } from '../write/known-names.js'
import { bm25Defaults, type Corpus, corpusOf, TermWeight } from './bm25.js'
import { type Boost, boostsOf, cursorOf } from './entity-boost.js'
import { bestOf, type Scored } from './ranking.js'
import { PostingCursor, type WeightedTerm } from './score-cursors.js'

interface QuestionOptions {
  readonly withSuperseded: boolean
  /** Whether entities named in its text count. */
  readonly namesEntities: boolean
}

/** A character may become eighteen when normalised; the rest is ignored. */
const normalUnitsMax = 2 * questionCharsMax

export class Question {
  private constructor(
    private readonly graph: Graph,
    private readonly terms: readonly WeightedTerm[],
    private readonly boosts: readonly Boost[],
    private readonly withSuperseded: boolean,
  ) {}

  /** Reads a question; terms above questionTermsMax are ignored. */
  static *read(
    tx: ReadTx,
    graph: Graph,
    text: string,
    { withSuperseded, namesEntities }: QuestionOptions,
  ): Program<Question> {
    const corpus = corpusOf(yield* totalsOf(tx, graph.terms), withSuperseded)
    const asked = text.normalize('NFKC').slice(0, normalUnitsMax)
    const terms = yield* weightedTerms(tx, graph, asked, corpus, withSuperseded)
    const named = namesEntities ? yield* entitiesInText(tx, graph, asked) : []
    const entities = named.slice(0, questionEntitiesMax).map(({ id }) => id)
    const boosts = yield* boostsOf(tx, graph, entities, corpus, withSuperseded)
    return new Question(graph, terms, boosts, withSuperseded)
  }

  /** The best memories of the whole graph. */
  *best(tx: ReadTx, limit: number): Program<Scored[]> {
    const { graph, terms, withSuperseded } = this
    const postings = terms.map((term) => new PostingCursor(graph.terms, term, withSuperseded))
    return yield* bestOf(tx, [...postings, ...this.boosts.map(cursorOf)], limit)
  }

  /** BM25 of one memory, from its own fields. */
  scoreOf({ keywords, len }: Memory): number {
    let score = 0
    for (const { name, weight } of this.terms) {
      const count = keywords.get(name)
      if (count !== undefined) score += weight.score(count, len)
    }
    return score
  }

  /** The score of a memory for its linked entities. */
  boostOf({ id }: Memory): number {
    let boost = 0
    for (const { memories, score } of this.boosts) if (memories.has(id)) boost += score
    return boost
  }
}

function* weightedTerms(
  tx: ReadTx,
  graph: Graph,
  text: string,
  corpus: Corpus,
  withSuperseded: boolean,
): Program<WeightedTerm[]> {
  const names = [...analyse(text).terms.keys()].slice(0, questionTermsMax)
  const { k1 = bm25Defaults.k1, b = bm25Defaults.b } = graph.settings
  const records = yield* tx.getMany(names.map((name) => termKey(graph.terms, name)))
  const terms: WeightedTerm[] = []
  for (const [i, name] of names.entries()) {
    const record = records[i]
    if (record === undefined) continue
    const postings = readTerm(yield* documentOfRecord(tx, record))
    const frequency = postings.count - (withSuperseded ? 0 : postings.superseded)
    terms.push({ name, postings, weight: new TermWeight(corpus, { k1, b }, frequency) })
  }
  return terms
}
