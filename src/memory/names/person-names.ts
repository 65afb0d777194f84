// Whether a full name is a person's, so that its first word alone can mean the same person. No list
// is complete: if the first word is unlisted, the others must not be words, places or company
// forms. (docs/memory.md, "What is kept")

import { defaultKind, withoutAccents } from '../nodes/names.js'
import type { Entity } from '../nodes/node.js'
import { englishWords } from './english-words.js'
import { germanNouns } from './german-nouns.js'
import { givenNames } from './people-words.js'
import { brands, places } from './place-words.js'

const wordsMax = 4
const companyForm = /^(?:gmbh|ag|kg|se|ug|ohg|inc|ltd|llc|corp|co|bank|group|holdings|partners)\.?$/
const personKinds: ReadonlySet<string> = new Set([defaultKind, 'person', 'people', 'human'])

/** The first word of a person's normalised full name; undefined for other names. */
export function firstNameOf(name: string): string | undefined {
  const words = name.split(' ')
  const [first = '', ...others] = words
  if (words.length < 2 || words.length > wordsMax) return undefined
  if (others.some((word) => companyForm.test(word) || !/^\p{L}/u.test(word))) return undefined
  if (givenNames.has(withoutAccents(first))) return first
  const isUnlisted = words.every(
    (word) => ![englishWords, germanNouns, places, brands].some((list) => list.has(word)),
  )
  return isUnlisted && words.length === 2 ? first : undefined
}

/** The only person among them with this first name; undefined for none or several. */
export function personCalled(entities: Iterable<Entity>, first: string): Entity | undefined {
  const bare = withoutAccents(first)
  let found: Entity | undefined
  for (const entity of entities) {
    if (!personKinds.has(entity.kind) || !isCalled(entity, bare)) continue
    if (found !== undefined && found.id !== entity.id) return undefined
    found = entity
  }
  return found
}

/** Whether a full name of an entity begins with this first name, given without accents. */
export function isCalled({ normName, aliases }: Entity, bare: string): boolean {
  return [normName, ...aliases].some((name) => {
    const first = firstNameOf(name)
    return first !== undefined && withoutAccents(first) === bare
  })
}
