// What the suite prints: a line for each test file as it ends, with its comments (seeds, figures) in
// the long counts and where it failed, and with what failed, so that a run which is cut short tells
// it too; at the end what was skipped and why, what failed first and passed alone, the names of what
// failed, and one line of sums. The files tell their results as TAP.

import type { Readable } from 'node:stream'
import { inspect } from 'node:util'
import { Parser, type Result } from 'tap-parser'

/** Lines of standard error, and of one failure, that are shown. */
const shownLines = 40
/** What tap calls a test that is not done when the process is out of time. */
const timeoutName = 'timeout!'

interface Failure {
  readonly file: string
  readonly name: string
  /** It was not ended by a test: the process was out of time. */
  readonly hangs: boolean
  readonly detail: string
}

export class SuiteReport {
  private passed = 0
  private skipped = 0
  private failures: Failure[] = []
  private readonly failedFirst: Failure[] = []
  private readonly reasons: string[] = []
  private readonly startedAt = Date.now()
  constructor(
    private readonly title: string,
    readonly showsComments: boolean,
  ) {}

  get isGreen(): boolean {
    return this.failures.length === 0 && this.passed > 0
  }

  /** Reads what one process says of its files, up to its end. */
  read(names: readonly string[], output: Readable): FileReport {
    return new FileReport(this, names, output)
  }

  count({ passed, skipped }: { readonly passed: number; readonly skipped: readonly string[] }) {
    this.passed += passed
    this.skipped += skipped.length
    this.reasons.push(...skipped)
  }

  fail(failure: Failure): void {
    this.failures.push(failure)
  }

  /** The files that failed, if all of them may be tried again, or only hung: else none. */
  failedFiles(mayTryAgain: (file: string) => boolean, most: number): readonly string[] {
    const files = [...new Set(this.failures.map(({ file }) => file))]
    const others = new Set(this.failures.filter(({ hangs }) => !hangs).map(({ file }) => file))
    const may = files.every((file) => !others.has(file) || mayTryAgain(file))
    return may && files.length <= most ? files : []
  }

  /** What the file failed with counts no longer; what its next run fails with does. */
  tryAgain(file: string): void {
    this.failedFirst.push(...this.failures.filter((failure) => failure.file === file))
    this.failures = this.failures.filter((failure) => failure.file !== file)
  }

  /** The last lines of the suite, `notes` among them. */
  close(notes: readonly string[]): void {
    for (const note of notes) say(note)
    for (const reason of this.reasons) say(`# SKIP ${reason}`)
    for (const { file, name } of this.failedFirst) say(`# FAILED FIRST ${file}: ${name}`)
    for (const { file, name } of this.failures) say(`not ok - ${file}: ${name}`)
    const minutes = ((Date.now() - this.startedAt) / 60_000).toFixed(1)
    const sums = [`${this.passed} passed`, `${this.failures.length} failed`]
    sums.push(this.skipped === 0 ? '0 skipped' : `${this.skipped} skipped for the reasons above`)
    say(`\n${this.title}: ${sums.join(', ')}, ${minutes} minutes`)
  }
}

/** One process: its files follow each other, and a comment names each. */
class FileReport {
  private file: string
  private passed = 0
  private failures: Failure[] = []
  private skipped: string[] = []
  private comments: string[] = []
  private startedAt = Date.now()
  private hasEnded = false
  /** A test of one of its files did. */
  private hasFailed = false
  private hasHung = false
  private readonly count: number
  private readonly waiting: Set<string>
  private readonly parsed: Promise<void>

  constructor(
    private readonly report: SuiteReport,
    names: readonly string[],
    output: Readable,
  ) {
    this.file = names[0] ?? ''
    this.count = names.length
    this.waiting = new Set(names)
    const parser = new Parser()
    this.follow(parser, [])
    parser.on('comment', (text: string) => {
      const name = text.replace(/^# /, '').trim()
      if (names.includes(name)) this.begin(name)
    })
    this.parsed = new Promise((resolve) => parser.on('complete', () => resolve()))
    output.pipe(parser)
  }

  /**
   * The process has ended; `problem` is why it counts as failed beside its results. Resolves with
   * the files that it has not begun; of them none is left out, so a process that begins none fails.
   */
  async end(problem: string | undefined, errors: string): Promise<readonly string[]> {
    await this.parsed
    const isIdle = this.waiting.size === this.count
    if (isIdle || (problem !== undefined && !this.hasFailed)) {
      const hangs = problem?.endsWith('SIGKILL') === true
      this.note(problem ?? 'it began no file', lastLines(errors), hangs)
    }
    this.tell()
    this.hasEnded = true
    return isIdle ? [] : [...this.waiting]
  }

  /** Behind one that hung tap runs nothing, though the process goes on to name files. */
  private begin(name: string): void {
    if (this.hasHung) return
    if (name !== this.file) this.tell()
    this.file = name
    this.waiting.delete(name)
  }

  private tell(): void {
    const { file, passed, failures, skipped } = this
    if (this.hasEnded) return
    const seconds = ((Date.now() - this.startedAt) / 1_000).toFixed(1)
    const failed = failures.length
    const outcome = failed === 0 ? 'ok' : 'not ok'
    if (failed > 0 || this.report.showsComments) {
      for (const comment of this.comments.slice(-shownLines)) say(`  ${comment}`)
    }
    say(`${outcome} - ${file} # ${passed} passed, ${failed} failed, ${seconds} s`)
    for (const { name, detail } of failures) say(`  not ok - ${name}\n${indented(detail)}`)
    this.report.count({ passed, skipped })
    this.passed = 0
    this.failures = []
    this.skipped = []
    this.comments = []
    this.startedAt = Date.now()
  }

  /** A subtest's own line in the parser above it sums it up: it is no further result. */
  private follow(parser: Parser, above: readonly string[]): void {
    let sums = 0
    parser.on('child', (child: Parser) => {
      sums++
      child.on('comment', (text: string) => this.comment(text.trim()))
      this.follow(child, [...above, child.name])
    })
    parser.on('assert', (result: Result) => {
      const isSum = sums > 0 && result.skip === false
      if (isSum) sums--
      else this.take(result, above)
    })
  }

  private take(result: Result, above: readonly string[]): void {
    const name = [...above, result.name].join(' > ')
    if (result.skip !== false) this.skipped.push(`${this.file}: ${name}: ${String(result.skip)}`)
    else if (result.ok) this.passed++
    else this.note(name, detailOf(result), result.name === timeoutName)
  }

  /** Not what tap says of itself. */
  private comment(text: string): void {
    if (!/^# (Subtest|time|\{)/.test(text)) this.comments.push(text)
  }

  private note(name: string, detail: string, hangs: boolean): void {
    const failure = { file: this.file, name, detail, hangs }
    this.hasFailed = true
    this.hasHung ||= hangs
    this.failures.push(failure)
    this.report.fail(failure)
  }
}

function detailOf({ diag }: Result): string {
  if (diag === null || typeof diag !== 'object') return ''
  const { diff, ...rest } = diag as Readonly<Record<string, unknown>>
  const shown = inspect(rest, { depth: 4, breakLength: 100, maxStringLength: 2_000 })
  return lastLines([...(typeof diff === 'string' ? [diff] : []), shown].join('\n'))
}

function indented(text: string): string {
  return text.replace(/^/gm, '    ')
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-shownLines).join('\n')
}

/** Nothing else in the suite writes to standard output. */
function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
