import { afterEach, type SuiteContext, type TestContext } from 'node:test'
import pino from 'pino'
import type { Logger } from '#http/server/log.ts'
import { createTestArtifacts } from './artifacts.ts'
import { isTestWorker } from './cleanup.ts'

/** Enough for the requests that lead to a failure; about 700 kB. */
const MAX_LINES = 2_000

/** The lines that servers in this process have logged since the last test ended; the newest are last. */
const lines: string[] = []

function addLine(text: string): void {
  lines.push(text.trimEnd())
  if (lines.length >= 2 * MAX_LINES) lines.splice(0, MAX_LINES)
}

/** A log in memory, of which only a failing test leaves something. */
export const recentLog: Logger = Object.assign(
  pino({ level: 'info', base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write: addLine }),
  { line: addLine, flushNow() {} },
)

/** Runs after each test: if it has failed, what its servers have logged becomes one of its artifacts. */
export function leaveRecentLog(t: TestContext | SuiteContext): void {
  const recent = lines.splice(0).slice(-MAX_LINES)
  if (!t.passed && recent.length > 0)
    createTestArtifacts(t).write('in-process-server.log', `${recent.join('\n')}\n`)
}

// A worker declares it for each of its files.
if (!isTestWorker) afterEach(leaveRecentLog)
