import { readFileSync } from 'node:fs'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'
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

/** Linux counts in hundredths of a second. */
const MS_PER_TICK = 10

/**
 * The processor time of this process and of its child processes that have ended, in milliseconds.
 * Children count on Linux only; PostgreSQL, which all workers share, never does.
 */
function readCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return Math.round((user + system) / 1_000) + readChildCpuMs()
}

function readChildCpuMs(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // The name of the program, in parentheses, may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK
  } catch {
    return 0
  }
}
