import { isDeepStrictEqual } from 'node:util'

/** A request and its reply as texts for a report, without secrets. */
export interface Exchange {
  request: string
  reply: string
}

/** What checks run against: it records what was sent, for the reports of failures. */
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
  /** The option without which the check cannot run. */
  needs?: string
  /** Returns what was seen, and throws a `CheckFailure` if that is not what was expected. */
  run(subject: Subject): Promise<string>
}

/** Checks about one subject, under a title of the report. */
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
  /** Of a check that did not run: the option that it needs. */
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
  for (const { title: group, checks } of groups) {
    for (const { name, advice, needs, run } of checks) {
      if (needs !== undefined && !subject.options.has(needs)) {
        results.push({ group, name, outcome: 'not run', seen: `needs ${needs}` })
        continue
      }
      subject.exchanges.length = 0
      try {
        results.push({ group, name, outcome: 'passed', seen: await run(subject) })
      } catch (error) {
        if (error instanceof CannotRunError) throw error
        const failure = toFailure(error)
        const { expected, seen, exchange = subject.exchanges.at(-1) } = failure
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

/** Fails unless both values are equal as JSON. */
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

const MAX_SHOWN_CHARS = 300

const show = (value: unknown): string => shorten(JSON.stringify(value) ?? 'nothing')

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
