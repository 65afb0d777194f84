// Citations of this repository's own pages, and whether they lead anywhere. Comments and pages
// write `docs/memory.md`, `docs/memory.md, "Recall, exactly"` or
// `docs/design/transactions.md, rules 1 to 3`; pages also link, `[text](other.md#heading)`.
// CONTRIBUTING.md tells of this notation.

import { dirname, join, normalize } from 'node:path'

/** The repository as citations see it: the text of a file, undefined where there is none. */
export type Repository = (path: string) => string | undefined

interface Cited {
  /** From the root, with slashes. */
  readonly path: string
  readonly text: string
}

const page = String.raw`(?:docs/[\w./-]+|[A-Z]{4,})\.md`
const headings = '"[^"]+"(?:(?:, | and )"[^"]+")*'
const rules = String.raw`rules? (\d+(?:(?:, | and | to |, and )\d+)*)`
const citation = new RegExp(String.raw`(?<![\w/.-])(${page})(?:, (?:${rules}|(${headings})))?`, 'g')
/**
 * Files of the repository that a text names by their whole path; the reference server has
 * `src/mongo`.
 */
const file =
  /(?<![\w/.@-])(?:src(?!\/mongo)|test|bench|contracts|protocol-fixtures)\/[\w/-]+(?:\.\w+)+/g
const link = /\]\(([^)\s]+)\)/g
/** Sheets and drafts that no clone has, and rules without the page that they are of. */
const nowhere: readonly RegExp[] = [
  /\b(?:DESIGN|STYLE)\.md\b/,
  /(?<![\w/])facts\/[a-z]/,
  /[(;] ?facts:? /,
  /\bfacts \d/,
  /\((?:identity|key-value|memory|storage|HTTP|SQL) [A-Z]?\d/,
  /\bAPI document\b(?<!OpenAPI document)/,
  /\(rules? \d/,
]

/** What is wrong with what a source file's comments cite. */
export function sourceProblems({ path, text }: Cited, repository: Repository): string[] {
  return commentsOf(text).flatMap(({ line, text: comment }) =>
    [...uncitable(comment), ...citationProblems(comment, repository)].map(
      (problem) => `${path}:${line}: ${problem}`,
    ),
  )
}

/** What is wrong with what a page cites and where its links lead. */
export function pageProblems({ path, text }: Cited, repository: Repository): string[] {
  const shown = text.replace(/^```.*?^```$/gms, '').replace(/\s*\n\s*/g, ' ')
  // A file that the reader is told to make is not there yet.
  const prose = shown.replace(/Create `[^`]+`/g, '')
  const own = ownRules(prose, text).map((rule) => `no rule ${rule} here`)
  const links = [...prose.matchAll(link)].flatMap(([, to = '']) =>
    linkProblems(path, text, to, repository),
  )
  const found = [...citationProblems(prose, repository), ...own, ...links]
  return found.map((problem) => `${path}: ${problem}`)
}

function uncitable(comment: string): string[] {
  return nowhere.flatMap((pattern) => {
    const found = pattern.exec(comment)
    return found === null ? [] : [`cites what no clone has, or no page: ${found[0]}`]
  })
}

function citationProblems(text: string, repository: Repository): string[] {
  const pages = [...text.matchAll(citation)].flatMap(([, path = '', numbers, titles]) => {
    const cited = repository(path)
    if (cited === undefined) return [`there is no ${path}`]
    const rulesMissing = numbersOf(numbers)
      .filter((number) => !hasRule(cited, number))
      .map((number) => `${path} has no rule ${number}`)
    const titlesMissing = [...(titles ?? '').matchAll(/"([^"]+)"/g)]
      .filter(([, title = '']) => !hasHeading(cited, title))
      .map(([, title]) => `${path} has no heading "${title}"`)
    return [...rulesMissing, ...titlesMissing]
  })
  const files = [...text.matchAll(file)].flatMap(([path]) =>
    repository(path) === undefined ? [`there is no ${path}`] : [],
  )
  return [...pages, ...files]
}

/** `1, 6 to 8 and 10` as numbers. */
function numbersOf(text = ''): number[] {
  const found: number[] = []
  for (const [, first = '', last = first] of text.matchAll(/(\d+)(?: to (\d+))?/g)) {
    for (let number = Number(first); number <= Number(last); number++) found.push(number)
  }
  return found
}

/** A numbered page speaks of its own rules without its name. */
function ownRules(prose: string, text: string): number[] {
  if (!hasRule(text, 1)) return []
  const found = [...prose.matchAll(/(?<!\.md, )\brules? (\d+(?:(?:, | and | to )\d+)*)/g)]
  return found.flatMap(([, numbers]) => numbersOf(numbers)).filter((rule) => !hasRule(text, rule))
}

function linkProblems(path: string, text: string, to: string, repository: Repository): string[] {
  if (/^[a-z]+:/.test(to)) return []
  const [name = '', anchor] = to.split('#')
  const target = name === '' ? path : normalize(join(dirname(path), name)).replace(/\/$/, '')
  const cited = name === '' ? text : repository(target)
  if (cited === undefined) return [`there is no ${target}`]
  if (anchor === undefined || titlesOf(cited).some((title) => anchorOf(title) === anchor)) return []
  return [`${target} has no heading for #${anchor}`]
}

function hasRule(text: string, number: number): boolean {
  return titlesOf(text).some((title) => title.startsWith(`${number}. `))
}

/** A heading, or the bold words that a paragraph begins with: whole, or up to a sign or a colon. */
function hasHeading(text: string, cited: string): boolean {
  const leads = [...text.matchAll(/^\*\*([^*]+)\*\*/gm)].map(([, lead = '']) => lead)
  return [...titlesOf(text), ...leads]
    .map((title) => title.replaceAll('`', ''))
    .some((title) => title.startsWith(cited) && /^(?:$|\s?[^\w\s])/.test(title.slice(cited.length)))
}

function titlesOf(text: string): string[] {
  const prose = text.replace(/^```.*?^```$/gms, '')
  return [...prose.matchAll(/^#{1,6} (.*)$/gm)].map(([, title = '']) => title)
}

/** As the forge makes anchors of headings. */
function anchorOf(title: string): string {
  const kept = title.toLowerCase().replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
  return kept.replaceAll(' ', '-')
}

interface Comment {
  readonly line: number
  readonly text: string
}

/** Lines of comment that follow one another are one text; one behind code is another. */
function commentsOf(text: string): Comment[] {
  const found: Comment[] = []
  let open: { line: number; words: string[] } | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const [, words] = /^\s*(?:\/\/+|\/\*\*?|\*\/|\*)(.*)$/.exec(line) ?? []
    if (words !== undefined) {
      open ??= { line: index + 1, words: [] }
      open.words.push(words.replace(/\*\/\s*$/, '').trim())
      continue
    }
    if (open !== undefined) found.push({ line: open.line, text: open.words.join(' ') })
    open = undefined
    const [, behind] = /\s\/\/ (.*)$/.exec(line) ?? []
    if (behind !== undefined) found.push({ line: index + 1, text: behind })
  }
  if (open !== undefined) found.push({ line: open.line, text: open.words.join(' ') })
  return found
}
