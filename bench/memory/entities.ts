// Question: of what a person would mark in a text, how much does the extraction find, and how much
// of what it finds would a person not mark? Bars: 90 % and 5 %.
// Method: texts that were marked in a commit before the extraction first ran on them
// (bench/memory/entities/README.md). A name counts once a text; its spelling has to be the marked one.

import { readFileSync } from 'node:fs'
import { normName } from '../../src/memory/nodes/names.js'
import { findPatterns } from '../../src/memory/write/patterns.js'
import { type Figure, plain } from '../support/figure.js'

/** The newest is the one that counts; on the others rules were mended. */
export const markedFiles = ['1', '2', '3', '4', '6', '7', '8'] as const

interface Measured {
  readonly marked: number
  readonly found: number
  readonly right: number
  /** A line for each text that was not read as it is marked. */
  readonly differences: readonly string[]
}

interface MarkedText {
  readonly language: string
  readonly text: string
  readonly names: ReadonlySet<string>
}

const mark = /\[([^\]]+)\]/g

export function readMarked(file: string): MarkedText[] {
  const texts: MarkedText[] = []
  let language = ''
  for (const line of readFileSync(`bench/memory/entities/${file}.txt`, 'utf8').split('\n')) {
    if (line.startsWith('# ')) language = line.slice(2)
    else if (line !== '') {
      const names = new Set(Array.from(line.matchAll(mark), ([, name = '']) => normName(name)))
      texts.push({ language, text: line.replace(mark, '$1'), names })
    }
  }
  return texts
}

export function measure(texts: readonly MarkedText[]): Measured {
  let [marked, found, right] = [0, 0, 0]
  const differences: string[] = []
  for (const { text, names } of texts) {
    // The host of a link is told beside the link, and is no find of its own.
    const own = findPatterns(text).filter(
      ({ name, rule }) => !(rule === 'host' && hasLink(text, name)),
    )
    const finds = new Set(own.map(({ name }) => normName(name)))
    const missed = [...names].filter((name) => !finds.has(name))
    const wrong = [...finds].filter((name) => !names.has(name))
    marked += names.size
    found += finds.size
    right += names.size - missed.length
    if (missed.length + wrong.length > 0) {
      differences.push(`missed [${missed.join(' | ')}] wrong [${wrong.join(' | ')}] in: ${text}`)
    }
  }
  return { marked, found, right, differences }
}

function hasLink(text: string, host: string): boolean {
  return text.includes(`//${host}`)
}

export async function memoryEntities(): Promise<Figure[]> {
  return markedFiles.flatMap((file) => {
    const texts = readMarked(file)
    return [...new Set(texts.map(({ language }) => language)), 'both'].flatMap((language) => {
      const some = texts.filter((text) => language === 'both' || text.language === language)
      const { marked, found, right } = measure(some)
      const name = `memory: entities of ${some.length} texts (${file}, ${language})`
      return [
        plain(`${name}, found of ${marked} marked`, (100 * right) / marked, '%'),
        plain(`${name}, wrong of ${found} found`, (100 * (found - right)) / found, '%'),
      ]
    })
  })
}
