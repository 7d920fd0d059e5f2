import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'
import { readCpuMs } from './cpu-usage.ts'
import { sendToParent, type TestResult } from './messages.ts'

/**
 * A node:test reporter for workers that sends each result to the parent process. At the top level
 * there is one suite per file (worker.ts); within it, events come in the order of declaration.
 */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const titles: string[] = []
  // Held back until the next event, because the diagnostics of a test come after its result.
  let pending: (TestResult & { nesting: number }) | undefined
  const flush = () => {
    if (pending) sendToParent({ type: 'result', result: pending })
    pending = undefined
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
      if (error && isSubtestFailure(error)) {
        // The failed subtests have been sent already.
      } else if (error || !isSuite) {
        pending = {
          file,
          nesting,
          isPassed: !error,
          milliseconds: details.duration_ms,
          title: path.join(' › ') || 'the file itself',
          isSkipped: event.data.skip !== undefined || event.data.todo !== undefined,
          ...(error && { error: textOf(error) }),
          diagnostics: [],
        }
      }
      if (nesting === 0) {
        flush()
        const milliseconds = details.duration_ms
        sendToParent({ type: 'file-end', file, milliseconds, cpuMs: readCpuMs() })
      }
    } else if (event.type === 'test:diagnostic') {
      const { message, nesting } = event.data
      if (pending?.nesting === nesting) pending.diagnostics.push(message)
    }
    yield ''
  }
}

const isSubtestFailure = (error: Error): boolean =>
  'failureType' in error && error.failureType === 'subtestsFailed'

/** node:test wraps the error that a test has thrown. */
const textOf = (error: Error): string =>
  inspect(error.cause instanceof Error ? error.cause : error, { depth: 4, maxStringLength: 4_000 })
