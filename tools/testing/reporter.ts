import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'
import { send, type TestResult } from './messages.ts'

/**
 * A reporter of node:test for workers: sends how each test ended to the process that started the worker. At the top
 * there is a suite for each file (worker.ts); within one, events come in the order in which tests were declared.
 */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const titles: string[] = []
  // Held back until the next event, because the diagnostics of a test come after its end.
  let ended: (TestResult & { nesting: number }) | undefined
  const flush = () => {
    if (ended) send({ type: 'result', result: ended })
    ended = undefined
  }
  for await (const event of events) {
    if (event.type === 'test:start') {
      flush()
      titles.splice(event.data.nesting, titles.length, event.data.name)
    } else if (event.type === 'test:pass' || event.type === 'test:fail') {
      flush()
      const { nesting, name, details } = event.data
      titles.splice(nesting, titles.length, name)
      const [file = '', ...path] = titles
      const error = 'error' in details ? details.error : undefined
      const isSuite = details.type === 'suite'
      if (error && isOfChildren(error)) {
        // What failed in it has been sent.
      } else if (error || !isSuite) {
        ended = {
          ...{ file, nesting, isPassed: !error, milliseconds: details.duration_ms },
          title: path.join(' › ') || 'the file itself',
          isSkipped: event.data.skip !== undefined || event.data.todo !== undefined,
          ...(error && { error: textOf(error) }),
          diagnostics: [],
        }
      }
      if (nesting === 0) {
        flush()
        send({ type: 'file-end', file, milliseconds: details.duration_ms })
      }
    } else if (event.type === 'test:diagnostic') {
      const { message, nesting } = event.data
      if (ended?.nesting === nesting) ended.diagnostics.push(message)
    }
    yield ''
  }
}

const isOfChildren = (error: Error): boolean =>
  'failureType' in error && error.failureType === 'subtestsFailed'

/** node:test wraps what a test has thrown. */
const textOf = (error: Error): string =>
  inspect(error.cause instanceof Error ? error.cause : error, { depth: 4, maxStringLength: 4_000 })
