import { isDeepStrictEqual } from 'node:util'

/** A request and its reply as texts for a report, without secrets. */
export interface Exchange {
  request: string
  /** Begins with the status. */
  reply: string
}

/** What checks run against. */
export interface CheckSubject {
  /** Names of options that were given: a check that `needs` another one does not run. */
  options: ReadonlySet<string>
  /** Those of the current check, the newest last. */
  exchanges: Exchange[]
}

/** One promise, and how it is tried. */
export interface ConformanceCheck<Subject> {
  /** What the receiver or the server does, as a sentence without its subject. */
  name: string
  /** What to change if it does not. */
  advice: string
  /** Throws a `CheckFailure` if something else is seen. */
  run(subject: Subject): Promise<void>
  /** The option without which the check cannot run. */
  needs: string | undefined
}

/** A row of a table of checks. */
export const check = <Subject>(
  name: string,
  advice: string,
  run: (subject: Subject) => Promise<void>,
  needs?: string,
): ConformanceCheck<Subject> => ({ name, advice, run, needs })

/** Checks under a title of the report. */
export interface CheckGroup<Subject> {
  title: string
  checks: readonly ConformanceCheck<Subject>[]
}

/** Something other than the promised was seen. */
export class CheckFailure extends Error {
  readonly expected: string
  readonly seen: string
  readonly exchange: Exchange | undefined

  constructor(expected: string, seen: string, exchange?: Exchange) {
    super(`expected ${expected}, saw ${seen}`)
    this.expected = expected
    this.seen = seen
    this.exchange = exchange
  }
}

/** The checks cannot be run at all, for example because nothing listens at the address. */
export class CannotRunError extends Error {}

/** How a check has ended. */
export interface CheckResult {
  group: string
  name: string
  outcome: 'passed' | 'failed' | 'not run'
  /** Of a passed check: the statuses of the replies; of one that did not run: what it needs. */
  seen: string
  /** These are only in the results of failed checks. */
  expected?: string
  advice?: string
  exchange?: Exchange | undefined
}

/** Runs checks one after another. A failure does not end the run. */
export async function runChecks<Subject extends CheckSubject>(
  groups: readonly CheckGroup<Subject>[],
  subject: Subject,
): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  const { exchanges, options } = subject
  for (const { title: group, checks } of groups) {
    for (const { name, advice, needs, run } of checks) {
      if (needs !== undefined && !options.has(needs)) {
        results.push({ group, name, outcome: 'not run', seen: `needs ${needs}` })
        continue
      }
      exchanges.length = 0
      try {
        await run(subject)
        const statuses = new Set(exchanges.map(({ reply }) => reply.split(' ')[0]))
        results.push({ group, name, outcome: 'passed', seen: [...statuses].join(', ') })
      } catch (error) {
        const { expected, seen, exchange = exchanges.at(-1) } = toFailure(error)
        results.push({ group, name, outcome: 'failed', expected, seen, advice, exchange })
      }
    }
  }
  return results
}

/** A reply of another shape than a check reads makes it throw any error. */
const toFailure = (error: unknown): CheckFailure =>
  error instanceof CheckFailure
    ? error
    : new CheckFailure('a reply of the documented shape', String(error))

/** Fails unless both values are equal as JSON. Reports show the newest exchange, or the given one. */
export function expectEqual(
  seen: unknown,
  expected: unknown,
  what: string,
  exchange?: Exchange,
): void {
  if (isDeepStrictEqual(seen, expected)) return
  throw new CheckFailure(`${what} ${show(expected)}`, show(seen), exchange)
}

/** Fails unless the condition holds. */
export function expectTrue(
  isTrue: boolean,
  expected: string,
  seen: unknown,
  exchange?: Exchange,
): void {
  if (!isTrue) throw new CheckFailure(expected, show(seen), exchange)
}

/** Fails unless there is a text of this form. */
export function expectMatch(seen: unknown, pattern: RegExp, what: string): void {
  expectTrue(typeof seen === 'string' && pattern.test(seen), `${what} like ${pattern}`, seen)
}

const MAX_SHOWN_CHARS = 300

const show = (value: unknown): string =>
  shorten(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'))

/** Cuts a text that is too long for a report. */
export const shorten = (text: string): string =>
  text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text

/** Returns a function that replaces these secrets, and all that look like one, in a text. */
export const createRedactor =
  (secrets: readonly string[]) =>
  (text: string): string =>
    secrets
      .filter((secret) => secret !== '')
      .reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
      .replace(/whsec_[\w+/=-]+|d[kcar]t_\w{20,}/g, '[secret]')
